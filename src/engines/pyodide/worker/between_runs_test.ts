import { assertEquals } from "../../../../deps/assert.ts";
import type { FromWorker } from "../../shared/from_worker.ts";
import { keepBetweenRuns } from "./between_runs.ts";

const output = (text: string, stream: "stdout" | "stderr" = "stdout") =>
  ({ type: "output", stream, text }) as const;

Deno.test("keepBetweenRuns() keeps output for the next run, in order and marked", () => {
  const sent: FromWorker[] = [];
  const between = keepBetweenRuns((message) => sent.push(message));
  between.begin();
  between.post(output("of a run"));
  assertEquals(sent.splice(0), [output("of a run")]);
  between.end();
  for (const text of ["a", "b\n"]) between.post(output(text));
  between.post(output("c", "stderr"));
  between.post({ type: "display", mimeType: "image/png", data: "" });
  between.post({ type: "notify", name: "n", arguments: "1" });
  assertEquals(sent, []);
  between.begin();
  assertEquals(sent.splice(0), [
    output("[between runs]\n", "stderr"),
    output("ab\n"),
    output("c", "stderr"),
    output("\n[left out: 1 pictures]\n", "stderr"),
    output("[this run]\n", "stderr"),
  ]);
  between.end();
  between.begin();
  between.begin();
  assertEquals(sent, []);
});

Deno.test("keepBetweenRuns() keeps a bounded head of a flood, and counts the rest", () => {
  for (const streams of [["stdout"], ["stdout", "stderr"]] as const) {
    const sent: FromWorker[] = [];
    const between = keepBetweenRuns((message) => sent.push(message));
    for (let round = 0; round < 100_000; round++) {
      between.post(output("xy", streams[round % streams.length]));
    }
    between.begin();
    const kept = sent.slice(1, -2).map((it) => "text" in it ? it.text : "");
    const { length } = kept.join("");
    assertEquals(length <= 65_536 && kept.length <= 700, true);
    const leftOut = `\n[left out: ${200_000 - length} characters]\n`;
    assertEquals(sent.at(-2), output(leftOut, "stderr"));
  }
});

Deno.test("keepBetweenRuns() restores what it has saved", () => {
  const sent: FromWorker[][] = [[], []];
  const [one, other] = sent.map((to) =>
    keepBetweenRuns((message) => to.push(message))
  );
  one?.post(output("a"));
  one?.post({ type: "display", mimeType: "image/png", data: "" });
  other?.restore(one?.save());
  for (const it of [one, other]) it?.begin();
  assertEquals(sent[0]?.length, 4);
  assertEquals(
    sent[1]?.map((it) => "text" in it && it.text).join(""),
    sent[0]?.map((it) => "text" in it && it.text).join(""),
  );
});
