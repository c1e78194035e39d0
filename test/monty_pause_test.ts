/**
 * A run on Monty that waits for its host can be dumped in one process and goes on in
 * another.
 *
 * @module
 */
import { assert, assertEquals } from "../deps/assert.ts";

const PROGRAM = new URL("./support/monty_paused.ts", import.meta.url);

async function program(mode: "pause" | "resume", text: string) {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", PROGRAM.href, mode, text],
    stderr: "inherit",
  }).output();
  return JSON.parse(new TextDecoder().decode(stdout));
}

Deno.test("a run goes on in another process, where its functions, loops and errors are what they were", async () => {
  const code = `total = 0
def add(n):
    global total
    total += n
try:
    for n in [1, http_request("http://x"), 1]:
        add(n)
    1 / 0
except ZeroDivisionError as error:
    told = str(error)
[total, told]`;
  const paused = await program("pause", code);
  assertEquals(paused.reply.args, ["http://x"]);
  const resumed = await program("resume", paused.dump);
  assert(resumed.pid !== paused.pid);
  assertEquals(resumed.reply, {
    ...{ type: "done", value: '[42,"division by zero"]' },
  });
});
