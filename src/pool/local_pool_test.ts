import { assert, assertEquals, assertMatch } from "../../deps/assert.ts";
import type { RunRequest, ToSandbox } from "../protocol/messages.ts";
import { Queue } from "../protocol/queue.ts";
import { LocalPool } from "./local_pool.ts";
import type { PoolSizes } from "./pool.ts";
import type { SandboxMessage, SandboxProcess } from "./sandbox.ts";

const REQUEST: RunRequest = {
  code: "1",
  globals: "{}",
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
  killed = new Queue<number>();

  spawn = (): SandboxProcess => {
    const messages = new Queue<SandboxMessage>();
    const sent = new Queue<ToSandbox>();
    const say = (message: SandboxMessage) => messages.push(message);
    this.started.push({ sent, say });
    const number = this.started.length - 1;
    this.spawned.push(number);
    return {
      messages,
      send: (message) => sent.push(message),
      kill: () => {
        this.killed.push(number);
        say({ type: "ended", how: "SIGKILL" });
      },
    };
  };

  /** The next process, once it is started. */
  async next() {
    const process = this.started[await this.spawned.next()];
    assert(process);
    return process;
  }
}

function sizes(running: number): PoolSizes {
  return { ready: 1, running, waiting: 100 };
}

function done(value: string): SandboxMessage {
  return { type: "done", printed: 0, ending: { status: "success", value } };
}

type Process = Awaited<ReturnType<Fleet["next"]>>;

/** Has a process take its run, and end it well. */
async function serve(process: Process, value = "1"): Promise<void> {
  process.say({ type: "ready" });
  await process.sent.next();
  process.say(done(value));
}

Deno.test("LocalPool takes a process again once it is ready again", async () => {
  const fleet = new Fleet();
  const pool = new LocalPool(fleet.spawn, sizes(1));
  const process = await fleet.next();
  for (let round = 0; round < 3; round++) {
    const run = pool.run(REQUEST);
    await serve(process);
    assertEquals((await run).status, "success");
    assertEquals(await process.sent.next(), { type: "next" });
  }
  assertEquals(fleet.started.length, 1);
});

Deno.test("LocalPool replaces a process that ends after its run", async () => {
  const fleet = new Fleet();
  const pool = new LocalPool(fleet.spawn, sizes(1));
  for (let round = 0; round < 4; round++) {
    const run = pool.run(REQUEST);
    const process = await fleet.next();
    await serve(process);
    assertEquals((await run).status, "success");
    assertEquals(await process.sent.next(), { type: "next" });
    process.say({ type: "ended", how: "code 0" });
  }
});

Deno.test("LocalPool starts no more than its size", async () => {
  const fleet = new Fleet();
  const pool = new LocalPool(fleet.spawn, sizes(2));
  const runs = [1, 2, 3].map(() => pool.run(REQUEST));
  const processes = [await fleet.next(), await fleet.next()];
  assertEquals(fleet.started.length, 2);
  for (const process of processes) await serve(process);
  const [first] = processes;
  assert(first);
  await first.sent.next();
  await serve(first);
  for (const run of runs) assertEquals((await run).status, "success");
});

Deno.test("LocalPool replaces a process that does not get ready, at first or again", async () => {
  const fleet = new Fleet();
  const pool = new LocalPool(fleet.spawn, sizes(1), { readyWithinMs: 300 });
  // A pool alone keeps no process running.
  const running = setTimeout(() => {}, 60_000);
  const run = pool.run(REQUEST);
  await fleet.next();
  await serve(await fleet.next());
  assertEquals((await run).status, "success");
  const next = pool.run(REQUEST);
  await serve(await fleet.next());
  assertEquals((await next).status, "success");
  assertEquals(await fleet.killed.next(), 0);
  assertEquals(await fleet.killed.next(), 1);
  clearTimeout(running);
});

Deno.test("LocalPool gives a process that says it is ready in its run no other", async () => {
  const fleet = new Fleet();
  const pool = new LocalPool(fleet.spawn, sizes(2));
  const own = pool.run(REQUEST);
  const liar = await fleet.next();
  liar.say({ type: "ready" });
  await liar.sent.next();
  liar.say({ type: "ready" });
  assertEquals((await own).status, "crashed");
  const other = pool.run(REQUEST);
  await serve(await fleet.next());
  assertEquals((await other).status, "success");
});

Deno.test("LocalPool tells waiting calls when nothing can start", async () => {
  const fleet = new Fleet();
  const pool = new LocalPool(fleet.spawn, sizes(2));
  const run = pool.run(REQUEST);
  for (let start = 0; start < 3; start++) {
    (await fleet.next()).say({ type: "failed", reason: "no snapshot" });
  }
  const result = await run;
  assertEquals(result.status, "crashed");
  assertMatch(JSON.stringify(result), /no snapshot.*doctor/);
  assertEquals(fleet.started.length, 3);

  // The next call tries once more, and may have more luck.
  const next = pool.run(REQUEST);
  (await fleet.next()).say({ type: "failed", reason: "still none" });
  assertMatch(JSON.stringify(await next), /still none/);
  assertEquals(fleet.started.length, 4);
  const lucky = pool.run(REQUEST);
  await serve(await fleet.next());
  assertEquals((await lucky).status, "success");
});

Deno.test("LocalPool does not take ended runs for failed starts", async () => {
  const fleet = new Fleet();
  const pool = new LocalPool(fleet.spawn, { ready: 4, running: 4, waiting: 9 });
  const runs = [1, 2, 3, 4].map(() => pool.run(REQUEST));
  const late = pool.run(REQUEST);
  for (const _ of runs) {
    const process = await fleet.next();
    process.say({ type: "ready" });
    await process.sent.next();
    process.say({ type: "ended", how: "SIGKILL" });
  }
  for (const run of runs) assertEquals((await run).status, "crashed");
  await serve(await fleet.next());
  assertEquals((await late).status, "success");
});

Deno.test("LocalPool refuses calls at once when enough wait already", async () => {
  const fleet = new Fleet();
  const pool = new LocalPool(fleet.spawn, { ready: 1, running: 1, waiting: 2 });
  const waiting = [pool.run(REQUEST), pool.run(REQUEST)];
  const refused = await pool.run(REQUEST);
  assertEquals(refused.status, "denied");
  assertMatch(
    JSON.stringify(refused),
    /1 calls run and 2 wait already. Try again in about 3 s/,
  );
  const process = await fleet.next();
  for (const run of waiting) {
    await serve(process);
    assertEquals((await run).status, "success");
    await process.sent.next();
  }
});

Deno.test("LocalPool gives each client its turn", async () => {
  const fleet = new Fleet();
  const pool = new LocalPool(fleet.spawn, sizes(1));
  const order: string[] = [];
  const runs = ["a", "a", "a", "b"].map(async (client) => {
    await pool.run(REQUEST, { client });
    order.push(client);
  });
  const process = await fleet.next();
  for (const _ of runs) {
    await serve(process);
    await process.sent.next();
  }
  await Promise.all(runs);
  assertEquals(order, ["a", "b", "a", "a"]);
});

Deno.test("LocalPool keeps more ready while calls come, and one without", async () => {
  const fleet = new Fleet();
  const sizes = { ready: 3, running: 3, waiting: 9 };
  const pool = new LocalPool(fleet.spawn, sizes, { idleMs: 5 });
  // The pool's own timer keeps no process alive.
  const alive = setInterval(() => {}, 1000);
  const run = pool.run(REQUEST);
  const first = await fleet.next();
  first.say({ type: "ready" });
  await first.sent.next();
  // While it runs, nothing else is started.
  assertEquals(fleet.started.length, 1);
  first.say(done("1"));
  await run;
  const others = [await fleet.next(), await fleet.next()];
  for (const process of [first, ...others]) process.say({ type: "ready" });
  await fleet.killed.next();
  await fleet.killed.next();
  clearInterval(alive);
  assertEquals(fleet.started.length, 3);
});

Deno.test("LocalPool answers a call whose process dies, and serves the next", async () => {
  const fleet = new Fleet();
  const pool = new LocalPool(fleet.spawn, sizes(1));
  for (let round = 0; round < 3; round++) {
    const run = pool.run(REQUEST);
    const process = await fleet.next();
    process.say({ type: "ready" });
    await process.sent.next();
    process.say({ type: "ended", how: "SIGSEGV" });
    assertMatch(JSON.stringify(await run), /crashed.*SIGSEGV/);
  }
  const again = pool.run(REQUEST);
  await serve(await fleet.next());
  assertEquals((await again).status, "success");
});

Deno.test("LocalPool takes nothing from a sandbox before its run", async () => {
  const fleet = new Fleet();
  const pool = new LocalPool(fleet.spawn, sizes(1));
  const liar = await fleet.next();
  liar.say(done('"forged"'));
  assertEquals(await fleet.killed.next(), 0);
  const process = await fleet.next();
  process.say({ type: "output", stream: "stdout", text: "not mine" });
  process.say({ type: "ready" });
  const run = pool.run(REQUEST);
  await process.sent.next();
  process.say({ type: "output", stream: "stdout", text: "mine\n" });
  process.say(done('"true"'));
  process.say(done('"late"'));
  assertEquals(await run, {
    status: "success",
    returnValue: "true",
    output: ["mine"],
  });
});

Deno.test("LocalPool ends a run whose sandbox says too much, or no JSON", async () => {
  for (
    const lie of [
      { type: "output", stream: "stdout", text: "x".repeat(5000) },
      done("}{"),
      done(JSON.stringify("x".repeat(100_000))),
      done("[".repeat(1000) + "]".repeat(1000)),
    ] satisfies SandboxMessage[]
  ) {
    const fleet = new Fleet();
    const run = new LocalPool(fleet.spawn, sizes(1)).run(REQUEST);
    const process = await fleet.next();
    process.say({ type: "ready" });
    await process.sent.next();
    process.say(lie);
    assertEquals((await run).status, "crashed");
  }
});

Deno.test("LocalPool forgets a call that is cancelled while it waits", async () => {
  const fleet = new Fleet();
  const pool = new LocalPool(fleet.spawn, sizes(1));
  const cancel = new AbortController();
  const run = pool.run(REQUEST, { signal: cancel.signal });
  cancel.abort();
  assertEquals((await run).status, "cancelled");
  assertEquals(
    (await pool.run(REQUEST, { signal: cancel.signal })).status,
    "cancelled",
  );
});
