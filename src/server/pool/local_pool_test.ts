import { Share } from "../../shares.ts";
import { ENGINE } from "../../engines/index.ts";
import { REQUEST, SETUP } from "../../../test/support/request.ts";
import type { PoolSizes } from "../../protocol/server_settings.ts";
import { assert, assertEquals, assertMatch } from "../../../deps/assert.ts";
import { hostCall } from "../host_calls/host_call.ts";
import type { ToSandbox } from "../../protocol/sandbox_messages.ts";
import { Queue } from "../../protocol/channel.ts";
import { LocalPool } from "./local_pool.ts";
import { Slots } from "./turns.ts";
import type { SandboxMessage, SandboxProcess } from "./sandbox.ts";

/** Processes that do as their test says; none tells the setup. */
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
      send(message) {
        if (message.type !== "setup") sent.push(message);
        return Promise.resolve();
      },
      kill: () => {
        this.killed.push(number);
        say({ type: "ended", reason: "SIGKILL" });
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

function openPool(
  fleet: Fleet,
  sizes: PoolSizes,
  options: Partial<ConstructorParameters<typeof LocalPool>[2]> = {},
): LocalPool {
  return new LocalPool(fleet.spawn, sizes, {
    ...{ engine: ENGINE.profile, setup: SETUP },
    ...options,
  });
}

function sizes(running: number): PoolSizes {
  return { ready: 1, running, waiting: 100 };
}

function done(value: string, run = 1): SandboxMessage {
  const ending = { status: "success" as const, value };
  return { type: "done", run, printed: 0, ending };
}

type Process = Awaited<ReturnType<Fleet["next"]>>;

/** Has a ready process take the run that it is sent; gives the run's number. */
async function take(process: Process): Promise<number> {
  const message = await process.sent.next();
  assert(message.type === "run");
  process.say({ type: "started", run: message.id });
  return message.id;
}

/** Has a process start its run. */
async function start(process: Process): Promise<void> {
  process.say({ type: "ready" });
  await take(process);
}

/** Has a process take its run, and end it well. */
async function serve(process: Process, value = "1"): Promise<void> {
  process.say({ type: "ready" });
  process.say(done(value, await take(process)));
}

Deno.test("LocalPool takes a process again once it is ready again", async () => {
  const fleet = new Fleet();
  const pool = openPool(fleet, sizes(1));
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
  const pool = openPool(fleet, sizes(1));
  for (let round = 0; round < 4; round++) {
    const run = pool.run(REQUEST);
    const process = await fleet.next();
    await serve(process);
    assertEquals((await run).status, "success");
    assertEquals(await process.sent.next(), { type: "next" });
    process.say({ type: "ended", reason: "code 0" });
  }
});

Deno.test("LocalPool starts no more than its size", async () => {
  const fleet = new Fleet();
  const pool = openPool(fleet, sizes(2));
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

Deno.test("LocalPool tells waiting calls when nothing can start", async () => {
  const fleet = new Fleet();
  const pool = openPool(fleet, sizes(2));
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
  const pool = openPool(fleet, { ready: 4, running: 4, waiting: 9 });
  const runs = [1, 2, 3, 4].map(() => pool.run(REQUEST));
  const late = pool.run(REQUEST);
  for (const _ of runs) {
    const process = await fleet.next();
    await start(process);
    process.say({ type: "ended", reason: "SIGKILL" });
  }
  for (const run of runs) assertEquals((await run).status, "crashed");
  await serve(await fleet.next());
  assertEquals((await late).status, "success");
});

Deno.test("LocalPool refuses calls at once when enough wait already", async () => {
  const fleet = new Fleet();
  const pool = openPool(fleet, { ready: 1, running: 1, waiting: 2 });
  // The first has its turn, though no sandbox is there yet.
  const waiting = [1, 2, 3].map(() => pool.run(REQUEST));
  const refused = await pool.run(REQUEST);
  assertEquals(refused.status, "busy");
  assertMatch(
    JSON.stringify(refused),
    /taken: 1 to run, 2 to wait. Try again in about 3 s/,
  );
  const process = await fleet.next();
  for (const run of waiting) {
    await serve(process);
    assertEquals((await run).status, "success");
    await process.sent.next();
  }
});

Deno.test("LocalPool refuses calls at once when enough wait, though more is ready than may run", async () => {
  const fleet = new Fleet();
  const pool = openPool(fleet, { ready: 2, running: 1, waiting: 1 });
  const before = pool.run(REQUEST);
  const process = await fleet.next();
  await serve(process);
  await before;
  assertEquals(await process.sent.next(), { type: "next" });
  const idle = await fleet.next();
  for (const { say } of [process, idle]) say({ type: "ready" });
  const first = pool.run(REQUEST);
  await take(process);
  const second = pool.run(REQUEST);
  const refused = pool.run(REQUEST).then(({ status }) => status);
  const late = new Promise((resolve) => setTimeout(resolve, 0, "it waits"));
  assertEquals(await Promise.race([refused, late]), "busy");
  process.say(done("1", 2));
  assertEquals((await first).status, "success");
  await take(idle);
  idle.say(done("1"));
  assertEquals((await second).status, "success");
});

Deno.test("LocalPools that share a slot have one run at a time, each pool in its turn", async () => {
  const slots = new Slots(new Share(1));
  const open = async () => {
    const fleet = new Fleet();
    const pool = openPool(fleet, sizes(1), { slots });
    const process = await fleet.next();
    process.say({ type: "ready" });
    return { pool, process };
  };
  const [one, other] = [await open(), await open()];
  const order: string[] = [];
  const run = async (name: string, pool: LocalPool) => {
    assertEquals((await pool.run(REQUEST)).status, "success");
    order.push(name);
  };
  const runs = [
    ...[run("one", one.pool), run("one", one.pool)],
    ...[run("other", other.pool), run("other", other.pool)],
  ];
  for (const { process } of [one, other, one, other]) {
    const id = await take(process);
    const { sent } = process === one.process ? other.process : one.process;
    await new Promise((resolve) => setTimeout(resolve));
    // What it was sent would come before this.
    sent.push({ type: "cancel" });
    assertEquals(await sent.next(), { type: "cancel" });
    process.say(done("1", id));
    assertEquals(await process.sent.next(), { type: "next" });
    process.say({ type: "ready" });
  }
  await Promise.all(runs);
  assertEquals(order, ["one", "other", "one", "other"]);
});

Deno.test("LocalPool gives each client its turn", async () => {
  const fleet = new Fleet();
  const pool = openPool(fleet, sizes(1));
  const order: string[] = [];
  const runs = ["a", "a", "a", "b"].map(async (client) => {
    await pool.run(REQUEST, { client: [client] });
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

Deno.test("LocalPool leaves half of the slots to a client that has asked", async () => {
  const fleet = new Fleet();
  const pool = openPool(fleet, sizes(2));
  const process = await fleet.next();
  process.say({ type: "ready" });
  const { session } = await pool.open({ client: ["a"] });
  assert(session);
  const run = (client: string) => pool.run(REQUEST, { client: [client] });
  const first = run("b");
  const other = await fleet.next();
  await serve(other);
  await first;
  const runs = [session.run(REQUEST, { client: ["a"] }), run("a")];
  await take(process);
  assertEquals((await other.sent.next()).type, "next");
  other.say({ type: "ready" });
  const settled = () => pool.status.ready + pool.status.busy === 2;
  while (!settled()) await new Promise((go) => setTimeout(go));
  const { busy, waiting } = pool.status;
  assertEquals([busy, waiting], [1, 1]);
  // The runs that are under way end with their processes.
  for (const one of [process, other]) {
    one.say({ type: "ended", reason: "SIGKILL" });
  }
  void Promise.allSettled(runs);
  pool.close();
});

Deno.test("LocalPool keeps more ready while calls come, and one without", async () => {
  const fleet = new Fleet();
  const sizes = { ready: 3, running: 3, waiting: 9 };
  const pool = openPool(fleet, sizes, { idleMs: 5 });
  // The pool's own timer keeps no process alive.
  const alive = setInterval(() => {}, 1000);
  const run = pool.run(REQUEST);
  const first = await fleet.next();
  first.say({ type: "ready" });
  await take(first);
  // While it runs, nothing else is started.
  assertEquals(fleet.started.length, 1);
  first.say(done("1"));
  await run;
  assertEquals(await first.sent.next(), { type: "next" });
  const others = [await fleet.next(), await fleet.next()];
  for (const process of [first, ...others]) process.say({ type: "ready" });
  await fleet.killed.next();
  await fleet.killed.next();
  clearInterval(alive);
  assertEquals(fleet.started.length, 3);
});

Deno.test("LocalPool that is told to keep none ready starts a process for a call, and ends it after", async () => {
  const fleet = new Fleet();
  const pool = openPool(fleet, sizes(1), { idleMs: 5, idle: 0 });
  const alive = setInterval(() => {}, 1000);
  for (let round = 0; round < 2; round++) {
    assertEquals(fleet.started.length, round);
    const run = pool.run(REQUEST);
    const process = await fleet.next();
    await serve(process);
    assertEquals((await run).status, "success");
    assertEquals(await process.sent.next(), { type: "next" });
    process.say({ type: "ready" });
    assertEquals(await fleet.killed.next(), round);
  }
  clearInterval(alive);
});

Deno.test("LocalPool answers a call whose process dies, and serves the next", async () => {
  const fleet = new Fleet();
  const pool = openPool(fleet, sizes(1));
  for (let round = 0; round < 3; round++) {
    const run = pool.run(REQUEST);
    const process = await fleet.next();
    await start(process);
    process.say({ type: "ended", reason: "SIGSEGV" });
    assertMatch(JSON.stringify(await run), /crashed.*SIGSEGV/);
  }
  const again = pool.run(REQUEST);
  await serve(await fleet.next());
  assertEquals((await again).status, "success");
});

Deno.test("LocalPool gives a run that never started to another process", async () => {
  const fleet = new Fleet();
  const pool = openPool(fleet, sizes(1));
  const run = pool.run(REQUEST);
  for (const isSent of [false, true]) {
    const process = await fleet.next();
    process.say({ type: "ready" });
    if (isSent) await process.sent.next();
    process.say({ type: "ended", reason: "SIGKILL" });
  }
  await serve(await fleet.next());
  assertEquals((await run).status, "success");
});

Deno.test("LocalPool gives a run to another process whose first one cannot start", async () => {
  const fleet = new Fleet();
  const pool = openPool(fleet, sizes(1));
  const run = pool.run(REQUEST);
  const process = await fleet.next();
  process.say({ type: "ready" });
  process.say({ type: "failed", reason: "no memory" });
  await serve(await fleet.next());
  assertEquals((await run).status, "success");
});

Deno.test("LocalPool refuses no run that it has taken", async () => {
  const fleet = new Fleet();
  const pool = openPool(fleet, { ready: 1, running: 1, waiting: 1 });
  const process = await fleet.next();
  const run = pool.run(REQUEST);
  process.say({ type: "ready" });
  await process.sent.next();
  const late = pool.run(REQUEST);
  process.say({ type: "ended", reason: "SIGKILL" });
  const next = await fleet.next();
  for (const one of [late, run]) {
    await serve(next);
    assertEquals((await one).status, "success");
    await next.sent.next();
  }
});

Deno.test("LocalPool gives a run that never started to three processes, and no more", async () => {
  const fleet = new Fleet();
  const pool = openPool(fleet, sizes(1));
  const run = pool.run(REQUEST);
  for (let round = 0; round < 3; round++) {
    const process = await fleet.next();
    process.say({ type: "ready" });
    process.say({ type: "ended", reason: "SIGKILL" });
  }
  assertMatch(JSON.stringify(await run), /crashed.*3 interpreters in a row/);
});

Deno.test("LocalPool gives a run that has started to no other process", async () => {
  const fleet = new Fleet();
  const pool = openPool(fleet, sizes(1));
  const run = pool.run(REQUEST);
  const process = await fleet.next();
  await start(process);
  process.say({ type: "ended", reason: "SIGKILL" });
  assertMatch(JSON.stringify(await run), /crashed.*SIGKILL/);
});

Deno.test("LocalPool takes nothing of a run that has not started, and ends its sandbox", async () => {
  for (const word of [OUTPUT, done('"early"')]) {
    const fleet = new Fleet();
    const run = openPool(fleet, sizes(1)).run(REQUEST);
    const process = await fleet.next();
    process.say({ type: "ready" });
    await process.sent.next();
    process.say(word);
    assertMatch(JSON.stringify(await run), /crashed.*out of turn/);
    assertEquals(await fleet.killed.next(), 0);
  }
});

const OUTPUT = { type: "output", stream: "stdout", text: "not mine" } as const;

Deno.test("LocalPool ends a sandbox that says a thing out of its turn, and takes none of it", async () => {
  const turns = {
    preparing: [],
    ready: [{ type: "ready" }],
    again: [{ type: "ready" }, "run", done('"true"'), "next"],
  } satisfies Record<string, (SandboxMessage | "run" | "next")[]>;
  const lies = [OUTPUT, done('"forged"')];
  for (const steps of Object.values(turns)) {
    for (const lie of lies) {
      const fleet = new Fleet();
      const pool = openPool(fleet, sizes(1));
      const process = await fleet.next();
      for (const step of steps) {
        if (step === "run") {
          pool.run(REQUEST);
          await take(process);
        } else if (step === "next") await process.sent.next();
        else process.say(step);
      }
      process.say(lie);
      assertEquals(await fleet.killed.next(), 0);
      const run = pool.run(REQUEST);
      await serve(await fleet.next(), '"true"');
      assertEquals(await run, {
        status: "success",
        returnValue: "true",
        output: [],
      });
    }
  }
});

Deno.test("LocalPool gives no call to a sandbox that says it is ready while another call runs in it", async () => {
  const fleet = new Fleet();
  const pool = openPool(fleet, sizes(2));
  const mine = pool.run(REQUEST);
  const process = await fleet.next();
  await start(process);
  const other = pool.run(REQUEST);
  process.say({ type: "ready" });
  process.say(done('"mine"'));
  assertMatch(
    JSON.stringify(await mine),
    /crashed.*it said \\"ready\\" out of turn/,
  );
  await serve(await fleet.next(), '"other"');
  assertMatch(JSON.stringify(await other), /success.*other/);
});

Deno.test("LocalPool keeps an answer whose sandbox says it twice, and ends that sandbox", async () => {
  const fleet = new Fleet();
  const pool = openPool(fleet, sizes(1));
  const first = pool.run(REQUEST);
  const second = pool.run(REQUEST);
  const process = await fleet.next();
  await start(process);
  process.say(done('"first"'));
  process.say(done('"again"'));
  assertMatch(JSON.stringify(await first), /success.*first/);
  await serve(await fleet.next(), '"second"');
  assertMatch(JSON.stringify(await second), /success.*second/);
});

Deno.test("LocalPool takes no run's answer for another's", async () => {
  const fleet = new Fleet();
  const pool = openPool(fleet, sizes(1));
  const process = await fleet.next();
  await Promise.all([pool.run(REQUEST), serve(process, '"first"')]);
  await process.sent.next();
  const second = pool.run(REQUEST);
  await start(process);
  process.say(done('"first"', 1));
  assertMatch(JSON.stringify(await second), /crashed.*out of turn/);
});

Deno.test("LocalPool takes no run's start for another's", async () => {
  const fleet = new Fleet();
  const pool = openPool(fleet, sizes(1));
  const process = await fleet.next();
  process.say({ type: "ready" });
  const run = pool.run(REQUEST);
  await process.sent.next();
  process.say({ type: "started", run: 2 });
  assertMatch(JSON.stringify(await run), /crashed.*out of turn/);
});

Deno.test("LocalPool ends a run whose process has stopped, at its deadline or when it is cancelled", async () => {
  for (const isCancelled of [true, false]) {
    const fleet = new Fleet();
    const pool = openPool(fleet, sizes(1));
    const cancel = new AbortController();
    const timeoutMs = isCancelled ? REQUEST.timeoutMs : 1;
    const run = pool.run({ ...REQUEST, timeoutMs }, { signal: cancel.signal });
    await start(await fleet.next());
    if (isCancelled) cancel.abort();
    assertEquals(await fleet.killed.next(), 0);
    const { status } = await run;
    assertEquals(status, isCancelled ? "cancelled" : "timeout");
  }
});

Deno.test("LocalPool ends a sandbox that does not get ready in time, and says so if none does", async () => {
  const fleet = new Fleet();
  // The pool's own timers keep no process alive.
  const alive = setInterval(() => {}, 1000);
  const pool = openPool(fleet, sizes(1), { startMs: 5 });
  const result = await pool.run(REQUEST);
  assertMatch(
    JSON.stringify(result),
    /crashed.*Python cannot start: it was not ready after 0.005 s, as on a machine/,
  );
  for (const number of [0, 1, 2]) {
    assertEquals(await fleet.killed.next(), number);
  }

  const run = pool.run(REQUEST);
  for (let start = 0; start < 3; start++) await fleet.next();
  const process = await fleet.next();
  await serve(process);
  assertEquals((await run).status, "success");
  // It counts when the next one is prepared, too.
  assertEquals(await process.sent.next(), { type: "next" });
  assertEquals(await fleet.killed.next(), 3);
  clearInterval(alive);
});

Deno.test("LocalPool stops to replace sandboxes that end before they get a run", async () => {
  const fleet = new Fleet();
  const pool = openPool(fleet, sizes(1));
  for (let start = 0; start < 3; start++) {
    const process = await fleet.next();
    process.say({ type: "ready" });
    process.say({ type: "ended", reason: "SIGKILL" });
  }
  assertEquals((await settled()).length, 3);
  const run = pool.run(REQUEST);
  await serve(await fleet.next());
  assertEquals((await run).status, "success");

  /** Those started, once all that was said has been heard. */
  async function settled() {
    await new Promise((resolve) => setTimeout(resolve));
    await new Promise((resolve) => setTimeout(resolve));
    return fleet.started;
  }
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
    const run = openPool(fleet, sizes(1)).run(REQUEST);
    const process = await fleet.next();
    await start(process);
    process.say(lie);
    assertEquals((await run).status, "crashed");
  }
});

Deno.test("LocalPool answers what its sandboxes ask, each run its own", async () => {
  const fleet = new Fleet();
  const asks = [hostCall({ name: "echo", parse: String, answer: (it) => it })];
  const pool = openPool(fleet, sizes(1), {
    hostCalls: { asks, notifications: [] },
  });
  const process = await fleet.next();
  const ask = (id: number): SandboxMessage => (
    { type: "ask", id, name: "echo", arguments: `"${id}"` }
  );
  for (const id of [1, 2]) {
    process.say({ type: "ready" });
    const run = pool.run(REQUEST);
    await take(process);
    process.say(ask(id));
    assertEquals(await process.sent.next(), {
      type: "answer",
      id,
      answer: `{"value":"${id}"}`,
    });
    process.say(done("1", id));
    assertEquals((await run).status, "success");
    assertEquals(await process.sent.next(), { type: "next" });
  }
});

Deno.test("LocalPool ends a run whose sandbox calls more than it may", async () => {
  const ask = { type: "ask", id: 1, name: "x", arguments: "1" } as const;
  const lies: SandboxMessage[][] = [
    Array.from({ length: 11 }, (_, id) => ({ ...ask, id })),
    [{ ...ask, arguments: " ".repeat(1000) }],
    [{ type: "notify", name: "x".repeat(2000), arguments: "" }],
  ];
  for (const lie of lies) {
    const fleet = new Fleet();
    const run = openPool(fleet, sizes(1)).run(REQUEST);
    const process = await fleet.next();
    await start(process);
    lie.forEach(process.say);
    assertMatch(
      JSON.stringify(await run),
      /crashed.*called its host more than it may/,
    );
  }
});

Deno.test("LocalPool forgets a call that is cancelled while it waits", async () => {
  const fleet = new Fleet();
  const pool = openPool(fleet, sizes(1));
  const cancel = new AbortController();
  const run = pool.run(REQUEST, { signal: cancel.signal });
  cancel.abort();
  assertEquals((await run).status, "cancelled");
  assertEquals(
    (await pool.run(REQUEST, { signal: cancel.signal })).status,
    "cancelled",
  );
});

Deno.test("LocalPool leaves no listener on the signal of a call that has ended", async () => {
  const fleet = new Fleet();
  const pool = openPool(fleet, sizes(1));
  const { signal } = new AbortController();
  const listeners = new Set<unknown>();
  Object.assign(signal, {
    addEventListener: (_: string, listener: unknown) => listeners.add(listener),
    removeEventListener: (_: string, listener: unknown) =>
      listeners.delete(listener),
  });
  const run = pool.run(REQUEST, { signal });
  const process = await fleet.next();
  await start(process);
  assertEquals(listeners.size, 1);
  process.say(done("1"));
  assertEquals((await run).status, "success");
  assertEquals(listeners.size, 0);
});

Deno.test("LocalPool keeps a ready process for others while a caller's own is replaced", async () => {
  const fleet = new Fleet();
  const pool = openPool(fleet, { ready: 2, running: 2, waiting: 9 });
  const run = (caller: string) =>
    pool.run({ ...REQUEST, code: caller }, { client: [caller] });
  const early = run("b");
  const first = await fleet.next();
  await serve(first);
  await early;
  assertEquals((await first.sent.next()).type, "next");
  first.say({ type: "ready" });
  const second = await fleet.next();
  second.say({ type: "ready" });
  while (pool.status.ready < 2) {
    await new Promise((go) => setTimeout(go));
  }
  const runs = [run("a")];
  first.say(done("1", await take(first)));
  await runs[0];
  assertEquals((await first.sent.next()).type, "next");
  runs.push(run("a"), run("b"));
  const message = await second.sent.next();
  assert(message.type === "run");
  assertEquals(message.request.code, "b");
  second.say({ type: "started", run: message.id });
  second.say(done("1", message.id));
  await serve(first);
  const statuses = (await Promise.all(runs)).map(({ status }) => status);
  assertEquals(statuses, ["success", "success", "success"]);
});

Deno.test("LocalPool gets one more ready while calls run, if several callers ask", async () => {
  for (const [callers, most] of [["ab", 3], ["aa", 2]] as const) {
    const fleet = new Fleet();
    const pool = openPool(fleet, { ready: 3, running: 3, waiting: 9 });
    const runs = [...callers].map((caller) =>
      pool.run(REQUEST, { client: [caller] })
    );
    const processes = [await fleet.next(), await fleet.next()];
    for (const process of processes) await start(process);
    assertEquals(fleet.started.length, most);
    for (const process of processes) process.say(done("1"));
    await Promise.all(runs);
  }
});

/** A process that rewinds if it is asked to; each run gives the interpreter's name. */
class Rewinding {
  /** Realms that have run in an interpreter, by its name. */
  realms = new Map<string, Set<string>>();
  processes = 0;
  /** Interpreters that cannot be rewound. */
  isDirty = false;
  killed: string[] = [];
  kept = 0;

  spawn = (): SandboxProcess => {
    const process = ++this.processes;
    const messages = new Queue<SandboxMessage>();
    const say = (message: SandboxMessage) => messages.push(message);
    let made = 1;
    const name = () => `${process}.${made}`;
    return {
      messages,
      send: (message) => {
        if (message.type === "setup") say({ type: "ready" });
        if (message.type === "keep") this.kept++;
        if (message.type === "run") {
          const realms = this.realms.get(name()) ?? new Set();
          this.realms.set(name(), realms.add(message.request.code));
          say({ type: "started", run: message.id });
          const end = done(JSON.stringify(name()), message.id);
          setTimeout(say, 0, { ...end, ...message.isKept && { isKept: true } });
        }
        if (message.type === "next" && message.rewind && !this.isDirty) {
          say({ type: "ready", isRewound: true });
        } else if (message.type === "next") {
          made++;
          const anew = { cause: "pending", detail: "a timer" } as const;
          say({ type: "ready", ...message.rewind ? { anew } : {} });
        }
        return Promise.resolve();
      },
      kill: () => {
        this.killed.push(name());
        say({ type: "ended", reason: "SIGKILL" });
      },
    };
  };
}

type RewindingOptions = Partial<ConstructorParameters<typeof LocalPool>[2]>;

function openRewinding(sizes: PoolSizes, options: RewindingOptions = {}) {
  const fleet = new Rewinding();
  const made: string[] = [];
  const pool = new LocalPool(fleet.spawn, sizes, {
    ...{ engine: ENGINE.profile, setup: SETUP, rewinds: true },
    onMade: (how) => made.push(how),
    ...options,
  });
  /** Runs in a realm; gives the interpreter's name. */
  const run = async (realm?: string, caller = realm ?? "nobody") => {
    const request = { ...REQUEST, code: realm ?? crypto.randomUUID() };
    const ran = await pool.run(request, { realm, client: [caller] });
    assert(ran.status === "success", JSON.stringify(ran));
    await atRest(pool);
    return `${ran.returnValue}`;
  };
  return { fleet, pool, made, run };
}

/** Resolves once nothing is prepared. */
async function atRest(pool: LocalPool): Promise<void> {
  do await new Promise((go) => setTimeout(go)); while (
    pool.status.preparing > 0
  );
}

Deno.test("LocalPool gives an interpreter back to its caller, who needs no other", async () => {
  const { fleet, pool, run, made } = openRewinding({
    ...{ ready: 2, running: 2, waiting: 9 },
  });
  const names = [await run("a"), await run("a"), await run("a")];
  assertEquals(names, ["1.1", "1.1", "1.1"]);
  assertEquals([fleet.processes, pool.status.ready], [1, 1]);
  assertEquals(made, ["rewound", "rewound", "rewound"]);
  // Those that have to be made anew take long, and others are ready meanwhile.
  fleet.isDirty = true;
  assertEquals([await run("a"), pool.status.ready], ["1.1", 2]);
  assertEquals(made.at(-1), "pending");
  pool.close();
});

Deno.test("LocalPool never gives a realm the interpreter of another, whatever comes", async () => {
  const names = [..."abc", undefined];
  for (const spare of [0, 1] as const) {
    for (let seed = 1; seed <= 3; seed++) {
      const { fleet, pool, run } = openRewinding({
        ...{ ready: 2, running: 2, waiting: 999 },
      }, { spare });
      let random = seed;
      const next = (below: number) =>
        (random = random * 48271 % 0x7fffffff) % below;
      for (let round = 0; round < 30; round++) {
        fleet.isDirty = next(5) === 0;
        // Callers without a name share one turn, and no interpreter.
        const caller = spare === 0 ? "local" : undefined;
        const realms = Array.from({ length: 1 + next(4) }, () => next(4));
        await Promise.all(realms.map((at) => run(names[at], caller)));
      }
      const shared = [...fleet.realms.values()].filter(({ size }) => size > 1);
      assertEquals(shared, []);
      assert(fleet.realms.size < 150);
      pool.close();
    }
  }
});

Deno.test("LocalPool asks for a fresh interpreter after a run that nobody trusts, and always if it is told so", async () => {
  for (const rewinds of [true, false]) {
    const { fleet, pool, run, made } = openRewinding(sizes(1), { rewinds });
    const realm = rewinds ? undefined : "a";
    const ran = [await run(realm), await run(realm), await run(realm)];
    assertEquals([ran, made, fleet.kept], [["1.1", "1.2", "1.3"], [], 0]);
    pool.close();
  }
});

Deno.test("LocalPool makes the oldest interpreter of others anew for a caller that has none", async () => {
  const { fleet, pool, run, made } = openRewinding({
    ...{ ready: 2, running: 2, waiting: 9 },
  });
  const first = [await run("a"), await run("b")];
  assertEquals(first.sort(), ["1.1", "2.1"]);
  const again = await run("b");
  assertEquals(await run("c"), "1.2");
  assertEquals(await run("b"), again);
  assertEquals(made.filter((how) => how === "caller").length, 1);
  assertEquals(fleet.processes, 2);
  pool.close();
});

Deno.test("LocalPool keeps a fresh interpreter ready for others where others may call", async () => {
  const { fleet, pool, run } = openRewinding(
    { ready: 2, running: 2, waiting: 9 },
    { spare: 1, idleMs: 30 },
  );
  for (const realm of "ab") {
    const before = fleet.processes;
    await run(realm);
    // It was ready before.
    assertEquals(fleet.processes, before + 1);
  }
  assertEquals([fleet.processes, pool.status.ready], [3, 3]);
  // Without calls, the one that stays is for all.
  const alive = setInterval(() => {}, 1000);
  while (fleet.killed.length < 2) await atRest(pool);
  assertEquals(fleet.killed.sort(), ["1.1", "2.1"]);
  clearInterval(alive);
  pool.close();
});

Deno.test("LocalPool starts no process for a call whose own interpreter is about to come back", async () => {
  const { fleet, pool, run } = openRewinding({
    ...{ ready: 4, running: 1, waiting: 9 },
  });
  await Promise.all(Array.from({ length: 8 }, () => run("a")));
  assertEquals([fleet.processes, [...fleet.realms.keys()]], [1, ["1.1"]]);
  pool.close();
});

Deno.test("LocalPool makes an interpreter anew for a caller whose turn it is, though its realm has calls that wait", async () => {
  const { fleet, pool, run } = openRewinding(sizes(1));
  const order: string[] = [];
  const realms = [..."aaaaab"].map((realm) =>
    run(realm, "local").then(() => order.push(realm))
  );
  await Promise.all(realms);
  // Within a caller, its connections take turns; here there is one.
  assertEquals(order.join(""), "aaaaab");
  const callers = [..."aaaaabb"].map((realm) =>
    run(realm).then(() => order.push(realm))
  );
  await Promise.all(callers);
  assertEquals(order.slice(6).join(""), "ababaaa");
  assertEquals(fleet.processes, 1);
  pool.close();
});

Deno.test("LocalPool takes the interpreter of a closed session back for its caller, who reaches it by the session no more", async () => {
  const { fleet, pool, run, made } = openRewinding({
    ...{ ready: 2, running: 2, waiting: 9 },
  });
  const { session } = await pool.open({ realm: "a", client: ["a"] });
  assert(session);
  const kept = await session.run({ ...REQUEST, code: "a" });
  assert(kept.status === "success");
  const fresh = await run("b", "a");
  await session.close();
  await atRest(pool);
  assertEquals([fleet.killed, made], [[], ["rewound", "rewound"]]);
  assert(session.isLost);
  const late = [session.run(REQUEST), session.save(() => Promise.reject())];
  const ends = JSON.stringify(await Promise.all(late));
  assertMatch(ends, /cancelled.*interpreter of the session has ended/);
  assertEquals(await run("b", "a"), fresh);
  assertEquals(await run("a"), kept.returnValue);
  pool.close();
});

Deno.test("LocalPool leaves callers their interpreters while another one asks for many", async () => {
  const { fleet, pool, run } = openRewinding(
    { ready: 4, running: 2, waiting: 99 },
    { spare: 1 },
  );
  const own = { a: await run("a"), b: await run("b"), c: await run("c") };
  const greedy = { realm: "greedy", client: ["greedy"] };
  const opened = Array.from({ length: 20 }, () => pool.open(greedy));
  const realms = [..."abccabbcaacb"];
  const ran: (readonly [realm: string, name: string])[] = [];
  for (const realm of realms) ran.push([realm, await run(realm)]);
  const others = ran.filter(([realm, name]) =>
    name !== Object.entries(own).find(([of]) => of === realm)?.[1]
  );
  assertEquals(others, []);
  for (const { session } of await Promise.all(opened)) assert(session);
  assertEquals(fleet.killed, []);
  pool.close();
});

Deno.test("LocalPool counts waiting calls by the thing that they wait for, and the memory of all processes", async () => {
  const fleet = new Fleet();
  const pool = openPool(fleet, sizes(2));
  const leaving = new AbortController();
  const { signal } = leaving;
  const first = pool.run(REQUEST);
  assertEquals(pool.waits, { interpreter: 1, turn: 0, session: 0 });
  const process = await fleet.next();
  process.say({ type: "ready", memoryMiB: 100 });
  await take(process);
  const opening = pool.open();
  const other = await fleet.next();
  other.say({ type: "ready", memoryMiB: 50 });
  const { session } = await opening;
  assert(session);
  const runs = [1, 2].map(() => session.run(REQUEST, { signal }));
  await take(other);
  const last = pool.run(REQUEST, { signal });
  assertEquals(pool.waits, { interpreter: 0, turn: 1, session: 1 });
  const memoryMiB = () => pool.status.memoryMiB;
  assertEquals(memoryMiB(), 150);
  const ending = { status: "success" as const, value: "1" };
  const used = { memoryMiB: 9, hosts: [] };
  other.say({ type: "done", run: 1, printed: 0, ending, isKept: true, used });
  await runs[0];
  assertEquals(memoryMiB(), 159);
  leaving.abort();
  for (const one of [process, other]) {
    one.say({ type: "ended", reason: "SIGKILL" });
  }
  await Promise.all([first, ...runs, last]);
  pool.close();
});
