/**
 * A sandbox process that was taken over: says the lines of its argument when it
 * has been given its setup and its first run.
 *
 * @module
 */
import { readLines } from "../../src/protocol/lines.ts";

/** What a liar does. */
export interface Lie {
  /**
   * Lines to say; the token stands before each that is not `raw`. `<x*9>` is
   * nine times an x.
   */
  lines: string[];
  /** Whether the lines go out without the token. */
  raw?: boolean;
  /** How often each line is said. */
  times?: number;
  /** Whether it ends when all is said. */
  ends?: boolean;
}

if (import.meta.main) {
  const { lines, raw, times = 1, ends = false }: Lie = JSON.parse(
    Deno.args[0] ?? "",
  );
  const input = readLines(Deno.stdin.readable, 1 << 28);
  const token = new TextDecoder().decode((await input.next()).value);
  const say = async (line: string) => {
    const text = line.replace(
      /<(.+?)\*(\d+)>/g,
      (_, part, count) => part.repeat(Number(count)),
    );
    const bytes = new TextEncoder().encode(`${raw ? "" : token}${text}\n`);
    for (let at = 0; at < bytes.length;) {
      at += await Deno.stdout.write(bytes.subarray(at));
    }
  };
  const ready = new TextEncoder().encode(`${token}{"type":"ready"}\n`);
  await Deno.stdout.write(ready);
  const setup = await input.next();
  if (!setup.done) await input.next();
  await say(`${raw ? token : ""}{"type":"started","run":1}`);
  for (const line of lines) {
    for (let time = 0; time < times; time++) await say(line);
  }
  if (!ends) { for await (const _ of input); }
}
