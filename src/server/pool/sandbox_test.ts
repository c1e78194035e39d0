import { ENGINE } from "../../engines/index.ts";
import { REQUEST, SETUP } from "../../../test/support/request.ts";
import { assert, assertEquals, assertMatch } from "../../../deps/assert.ts";
import type { Display } from "../../protocol/displays.ts";
import type { RunDone, ToSandbox } from "../../protocol/sandbox_messages.ts";
import { Queue } from "../../protocol/channel.ts";
import { RunClock } from "../../protocol/run_clock.ts";
import { LOCAL } from "./local_pool.ts";
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

Deno.test("a sandbox refuses a run that names another engine, and runs what names its own", async () => {
  const other = await openRun("run", { request: { ...REQUEST, engine: "x" } });
  const refused = await other.result;
  assertEquals(refused?.status, "denied");
  assertMatch(JSON.stringify(refused), /engine \\"x\\".*only pyodide/);
  const { name: engine } = ENGINE.profile;
  const own = await openRun(undefined, { request: { ...REQUEST, engine } });
  own.say(DONE);
  assertEquals((await own.result)?.status, "success");
});

Deno.test("a sandbox knows by its engine what an exit code means", async () => {
  for (const [code, status] of [[133, "memory-limit"], [1, "crashed"]]) {
    const run = await openRun();
    run.say({ type: "ended", reason: `code ${code}`, code: Number(code) });
    assertEquals((await run.result)?.status, status);
  }
});
