/**
 * A client's pipes with pauses: starts a program, and passes on what it is told
 * at once, and what it says with pauses in which nothing is read. The pauses come
 * at random, by the seed that is the first argument.
 *
 * @module
 */
import { Random } from "../bench/soak/random.ts";

/** Share of what is read that a pause follows, and how long it may be. */
const PAUSES = 0.1;
const LONGEST_MS = 1500;

if (import.meta.main) {
  const [seed = "", ...args] = Deno.args;
  const random = new Random(Number(seed));
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", ...args],
    ...{ stdin: "piped", stdout: "piped" },
  }).spawn();
  Deno.stdin.readable.pipeTo(child.stdin).catch(() => {});
  const output = Deno.stdout.writable.getWriter();
  for await (const chunk of child.stdout) {
    await output.write(chunk);
    if (!random.isIn(PAUSES)) continue;
    const ms = random.next() * LONGEST_MS;
    await new Promise((resolve) => setTimeout(resolve, ms));
  }
  Deno.exit((await child.status).code);
}
