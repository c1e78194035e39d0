import { assertEquals } from "../../../deps/assert.ts";
import { LiveOutput } from "./live_output.ts";

/** What a client hears of live output. */
function open() {
  const lines: string[] = [];
  const progress: string[] = [];
  const live = new LiveOutput(
    (_, line) => lines.push(line),
    (line) => progress.push(line),
  );
  return { live, lines, progress };
}

Deno.test("LiveOutput cuts a line that is too long, with an end and without", () => {
  const { live, lines, progress } = open();
  live.take("stdout", `${"a".repeat(10_001)}\n`);
  for (let piece = 0; piece < 3; piece++) {
    live.take("stdout", "b".repeat(5000));
  }
  live.close();
  assertEquals(lines, ["a".repeat(10_000), "b".repeat(10_000)]);
  assertEquals(progress, ["a".repeat(1000), "b".repeat(1000)]);
});

Deno.test("LiveOutput hands on no half of a character", () => {
  const { live, lines } = open();
  live.take("stdout", "\ud83d\n");
  live.close();
  assertEquals(lines, ["\ufffd"]);
});

Deno.test("LiveOutput makes no progress of what is printed once code tells its own", () => {
  const { live, lines, progress } = open();
  live.leaveProgressToCode();
  live.take("stdout", "1\n");
  live.close();
  assertEquals([lines, progress], [["1"], []]);
});

Deno.test("LiveOutput joins pieces of a line, and gives each stream its level", () => {
  const lines: string[] = [];
  const live = new LiveOutput(
    (level, line) => lines.push(`${level} ${line}`),
    () => {},
  );
  live.take("stdout", "one\ntw");
  live.take("stderr", "careful\n");
  live.take("stdout", "o");
  live.close();
  assertEquals(lines, ["info one", "warning careful", "info two"]);
});

Deno.test("LiveOutput hands on a line that comes anew as it is in the end", () => {
  const { live, lines, progress } = open();
  live.take("stdout", "10%");
  live.take("stdout", "\r20%\nend\r\n");
  live.take("stdout", `${"x".repeat(20_000)}`);
  live.take("stdout", "\rlast");
  live.close();
  assertEquals(lines, ["20%", "end", "last"]);
  assertEquals(progress, ["20%", "last"]);
});
