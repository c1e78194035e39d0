import { assertEquals } from "../../../deps/assert.ts";
import { parseFromWorker } from "./from_worker.ts";

const DONE = {
  ...{ type: "done", id: 1 },
  ending: { status: "success", value: "1" },
};

Deno.test("parseFromWorker() reads every message, and no more of it than the protocol knows", () => {
  const messages = [
    { type: "ready" },
    { type: "broken", reason: "r" },
    { type: "output", stream: "stdout", text: "t" },
    DONE,
  ];
  for (const message of messages) {
    const extended = { ...message, printed: 1, extra: 1 };
    assertEquals<unknown>(parseFromWorker(extended), message);
  }
});

Deno.test("parseFromWorker() refuses messages outside the protocol", () => {
  const lies = [
    null,
    "ready",
    { type: "failed", reason: "r" },
    { type: "started", run: 1 },
    { ...DONE, ending: { status: "cancelled", error: "E" } },
    { ...DONE, ending: null },
    ...["1", null, undefined].map((id) => ({ ...DONE, id })),
    ...[1, null, ["r"]].map((reason) => ({ type: "broken", reason })),
  ];
  for (const lie of lies) assertEquals(parseFromWorker(lie), undefined);
});
