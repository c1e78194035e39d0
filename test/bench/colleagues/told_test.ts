import { assertEquals } from "../../../deps/assert.ts";
import { toCalled } from "../../support/client.ts";
import type { Answer } from "./caller.ts";
import { readRun, readTool } from "./told.ts";

const OWN = { secret: "nonce-1", line: ["a", "b"], kept: ["a"], whole: true };

function answer(
  structuredContent: Record<string, unknown>,
  text = "",
): Answer {
  const content = [{ type: "text" as const, text }];
  const isError = Object.keys(structuredContent).length === 0;
  const called = toCalled({ content, structuredContent, isError });
  return { is: "result", called };
}

const tell = (state: object) => `told ${JSON.stringify(state)}`;

const RUNS: [
  name: string,
  structured: Record<string, unknown>,
  told: object,
][] = [
  [
    "a value",
    { status: "success", return_value: tell(OWN) },
    { told: { is: "line", line: ["a", "b"], resumed: false } },
  ],
  [
    "output of code that fails, in a session that went back",
    { status: "run-error", output: [tell(OWN)], resumed: "…", error: "E" },
    { told: { is: "line", line: ["a", "b"], resumed: true } },
  ],
  [
    "a run that ended its interpreter",
    {
      ...{ status: "crashed", output: [tell(OWN)] },
      error: "… The session goes on from its state of 3 s ago: …",
    },
    { told: { is: "line", line: ["a", "b"], resumed: false, next: "back" } },
  ],
  [
    "a state that is gone",
    { status: "crashed", error: "… The session's state is gone: …" },
    { told: { is: "unknown", next: "gone" } },
  ],
  ["a lost session", { status: "session-lost" }, { told: { is: "lost" } }],
  [
    "a session that another server has",
    { status: "session-lost", error: "… The code has run here in vain; …" },
    { told: { is: "refused" } },
  ],
  ["a busy server", { status: "busy" }, { told: { is: "refused" } }],
  [
    "a busy store after the run",
    { status: "busy", error: "… The code has run, but …" },
    { told: { is: "unknown" } },
  ],
  [
    "another's secret",
    { status: "success", return_value: tell({ ...OWN, secret: "nonce-2" }) },
    { wrong: "the secret is nonce-2" },
  ],
  [
    "data that have changed",
    { status: "success", return_value: tell({ ...OWN, whole: false }) },
    { wrong: "its data have changed" },
  ],
  [
    "a file of another state",
    { status: "success", return_value: tell({ ...OWN, kept: ["z"] }) },
    { wrong: "its file has z besides" },
  ],
  ["no state at all", { status: "success" }, { wrong: "success: " }],
];

for (const [name, structured, told] of RUNS) {
  Deno.test(`readRun() reads ${name}`, () => {
    assertEquals<unknown>(readRun(answer(structured), OWN.secret), told);
  });
}

Deno.test("readTool() reads what the error of a tool says of the session", () => {
  const read = (text: string) => readTool(answer({}, text));
  assertEquals(read('There is no session "x" any more'), {
    told: { is: "lost" },
  });
  assertEquals(read("The state of session x is gone, …"), {
    told: { is: "lost" },
  });
  assertEquals(read("Cannot copy session x: it has no state, as …"), {
    told: { is: "lost" },
  });
  assertEquals(read("Cannot go on with session x here now: …"), {
    told: { is: "refused" },
  });
  assertEquals(read("something else"), { wrong: "something else" });
  assertEquals(readTool(answer({ size: 3 })), undefined);
});

Deno.test("readRun() takes a broken connection for a call that may have run, and no refused token", () => {
  const read = (text: string) => readRun({ is: "broken", text }, OWN.secret);
  assertEquals(read("connection reset"), { told: { is: "unknown" } });
  assertEquals(read("401 invalid_token"), { wrong: "401 invalid_token" });
});
