import { assertEquals, assertRejects } from "../../../deps/assert.ts";
import { hostCall, HostCallError } from "./host_call.ts";

Deno.test("hostCall() answers only good arguments, and if it is granted", async () => {
  const granted = ["TZ"];
  const env = hostCall({
    name: "env",
    parse(data) {
      if (typeof data === "string") return data;
      throw new TypeError("env takes the name of a variable");
    },
    deny: (name) =>
      granted.includes(name) ? undefined : `Allow it with --allow-env ${name}.`,
    answer: (name) => `value of ${name}`,
  });
  const caller = { run: {}, signal: new AbortController().signal };
  assertEquals(await env.perform("TZ", caller), "value of TZ");
  const refused = [["HOME", "PermissionError"], [1, "TypeError"]] as const;
  for (const [data, kind] of refused) {
    await assertRejects(
      () => env.perform(data, caller),
      (error) => error instanceof HostCallError && error.kind === kind,
    );
  }
});
