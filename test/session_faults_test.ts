/**
 * Processes of sessions that die, stop or talk nonsense at chosen moments: each
 * call is answered, a lost state is told once, and no other session notices.
 *
 * @module
 */
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { log } from "../src/log.ts";
import type { Fault } from "./support/faults.ts";
import { tempFolder } from "./support/folder.ts";
import { processesNamed, whichOutlive } from "./support/processes.ts";
import { someOf } from "./support/rounds.ts";
import type { TestServer } from "./support/server.ts";
import { startFaulty } from "./support/start_faulty.ts";

const NO_PROC = Deno.build.os !== "linux" && "needs /proc to find processes";
if (NO_PROC) log(`skipped: faults of sessions: ${NO_PROC}`);

const OUTPUT = { type: "output", stream: "stdout", text: "forged" };
const done = (run: number) => ({
  ...{ type: "done", run, printed: 0, isKept: true },
  ending: { status: "success", value: '"forged"' },
});

/** What the calls of a session may come back with, one after the other. */
const LOST_IN_RUN = /^right died right right/;
const LOST_BETWEEN = /^right lost right right/;
const LOST = RegExp(`${LOST_IN_RUN.source}|${LOST_BETWEEN.source}`);
/** A signal may come when the run has been answered. */
const orAfter = (next: RegExp) =>
  RegExp(`${LOST_IN_RUN.source}|${next.source}`);

/** The second call is in the session that is there. */
const FAULTS: Record<string, [Fault, RegExp]> = {
  "is killed between two runs": [
    { at: "done", signal: "SIGKILL" },
    LOST_BETWEEN,
  ],
  "is killed when a run begins": [
    { at: "run", count: 2, signal: "SIGKILL" },
    LOST,
  ],
  "is killed when a run has started": [
    { at: "started", count: 2, signal: "SIGKILL" },
    orAfter(/^right right lost right/),
  ],
  "is killed after its second answer": [
    { at: "done", count: 2, signal: "SIGKILL" },
    /^right right lost right/,
  ],
  "is stopped between two runs": [
    { at: "done", signal: "SIGSTOP" },
    LOST_IN_RUN,
  ],
  "is stopped in a run": [
    { at: "started", count: 2, signal: "SIGSTOP" },
    orAfter(/^right right died right/),
  ],
  "loses an answer": [{ at: "done", count: 2, line: "is lost" }, LOST_IN_RUN],
  "answers twice": [{ at: "done", line: "comes twice" }, LOST_BETWEEN],
  "answers the next run before it has begun": [
    { at: "done", says: [done(2)] },
    LOST_BETWEEN,
  ],
  "answers for the run before": [
    { at: "run", count: 2, says: [done(1)] },
    LOST,
  ],
  "prints between two runs": [
    { at: "done", says: [OUTPUT] },
    LOST_BETWEEN,
  ],
  "is ready between two runs": [
    { at: "done", says: [{ type: "ready" }] },
    LOST_BETWEEN,
  ],
  "says that it was saved": [
    { at: "done", says: [{ type: "saved" }] },
    LOST_BETWEEN,
  ],
  "fails between two runs": [
    { at: "done", says: [{ type: "failed", reason: "of a fault" }] },
    LOST_BETWEEN,
  ],
  "floods its host": [
    { at: "done", count: 2, line: "has 100 MB and no end" },
    LOST_IN_RUN,
  ],
};

Deno.test({
  name: `a lost state is told once when a session's process ${
    Object.keys(FAULTS).join(", or ")
  }; other sessions and fresh runs go on`,
  ignore: Boolean(NO_PROC),
  async fn() {
    const faults = Object.values(FAULTS).map(([fault], at) => ({
      ...fault,
      process: at + 1,
    }));
    await using server = await startFaulty(faults, {
      ...{ maxConcurrency: 4, maxQueue: 100, maxSessions: 100 },
    });
    const sessions = [];
    // One after the other, so that each has the process of its fault.
    for (const [name, [{ line, signal }, expected]] of Object.entries(FAULTS)) {
      const isSilent = line === "is lost" || signal === "SIGSTOP";
      const session = await openSession(server);
      sessions.push({ name, expected, session, timeout: isSilent ? 1 : 60 });
    }
    const healthy = await openSession(server);
    const told = await Promise.all([
      ...sessions.map(async ({ session, timeout }) => {
        const calls = [await session.call(timeout)];
        for (let more = 0; more < 3; more++) calls.push(await session.call());
        return ["right", ...calls].join(" ");
      }),
      healthy.call(),
      callFresh(server),
    ]);
    for (const [at, { name, expected }] of sessions.entries()) {
      assertMatch(String(told[at]), expected, `${name}: ${told.join("; ")}`);
    }
    assertEquals(told.slice(-2), ["right", "right"]);
    assertEquals(await healthy.call(), "right");
    await checkNothingLeft(server, sessions.length + 1);
  },
});

/** A copy is made, and then a run of each. */
const FAULTS_OF_COPIES: Record<string, [Fault, RegExp, RegExp]> = {
  "the session is killed when it is to be saved": [
    { at: "save", signal: "SIGKILL" },
    /^refused lost right/,
    /^$/,
  ],
  "the session is killed while it is saved": [
    { at: "piece", signal: "SIGKILL" },
    /^refused lost right/,
    /^$/,
  ],
  "the session says a run's answer while it is saved": [
    { at: "piece", says: [done(1)] },
    /^refused lost right/,
    /^$/,
  ],
  "the session is killed when it is saved": [
    { at: "saved", signal: "SIGKILL" },
    /^copied lost right/,
    /^right right/,
  ],
  "the copy is killed while it is restored": [
    { process: 2, at: "restore", signal: "SIGKILL" },
    /^refused right right/,
    /^$/,
  ],
  "the copy says that it is ready while it is restored": [
    { process: 2, at: "restore", says: [{ type: "ready" }] },
    /^refused right right/,
    /^$/,
  ],
  "the copy is killed when it is restored": [
    { process: 2, at: "restored", signal: "SIGKILL" },
    /^copied right right/,
    /^lost right/,
  ],
};

for (
  const [name, [fault, ofSession, ofCopy]] of someOf(FAULTS_OF_COPIES, [
    "the session is killed while it is saved",
    "the session is killed when it is saved",
    "the copy says that it is ready while it is restored",
    "the copy is killed when it is restored",
  ])
) {
  Deno.test({
    name: `a lost state is told once when ${name}`,
    ignore: Boolean(NO_PROC),
    async fn() {
      await using server = await startFaulty([fault]);
      const session = await openSession(server);
      const { content, structuredContent, isError } = await server.client
        .callTool({
          ...{ name: "fork_session", arguments: { session: session.handle } },
        });
      const text = JSON.stringify(content);
      if (isError) assertMatch(text, /Cannot copy session/);
      const calls = [isError ? "refused" : "copied"];
      for (let more = 0; more < 2; more++) calls.push(await session.call());
      assertMatch(calls.join(" "), ofSession, text);
      const handle = Object(structuredContent).session;
      const copied: string[] = [];
      if (handle) {
        const copy = new CountingSession(server, handle, 1);
        for (let more = 0; more < 2; more++) copied.push(await copy.call());
      }
      assertMatch(copied.join(" "), ofCopy);
      assertEquals(await callFresh(server), "right");
      await checkNothingLeft(server, isError ? 1 : 2);
    },
  });
}

Deno.test({
  name:
    "a session that is killed while it is saved for its idleness is lost for a reason, and others go on",
  ignore: Boolean(NO_PROC),
  async fn() {
    await using folder = await tempFolder();
    await using server = await startFaulty([
      { process: 1, at: "piece", signal: "SIGKILL" },
      { process: 2, at: "saved", signal: "SIGKILL" },
    ], { sessionStore: folder.path, sessionIdleSeconds: 1 });
    const one = await openSession(server);
    const two = await openSession(server);
    const states = async () => {
      const { structuredContent } = await server.client.callTool({
        ...{ name: "list_sessions", arguments: {} },
      });
      const { sessions } = Object(structuredContent);
      return sessions.map(({ state }: { state: string }) => state).join(" ");
    };
    // The last used one comes first. Its process has said all of its state, which is
    // on its way to the store, perhaps.
    let ends;
    while (/ready/.test(ends = await states()));
    assertMatch(ends, /^(saved|lost) lost$/);
    assertEquals([await one.call(), await one.call()], ["lost", "right"]);
    assertEquals(await two.call(), "right");
  },
});

/** A session that counts its calls. */
class CountingSession {
  constructor(
    private server: TestServer,
    readonly handle: unknown,
    private count: number,
  ) {}

  /** How a call comes back: right, died, lost; or all that it came back with. */
  async call(timeout = 60): Promise<string> {
    const { handle: session, server } = this;
    const called = await count(server, { session, timeout });
    if (called.status === "session-lost") {
      this.count = 0;
      assertMatch(called.text, /The code was not run/);
      return "lost";
    }
    if (called.status !== "success") {
      assertMatch(called.text, /^[^]*(crashed|timeout)[^]*state is gone/);
      // Its client knows: the next call starts from nothing.
      this.count = 0;
      return "died";
    }
    const right = called.isRight(++this.count);
    return right ? "right" : `wrong: ${called.text}`;
  }
}

async function openSession(server: TestServer): Promise<CountingSession> {
  const { isRight, text, structured } = await count(server, { session: "new" });
  assert(isRight(1), text);
  return new CountingSession(server, structured.session, 1);
}

async function callFresh(server: TestServer): Promise<string> {
  const { isRight, text } = await count(server, { session: "none" });
  return isRight(1) ? "right" : `wrong: ${text}`;
}

/** Counts a call; its answer is like that of no other. */
async function count(server: TestServer, args: Record<string, unknown>) {
  const nonce = crypto.randomUUID();
  const called = await server.call(
    `
print(nonce, flush=True)
calls = globals().get("calls", 0) + 1
calls, nonce`,
    { global_variables: { nonce }, timeout: 60, ...args },
  );
  const answer = JSON.stringify([called.output, called.returnValue]);
  return {
    ...called,
    isRight: (calls: number) =>
      answer === JSON.stringify([[nonce], [calls, nonce]]),
  };
}

/** All processes are those of sessions, but for one. */
async function checkNothingLeft(server: TestServer, sessions: number) {
  const sandboxes = processesNamed("sandbox", server.pid);
  const left = await whichOutlive(sandboxes, { most: sessions + 1 });
  assert(left.length <= sessions + 1, `${left.length} sandboxes are left`);
  await server.client.close();
  assertEquals(await whichOutlive(sandboxes), []);
}
