import { assert, assertEquals } from "../../../deps/assert.ts";
import { cutStreams, StreamCollector } from "./streams.ts";

Deno.test("StreamCollector keeps the streams of pieces apart, in whole lines", () => {
  const collector = new StreamCollector(1000);
  collector.take("stdout", "a");
  collector.take("stderr", "E\nF");
  collector.take("stdout", "b\n\nc\n");
  assertEquals(collector.finish(), {
    ...{ stdout: ["ab", "", "c"], stderr: ["E", "F"] },
  });
});

Deno.test("StreamCollector keeps no more of a stream than its limit, with a note", () => {
  const collector = new StreamCollector(100);
  for (let times = 0; times < 1000; times++) {
    collector.take("stderr", "e".repeat(99) + "\n");
  }
  const { stdout, stderr } = collector.finish();
  const { length } = stderr.join("\n");
  assert(length <= 300, `${length}`);
  assert(stderr.some((line) => line.includes("characters left out")));
  assertEquals(stdout, []);
});

Deno.test("StreamCollector gives well-formed text", () => {
  const collector = new StreamCollector(100);
  collector.take("stdout", "\ud800");
  collector.take("stderr", "\udc00\n");
  const { stdout, stderr } = collector.finish();
  assertEquals([stdout, stderr], [["\ufffd"], ["\ufffd"]]);
});

Deno.test("cutStreams() gives each stream the room that the other leaves, and half if both are long", () => {
  const long = Array(1000).fill("x".repeat(9));
  const short = ["short"];
  const lengths = (stdout: string[], stderr: string[], room: number) => {
    const cut = cutStreams({ stdout, stderr }, room);
    return [cut.stdout.join("\n").length, cut.stderr.join("\n").length];
  };
  assertEquals(lengths(short, short, 10), [5, 5]);
  const [out = 0, err = 0] = lengths(long, short, 1000);
  assert(out > 900 && out < 1200 && err === 5, `${out} ${err}`);
  const [first = 0, second = 0] = lengths(long, long, 1000);
  assert(first > 400 && first < 700, `${first}`);
  assert(second > 400 && second < 700, `${second}`);
});
