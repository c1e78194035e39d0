import { assertEquals, assertRejects } from "../../../deps/assert.ts";
import type { Json } from "../../protocol/run_result.ts";
import { HostCallError } from "./host_call.ts";
import { SHELL_CALLS } from "./shell_calls.ts";

Deno.test("SHELL_CALLS ask the shell, a hundred at a time", async () => {
  const [readInput] = SHELL_CALLS.asks;
  const asked: PromiseWithResolvers<Json>[] = [];
  const run = {
    askShell() {
      const answer = Promise.withResolvers<Json>();
      asked.push(answer);
      return answer.promise;
    },
  };
  const { signal } = new AbortController();
  const ask = async () => await readInput?.perform(1, { run, signal });
  const answers = Array.from({ length: 100 }, ask);
  await assertRejects(ask, HostCallError);
  for (const { resolve } of asked) resolve("input");
  assertEquals(new Set(await Promise.all(answers)), new Set(["input"]));
  const next = ask();
  asked.at(-1)?.resolve("more");
  assertEquals(await next, "more");
});
