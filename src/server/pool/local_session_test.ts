import { ENGINE } from "../../engines/index.ts";
import { REQUEST, SETUP } from "../../../test/support/request.ts";
import { assert, assertEquals, assertMatch } from "../../../deps/assert.ts";
import { Queue } from "../../protocol/channel.ts";
import type { ToSandbox } from "../../protocol/sandbox_messages.ts";
import { isOverWithin } from "../../deadline.ts";
import { LocalPool } from "./local_pool.ts";
import type { SandboxMessage } from "./sandbox.ts";

/** Long enough on a busy machine. */
const HANGING_MS = 20_000;

/** A session, and the process that is its sandbox. */
async function openSession({ running = 1 } = {}) {
  const spawned = new Queue<Process>();
  const pool = new LocalPool(
    () => {
      const process = new Process();
      spawned.push(process);
      return process;
    },
    { ready: 1, running, waiting: 9 },
    { engine: ENGINE.profile, setup: SETUP },
  );
  const opening = pool.open();
  const process = await spawned.next();
  process.messages.push({ type: "ready" });
  const { session, refused } = await opening;
  assert(session, JSON.stringify(refused));
  return { pool, session, process, spawned };
}

class Process {
  readonly messages = new Queue<SandboxMessage>();
  readonly sent = new Queue<ToSandbox>();

  send = (message: ToSandbox): Promise<void> => {
    if (message.type !== "setup") this.sent.push(message);
    return Promise.resolve();
  };

  isKilled = false;

  kill = () => {
    this.isKilled = true;
    this.messages.push({ type: "ended", reason: "SIGKILL" });
  };

  /** Starts the run that comes next. */
  async start() {
    const message = await this.sent.next();
    assert(message.type === "run");
    this.messages.push({ type: "started", run: message.id });
    return message;
  }

  end(run: number, value: string, more: { isKept?: boolean } = {}) {
    this.messages.push({
      ...{ type: "done", run, printed: 0, ...more },
      ending: { status: "success", value },
    });
  }

  /** Ends the run that comes next. */
  async serve(value: string, more: { isKept?: boolean } = { isKept: true }) {
    const message = await this.start();
    this.end(message.id, value, more);
    return message;
  }
}

Deno.test("a session runs all of its code in one sandbox, in order", async () => {
  const { session, process } = await openSession();
  const runs = ["1", "2", "3"].map((code) => session.run({ ...REQUEST, code }));
  for (const id of [1, 2, 3]) {
    const { request, isKept } = await process.serve(`${id}`);
    assertEquals([request.code, isKept], [`${id}`, true]);
  }
  for (const [at, run] of runs.entries()) {
    assertEquals(await run, {
      ...{ status: "success", returnValue: at + 1, output: [] },
    });
  }
});

Deno.test("a session that is closed cancels its runs, and ends its process", async () => {
  const { pool, session, process, spawned } = await openSession();
  const runs = [session.run(REQUEST), session.run(REQUEST)];
  assertEquals((await process.sent.next()).type, "run");
  process.messages.push({ type: "started", run: 1 });
  const other = pool.run({ ...REQUEST, code: "other" });
  const closed = [session.close(), session.close()];
  assertEquals(await process.sent.next(), { type: "cancel" });
  process.messages.push({
    ...{ type: "done", run: 1, printed: 0, isKept: true },
    ending: { status: "cancelled", error: "" },
  });
  await Promise.all(closed);
  for (const run of runs) assertEquals((await run).status, "cancelled");
  assert(process.isKilled);
  const next = await spawned.next();
  next.messages.push({ type: "ready" });
  const { request, isKept } = await next.serve('"fresh"', {});
  assertEquals([request.code, isKept], ["other", false]);
  assertEquals((await other).status, "success");
  assertEquals((await session.run(REQUEST)).status, "cancelled");
});

Deno.test("runs that wait for a session whose process ends are told of that, also if it is closed meanwhile", async () => {
  const { session, process } = await openSession();
  const runs = Array.from({ length: 3 }, () => session.run(REQUEST));
  await process.start();
  process.kill();
  const [first] = runs;
  assertEquals((await first)?.status, "crashed");
  await session.close();
  const others = await Promise.all(runs.slice(1));
  assertEquals(others.map(({ status }) => status), [
    ...["session-lost", "session-lost"],
  ]);
});

Deno.test("a session whose look does not end is not saved when others wait, and can be ended", async () => {
  const { session, process } = await openSession();
  const look = session.run({ ...REQUEST, look: "variables" });
  await process.start();
  const never = () => Promise.reject(new Error("a piece"));
  const saving = session.save(never, true);
  assert(await isOverWithin(saving, HANGING_MS));
  assertEquals(await saving, {
    ...{ reasons: ["it did not rest within 2 s"], cause: "busy" },
  });
  // Others have waited for it already.
  assert(await isOverWithin(session.close(), 1000));
  assert(process.isKilled);
  assert(await isOverWithin(look, HANGING_MS));
});

Deno.test("a run that waits for the run before it needs a place to wait, and is not refused once it has a place", async () => {
  const { pool, session, process, spawned } = await openSession();
  const first = session.run(REQUEST);
  const { id } = await process.start();
  const waiting = Array.from({ length: 10 }, () => session.run(REQUEST));
  const [last] = waiting.splice(-1);
  assertEquals((await last)?.status, "busy");
  process.end(id, "1", { isKept: true });
  assertEquals((await first).status, "success");
  for (const run of waiting) {
    await process.serve("2");
    assertEquals((await run).status, "success");
  }
  const other = pool.run(REQUEST);
  const next = await spawned.next();
  next.messages.push({ type: "ready" });
  await next.serve("3", {});
  assertEquals((await other).status, "success");
  await session.close();
});

Deno.test("a run that waits for the run before it leaves when it is aborted, and those after it keep their order", async () => {
  const { pool, session, process } = await openSession({ running: 2 });
  const first = session.run({ ...REQUEST, code: "first" });
  const { id } = await process.start();
  const leaving = new AbortController();
  const second = session.run(REQUEST, { signal: leaving.signal });
  const third = session.run({ ...REQUEST, code: "third" });
  assertEquals(pool.status.waiting, 2);
  leaving.abort();
  // The run before it goes on.
  assertEquals((await second).status, "cancelled");
  await new Promise((resolve) => setTimeout(resolve));
  assertEquals(pool.status.waiting, 1);
  process.end(id, "1", { isKept: true });
  assertEquals((await first).status, "success");
  assertEquals((await process.serve("3")).request.code, "third");
  assertEquals((await third).status, "success");
  assertEquals(pool.status.waiting, 0);
});

Deno.test("a session that does not run leaves its slot to others", async () => {
  const { pool, session, process, spawned } = await openSession();
  const other = pool.run({ ...REQUEST, code: "other" });
  const next = await spawned.next();
  next.messages.push({ type: "ready" });
  const { id } = await next.start();
  const ended: string[] = [];
  const taken = process.start().then(() => assertEquals(ended, ["other"]));
  // The only slot is taken now.
  other.then(() => ended.push("other"));
  const run = session.run(REQUEST);
  run.then(() => ended.push("run"));
  const third = pool.run({ ...REQUEST, code: "third" });
  next.end(id, "1");
  assertEquals((await other).status, "success");
  await taken;
  process.end(1, "2", { isKept: true });
  assertEquals((await run).status, "success");
  assertEquals(ended, ["other", "run"]);
  assertEquals((await next.sent.next()).type, "next");
  next.messages.push({ type: "ready" });
  await next.serve("3");
  assertEquals((await third).status, "success");
});

const LOST = /session-lost.*interpreter of this session has ended.*new session/;

Deno.test("a session says that its state is lost", async () => {
  const { pool, session, process, spawned } = await openSession();
  const first = session.run(REQUEST);
  // It came to an end that the interpreter has not survived.
  await process.serve("1", {});
  assertEquals((await first).status, "success");
  assertMatch(JSON.stringify(await session.run(REQUEST)), LOST);
  process.kill();
  const other = pool.run(REQUEST);
  const next = await spawned.next();
  next.messages.push({ type: "ready" });
  await next.serve("2");
  assertEquals((await other).status, "success");
  assertMatch(JSON.stringify(await session.run(REQUEST)), LOST);
  await session.close();
});

Deno.test("a session whose process ends in a run says so, and then that its state is lost", async () => {
  const { session, process } = await openSession();
  const run = session.run(REQUEST);
  await process.sent.next();
  process.messages.push({ type: "started", run: 1 });
  process.kill();
  assertMatch(JSON.stringify(await run), /crashed.*SIGKILL/);
  assertMatch(JSON.stringify(await session.run(REQUEST)), LOST);
});

Deno.test("a session takes no message between its runs, and none of an earlier run", async () => {
  const output = { type: "output", stream: "stdout", text: "late" } as const;
  const ending = { status: "success", value: '"late"' } as const;
  const late: SandboxMessage[] = [
    output,
    { type: "started", run: 1 },
    { type: "done", run: 1, printed: 0, ending },
    { type: "ask", id: 1, name: "x", arguments: "1" },
    { type: "ready" },
  ];
  for (const message of late) {
    const { session, process } = await openSession();
    const first = session.run(REQUEST);
    await process.serve("1");
    await first;
    process.messages.push(message);
    const heard: string[] = [];
    const second = await session.run(REQUEST, {
      onOutput: (_, text) => heard.push(text),
    });
    assertEquals([second.status, heard], ["session-lost", []]);
  }
  const { session, process } = await openSession();
  const first = session.run(REQUEST);
  await process.serve("1");
  await first;
  const second = session.run(REQUEST);
  await process.sent.next();
  process.messages.push({ type: "started", run: 2 });
  process.messages.push({ type: "done", run: 1, printed: 0, ending });
  assertMatch(JSON.stringify(await second), /crashed.*\\"done\\" out of turn/);
});

Deno.test("a session is refused like a run if none can be had", async () => {
  const { pool, session } = await openSession();
  const gone = new AbortController();
  const waiting = pool.open({ signal: gone.signal });
  gone.abort();
  const { refused } = await waiting;
  assertEquals(refused?.status, "cancelled");
  await session.close();
});
