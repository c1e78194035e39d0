import { assertEquals, assertMatch } from "../../../deps/assert.ts";
import type { RunMessage } from "../../protocol/run_messages.ts";
import { followRun } from "./follow_run.ts";
import { roomOf } from "./backlog.ts";
import type { FromWorker } from "./from_worker.ts";

const OUTPUT = { type: "output", stream: "stdout", text: "x" } as const;
const ending = { status: "success", value: "1" } as const;

async function follow(said: FromWorker[]) {
  const heard: RunMessage[] = [];
  const room = new Int32Array(new SharedArrayBuffer(4));
  const ended = await followRun(2, {
    messages: {
      next: () => {
        const message = said.shift();
        if (!message) throw new RangeError("Nothing more was said");
        return Promise.resolve(message);
      },
    },
    onMessage: (message) => Promise.resolve(void heard.push(message)),
    room,
  });
  return { ended, heard, room: room[0] };
}

Deno.test("followRun() hands on messages up to the end of the run, and gives their room back", async () => {
  const { ended, heard, room } = await follow([
    ...[OUTPUT, OUTPUT, { type: "done", id: 2, ending }, OUTPUT] as const,
  ]);
  assertEquals(ended, ending);
  assertEquals(heard, [OUTPUT, OUTPUT]);
  assertEquals(room, -2 * roomOf(OUTPUT));
});

Deno.test("followRun() takes no other end for the end of its run", async () => {
  const others: [FromWorker, RegExp][] = [
    [{ type: "done", id: 1, ending }, /ended another run/],
    [{ type: "done", id: 3, ending }, /ended another run/],
    [{ type: "ready" }, /started twice/],
    [{ type: "broken", reason: "it died" }, /it died/],
  ];
  for (const [message, expected] of others) {
    const { ended } = await follow([message]);
    assertEquals(ended.status, "crashed");
    assertMatch(JSON.stringify(ended), expected);
  }
});
