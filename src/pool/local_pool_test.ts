import { assert, assertEquals, assertMatch } from "../../deps/assert.ts";
import type { RunRequest, ToSandbox } from "../protocol/messages.ts";
import { Queue } from "../protocol/queue.ts";
import { LocalPool } from "./local_pool.ts";
import type { SandboxMessage, SandboxProcess } from "./sandbox.ts";

const REQUEST: RunRequest = {
  code: "1",
  globals: {},
  installable: [],
  timeoutMs: 60_000,
  maxOutput: 1000,
};

/** Processes that do as their test says. */
class Fleet {
  started: {
    sent: Queue<ToSandbox>;
    say: (message: SandboxMessage) => void;
  }[] = [];
  spawned = new Queue<number>();

  spawn = (): SandboxProcess => {
    const messages = new Queue<SandboxMessage>();
    const sent = new Queue<ToSandbox>();
    const say = (message: SandboxMessage) => messages.push(message);
    this.started.push({ sent, say });
    this.spawned.push(this.started.length - 1);
    return {
      messages,
      send: (message) => sent.push(message),
      kill: () => say({ type: "ended", how: "SIGKILL" }),
    };
  };

  /** The next process, once it is started. */
  async next() {
    const process = this.started[await this.spawned.next()];
    assert(process);
    return process;
  }
}

function done(id: number, value: string): SandboxMessage {
  return { type: "done", id, printed: 0, ending: { status: "success", value } };
}

Deno.test("LocalPool keeps one ready, and starts no more than its size", async () => {
  const fleet = new Fleet();
  const pool = new LocalPool(fleet.spawn, 2);
  const runs = [pool.run(REQUEST), pool.run(REQUEST), pool.run(REQUEST)];
  const [first, second] = [await fleet.next(), await fleet.next()];
  first.say({ type: "ready" });
  second.say({ type: "ready" });
  for (const process of [first, second, first]) {
    const { id } = await process.sent.next();
    process.say(done(id, "7"));
    process.say({ type: "ready" });
  }
  for (const run of runs) assertEquals((await run).status, "success");
  assertEquals(fleet.started.length, 2);
});

Deno.test("LocalPool tells waiting calls when nothing can start", async () => {
  const fleet = new Fleet();
  const pool = new LocalPool(fleet.spawn, 2);
  const run = pool.run(REQUEST);
  for (let start = 0; start < 3; start++) {
    (await fleet.next()).say({ type: "failed", reason: "no snapshot" });
  }
  const result = await run;
  assertEquals(result.status, "crashed");
  assertMatch(JSON.stringify(result), /no snapshot.*doctor/);
  assertEquals(fleet.started.length, 3);
});

Deno.test("LocalPool answers a call whose process dies, and serves the next", async () => {
  const fleet = new Fleet();
  const pool = new LocalPool(fleet.spawn, 1);
  const run = pool.run(REQUEST);
  const first = await fleet.next();
  first.say({ type: "ready" });
  await first.sent.next();
  first.say({ type: "ended", how: "SIGSEGV" });
  assertMatch(JSON.stringify(await run), /crashed.*SIGSEGV/);
  const again = pool.run(REQUEST);
  const second = await fleet.next();
  second.say({ type: "ready" });
  second.say(done((await second.sent.next()).id, "1"));
  assertEquals((await again).status, "success");
});

Deno.test("LocalPool takes no message for a run that is not the one", async () => {
  const fleet = new Fleet();
  const pool = new LocalPool(fleet.spawn, 1);
  const run = pool.run(REQUEST);
  const process = await fleet.next();
  process.say({ type: "ready" });
  const { id } = await process.sent.next();
  process.say({
    type: "output",
    id: id + 1,
    stream: "stdout",
    text: "not mine",
  });
  process.say(done(id + 1, '"forged"'));
  process.say({ type: "output", id, stream: "stdout", text: "mine\n" });
  process.say(done(id, '"true"'));
  assertEquals(await run, {
    status: "success",
    returnValue: "true",
    output: ["mine"],
  });
});

Deno.test("LocalPool ends a run whose sandbox says too much, or no JSON", async () => {
  for (
    const lie of [
      { type: "output", id: 1, stream: "stdout", text: "x".repeat(5000) },
      done(1, "}{"),
      done(1, "[".repeat(1000) + "]".repeat(1000)),
    ] satisfies SandboxMessage[]
  ) {
    const fleet = new Fleet();
    const run = new LocalPool(fleet.spawn, 1).run(REQUEST);
    const process = await fleet.next();
    process.say({ type: "ready" });
    await process.sent.next();
    process.say(lie);
    assertEquals((await run).status, "crashed");
  }
});

Deno.test("LocalPool forgets a call that is cancelled while it waits", async () => {
  const fleet = new Fleet();
  const pool = new LocalPool(fleet.spawn, 1);
  const cancel = new AbortController();
  const run = pool.run(REQUEST, { signal: cancel.signal });
  cancel.abort();
  assertEquals((await run).status, "cancelled");
  assertEquals(
    (await pool.run(REQUEST, { signal: cancel.signal })).status,
    "cancelled",
  );
});
