import { assertEquals } from "../deps/assert.ts";
import { startHttp } from "./support/http_server.ts";
import { ERAS } from "./support/server.ts";

Deno.test("clients of both eras run code over HTTP, at the same endpoint", async (test) => {
  await using server = await startHttp();
  for (const era of ERAS) {
    await test.step(era, async () => {
      await using client = await server.connect(era);
      const { output, returnValue } = await client.call("print(1)\n6 * 7");
      assertEquals([output, returnValue], [["1"], 42]);
    });
  }
});
