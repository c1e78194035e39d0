import { ENGINE } from "../../engines/index.ts";
import { REQUEST, SETUP } from "../../../test/support/request.ts";
import {
  assert,
  assertEquals,
  assertMatch,
  assertThrows,
} from "../../../deps/assert.ts";
import type { Display } from "../../protocol/displays.ts";
import type { RunDone, ToSandbox } from "../../protocol/sandbox_messages.ts";
import { Queue } from "../../protocol/channel.ts";
import { RunClock } from "../../protocol/run_clock.ts";
import { LOCAL } from "./stock.ts";
import type { RunFigures } from "./pool.ts";
import { Sandbox, type SandboxMessage } from "./sandbox.ts";
import { SandboxRun } from "./sandbox_run.ts";

const DONE: RunDone = {
  ...{ type: "done", run: 1, printed: 0 },
  ending: { status: "success", value: "1" },
};
const PICTURE: Display = {
  ...{ type: "display", mimeType: "image/svg+xml", data: "<svg/>" },
};

const BACKGROUND: SandboxMessage = {
  ...{ type: "background", memoryMiB: 8, cpuSeconds: 0, interrupts: 0 },
};

/** A sandbox that is in its first run, and a process that says anything. */
async function openRun(
  refuses?: ToSandbox["type"],
  { request = REQUEST, setup = SETUP } = {},
) {
  const messages = new Queue<SandboxMessage>();
  const sent = new Queue<ToSandbox>();
  const ended = new Queue<string>();
  const ready = new Queue<Sandbox>();
  new Sandbox({
    messages,
    send(message) {
      if (refuses === message.type) {
        return Promise.reject(new TypeError("the line is gone"));
      }
      sent.push(message);
      return Promise.resolve();
    },
    kill: () => messages.push({ type: "ended", reason: "SIGKILL" }),
  }, {
    onReady: (sandbox) => ready.push(sandbox),
    onReleased() {},
    onBackground() {},
    onEnd: (_, reason) => ended.push(reason),
  }, { engine: ENGINE.profile, setup, patience: LOCAL });
  assertEquals(await sent.next(), { type: "setup", setup });
  messages.push({ type: "ready" });
  const sandbox = await ready.next();
  const heard: string[] = [];
  const result = sandbox.run(request, {
    onOutput: (_, text) => heard.push(text),
  });
  if (refuses !== "run") {
    await sent.next();
    messages.push({ type: "started", run: 1 });
  }
  return {
    result,
    heard,
    ended,
    sandbox,
    say: (...all: SandboxMessage[]) => all.forEach((one) => messages.push(one)),
  };
}

Deno.test("a sandbox takes nothing more of a run that is done, and ends what says more", async () => {
  const more: SandboxMessage[] = [
    { type: "output", stream: "stdout", text: "late" },
    PICTURE,
    { type: "ask", id: 1, name: "x", arguments: "1" },
    { type: "notify", name: "x", arguments: "1" },
    { type: "file", path: "a", size: 0, bytes: new Uint8Array() },
    { type: "removed", path: "a" },
    { type: "ready" },
    BACKGROUND,
  ];
  for (const late of more) {
    const { result, heard, ended, say } = await openRun();
    say(DONE, late);
    assertEquals(await result, {
      ...{ status: "success", returnValue: 1, output: [] },
    });
    assertEquals(await ended.next(), `it said "${late.type}" out of turn`);
    assertEquals(heard, []);
  }
});

Deno.test("a sandbox tells of its session between two runs, and of its end then", async () => {
  const { result, sandbox, ended, say } = await openRun();
  const told: unknown[] = [];
  sandbox.betweenRuns = {
    onBackground: (use) => told.push(use),
    onEnd: (reason) => told.push(reason),
  };
  say({ ...DONE, isKept: true });
  await result;
  say(BACKGROUND, { type: "failed", reason: "it computes" });
  assertEquals(await ended.next(), "it computes");
  assertEquals(told, [BACKGROUND, "it computes"]);
});

Deno.test("a sandbox that ends is saved if it has said all of its state, and else is not", async () => {
  const bytes = new Uint8Array([7]);
  const ends: SandboxMessage[][] = [[{ type: "saved", bytes: 1 }], []];
  for (const end of ends) {
    const { result, sandbox, ended, say } = await openRun();
    say({ ...DONE, isKept: true });
    await result;
    const asked = Promise.withResolvers<void>();
    const taken = Promise.withResolvers<void>();
    const saving = sandbox.save(() => {
      asked.resolve();
      return taken.promise;
    });
    say({ type: "piece", bytes }, ...end, { type: "ended", reason: "SIGKILL" });
    await asked.promise;
    await ended.next();
    taken.resolve();
    assertEquals("bytes" in await saving, end.length > 0);
  }
});

Deno.test("a sandbox says nothing of the time between two runs in a run", async () => {
  const { ended, say } = await openRun();
  say(BACKGROUND);
  assertEquals(await ended.next(), 'it said "background" out of turn');
});

Deno.test("a run is given up whose sandbox shows more pictures than it may", async () => {
  const { result, say } = await openRun();
  say(PICTURE, PICTURE, PICTURE, DONE);
  const { status, ...rest } = Object(await result);
  assertEquals(status, "crashed");
  assertMatch(JSON.stringify(rest), /showed more pictures than it may/);
});

Deno.test("a run is given up whose sandbox shows more pages than it may", async () => {
  const page = {
    ...{ type: "display", mimeType: "text/html", data: "<p>" } as const,
    ...{ title: "t", about: "a" },
  };
  const { result, say } = await openRun();
  say(page, PICTURE, page, page, DONE);
  const { status, ...rest } = Object(await result);
  assertEquals(status, "crashed");
  assertMatch(JSON.stringify(rest), /showed more pages than it may/);
});

Deno.test("a run is given up whose sandbox sends files that are not wanted", async () => {
  const { result, say } = await openRun();
  say({ type: "file", path: "a", size: 0, bytes: new Uint8Array() }, DONE);
  const { status, ...rest } = Object(await result);
  assertEquals(status, "crashed");
  assertMatch(JSON.stringify(rest), /sent other files than it may/);
});

Deno.test("a run is given up whose sandbox claims a file that no memory holds", () => {
  const size = 2 ** 52;
  const files = { bytes: Infinity, count: 10 };
  const terms = { setup: { ...SETUP, files } };
  const run = new SandboxRun(terms, { files: [] }, {
    ...{ send() {}, clock: new RunClock() },
  });
  const bytes = new Uint8Array(1);
  assertMatch(
    String(run.take({ type: "file", path: "a", size, bytes })),
    /sent other files than it may/,
  );
});

Deno.test("a run is given up whose sandbox says more than its limit and a note", async () => {
  for (const [length, status] of [[1200, "success"], [1201, "crashed"]]) {
    const { result, say } = await openRun();
    const text = "x".repeat(Number(length));
    say({ type: "output", stream: "stdout", text }, DONE);
    assertEquals(Object(await result).status, status);
  }
});

Deno.test("a run ends with an error whose sandbox cannot be told, and so does the sandbox", async () => {
  const { result, ended } = await openRun("run");
  const { status, error } = Object(await result);
  assertEquals(status, "crashed");
  assertMatch(error, /Cannot send "run" to the sandbox: .*the line is gone/);
  assertEquals(
    await ended.next(),
    "it was killed, as its run was given up (crashed)",
  );
});

Deno.test("a run is killed whose call stays open for longer than calls may wait", async () => {
  // A process may take 4 s more than its run.
  const request = { ...REQUEST, timeoutMs: -3900 };
  const started = performance.now();
  const times: number[] = [];
  for (const waitMs of [0, 400]) {
    const hostCalls = { ...SETUP.hostCalls, waitMs };
    const setup = { ...SETUP, hostCalls };
    const { result, say } = await openRun(undefined, { request, setup });
    say({ type: "ask", id: 1, name: "unknown", arguments: "{}" });
    say({ type: "ask", id: 2, name: "unknown", arguments: "{}" });
    const { status, error } = Object(await result);
    assertEquals(status, "timeout");
    assertMatch(error, /was killed/);
    times.push(performance.now() - started);
  }
  const [without = 0, both = 0] = times;
  // Two calls that are answered at once are given 100 ms each for their way.
  assert(without >= 100 && both - without >= 300, `${times}`);
});

Deno.test("a sandbox begins no run that was aborted before", async () => {
  const { sandbox, result, say } = await openRun();
  say(DONE);
  await result;
  const aborted = await sandbox.run(REQUEST, {
    signal: AbortSignal.abort(),
    onStart: () => assert(false, "it begins"),
  });
  assertEquals(aborted?.status, "cancelled");
});

Deno.test("a sandbox knows by its engine what an exit code means", async () => {
  for (const [code, status] of [[133, "memory-limit"], [1, "crashed"]]) {
    const run = await openRun();
    run.say({ type: "ended", reason: `code ${code}`, code: Number(code) });
    assertEquals((await run.result)?.status, status);
  }
});

/** A ready sandbox that may be rewound. */
async function openRewinding() {
  const messages = new Queue<SandboxMessage>();
  const sent = new Queue<ToSandbox>();
  const ready = new Queue<[Sandbox, unknown]>();
  const ended = new Queue<string>();
  new Sandbox({
    messages,
    send(message) {
      if (message.type !== "setup") sent.push(message);
      return Promise.resolve();
    },
    kill() {},
  }, {
    onReady: (sandbox, made) => ready.push([sandbox, made]),
    onReleased() {},
    onBackground() {},
    onEnd: (_, reason) => ended.push(reason),
  }, {
    ...{ engine: ENGINE.profile, setup: SETUP, patience: LOCAL },
    rewinds: true,
  });
  const getReady = async (some: object = {}) => {
    messages.push({ type: "ready", ...some });
    return await ready.next();
  };
  const [sandbox] = await getReady();
  /** Has it run once for a realm, and be released; gives what it was told. */
  const serve = async (realm: string | undefined) => {
    sandbox.lease(realm);
    let interpreter: string | undefined;
    const onEnd = (figures: RunFigures) => interpreter = figures.interpreter;
    const result = sandbox.run(REQUEST, { onEnd });
    const told: string[] = [];
    while (told.at(-1) !== "run") {
      const message = await sent.next();
      told.push(message.type);
      if (message.type !== "run") continue;
      messages.push({ type: "started", run: message.id });
      messages.push({ ...DONE, run: message.id });
    }
    await result;
    sandbox.release();
    const next = await sent.next();
    assert(next.type === "next");
    return [told.join(), next.rewind, interpreter];
  };
  return { sandbox, sent, messages, ended, getReady, serve };
}

Deno.test("a sandbox has its interpreter kept while nothing is asked of it, and no first result waits for that", async () => {
  const { sent, getReady, serve } = await openRewinding();
  assertEquals(await serve("a"), ["run", true, "fresh"]);
  // It is worth a wait that spares the next result's caller a longer one.
  await getReady({ anew: { cause: "not-kept", detail: "" } });
  assertEquals(await serve("a"), ["keep,run", true, "fresh"]);
  await getReady({ isRewound: true });
  assertEquals(await serve("a"), ["run", true, "rewound"]);
  await getReady({ anew: { cause: "pending", detail: "" } });
  const alive = setInterval(() => {}, 1000);
  assertEquals(await sent.next(), { type: "keep" });
  clearInterval(alive);
  assertEquals(await serve(undefined), ["run", undefined, "fresh"]);
});

Deno.test("a sandbox tells how its interpreter was made, if it was to be rewound", async () => {
  const { sandbox, getReady, serve } = await openRewinding();
  await serve("a");
  const anew = { cause: "files", detail: "a pipe" };
  assertEquals((await getReady({ anew }))[1], anew);
  assertEquals(sandbox.realm, undefined);
  await serve("b");
  assertEquals((await getReady({ isRewound: true }))[1], "rewound");
  assertEquals(sandbox.realm, "b");
  await serve("b");
  // A process that does not say why.
  assertEquals((await getReady())[1], { cause: "engine", detail: "" });
  await serve(undefined);
  assertEquals((await getReady())[1], undefined);
});

Deno.test("a rewound sandbox is leased to no other realm, and to its own no more once it is made anew", async () => {
  const { sandbox, sent, getReady, serve } = await openRewinding();
  await serve("a");
  await getReady({ isRewound: true });
  for (const realm of ["b", undefined]) {
    assertThrows(() => sandbox.lease(realm), /another realm/);
  }
  sandbox.renew();
  assertEquals(await sent.next(), { type: "next" });
  await getReady();
  assertEquals((await serve("b")).at(-1), "fresh");
});

Deno.test("a sandbox that says it is rewound, and was not to be, is ended", async () => {
  const { ended, messages, serve } = await openRewinding();
  await serve(undefined);
  messages.push({ type: "ready", isRewound: true });
  assertEquals(await ended.next(), 'it said "ready" out of turn');
});
