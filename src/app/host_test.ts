import { assertRejects } from "../../deps/assert.ts";
import { Host } from "./host.ts";

Deno.test("Host.read() refuses an address that is not of the server's runs", async () => {
  const none = () => {};
  const host = new Host({
    ...{ onInput: none, onResult: none, onCancelled: none },
    ...{ onContext: none, onError: none, onLeave: none },
  });
  for (const uri of ["file:///etc/passwd", "https://example.com/", ""]) {
    await assertRejects(() => host.read(uri), { message: /is not an address/ });
  }
  const isOurs = () => host.read("run-python://a/b");
  await assertRejects(isOurs, { message: /reads no files/ });
});
