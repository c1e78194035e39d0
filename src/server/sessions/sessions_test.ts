import { SERVER_SETTINGS } from "../../../test/support/request.ts";
import { REQUEST } from "../../../test/support/request.ts";
import {
  assert,
  assertEquals,
  assertMatch,
  assertRejects,
} from "../../../deps/assert.ts";
import type { RunResult } from "../../protocol/run_result.ts";
import type { Pool, RunOptions, Session } from "../pool/pool.ts";
import { Sessions, type SessionsSettings } from "./sessions.ts";

const FRESH: RunResult = {
  ...{ status: "success", returnValue: "fresh", output: [] },
};

/** An interpreter that counts its runs. */
class FakeSession implements Session {
  isLost = false;
  isClosed = false;
  /** Ends with the next run. */
  dies: Exclude<RunResult["status"], "success"> | undefined;
  memoryMiB = 1;
  #runs = 0;

  constructor(private number: number) {}

  run(_request: unknown, { onEnd }: RunOptions = {}): Promise<RunResult> {
    onEnd?.({
      ...{ wallMs: 1, replaced: undefined },
      used: { memoryMiB: this.memoryMiB, hosts: [] },
    });
    const failed = (status: Exclude<RunResult["status"], "success">) =>
      Promise.resolve({ status, error: "It failed.", output: [] });
    if (this.isLost) return failed("session-lost");
    if (this.dies) {
      this.isLost = true;
      return failed(this.dies);
    }
    const returnValue = [this.number, ++this.#runs];
    return Promise.resolve({ status: "success", returnValue, output: [] });
  }

  save() {
    return Promise.resolve({ reasons: ["it is not real"] });
  }

  close(): Promise<void> {
    this.isClosed = this.isLost = true;
    return Promise.resolve();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

function makeSessions(some: Partial<SessionsSettings> = {}) {
  const opened: FakeSession[] = [];
  const pool: Pool = {
    run: () => Promise.resolve(FRESH),
    open() {
      const session = new FakeSession(opened.length);
      opened.push(session);
      return Promise.resolve(session);
    },
  };
  const settings = { ...SERVER_SETTINGS, ...some };
  const sessions = new Sessions(
    { find: () => Promise.resolve(pool) },
    settings,
  );
  const run = async (handle?: string, owner = "a") => {
    const result = await sessions.run(handle, owner, REQUEST);
    const { status, session = "" } = result;
    const value = result.status === "success" ? result.returnValue : null;
    const error = result.status === "success" ? "" : result.error;
    return { status, session, value, error };
  };
  return { sessions, opened, run };
}

Deno.test("Sessions runs each session's code in its own interpreter, and other code in fresh interpreters", async () => {
  const { sessions, run } = makeSessions();
  const { session: one } = await run("new");
  const { session: two } = await run("new");
  assert(one !== two);
  assertEquals((await run(one)).value, [0, 2]);
  assertEquals((await run(two)).value, [1, 2]);
  for (const handle of [undefined, "none"]) {
    const { value, session } = await run(handle);
    assertEquals([value, session], ["fresh", ""]);
  }
  assertEquals(
    sessions.list("a").map((
      { session, runs, state },
    ) => [session, runs, state]),
    [[two, 2, "ready"], [one, 2, "ready"]],
  );
  await sessions.close();
  assertEquals(sessions.list("a"), []);
});

Deno.test("Sessions knows a handle of its owner alone", async () => {
  const { sessions, run } = makeSessions();
  const { session } = await run("new", "a");
  const other = await run(session, "b");
  assertEquals(other.status, "invalid-arguments");
  assert(other.error.includes(`"${session}"`));
  assertEquals(sessions.list("b"), []);
  await assertRejects(() => sessions.end(session, "b"), RangeError);
  assertEquals((await run(session, "a")).value, [0, 2]);
  await sessions.close();
});

Deno.test("Sessions keeps a default session for each owner, who need not know of handles", async () => {
  const { sessions, run } = makeSessions({ stateful: true });
  assertEquals((await run(undefined, "a")).value, [0, 1]);
  assertEquals((await run(undefined, "b")).value, [1, 1]);
  const again = await run(undefined, "a");
  assertEquals([again.value, again.session], [[0, 2], ""]);
  assertEquals((await run("none", "a")).value, "fresh");
  await sessions.end(undefined, "a");
  assertEquals((await run(undefined, "a")).value, [2, 1]);
  await sessions.close();
});

Deno.test("Sessions says once that a state is lost, and starts anew or refuses", async () => {
  for (const lostSessions of ["fresh", "refuse"] as const) {
    const { sessions, opened, run } = makeSessions({ lostSessions });
    const { session } = await run("new");
    Object.assign(opened[0] ?? {}, { dies: "memory-limit" });
    const last = await run(session);
    assertEquals(last.status, "memory-limit");
    assertMatch(last.error, /^It failed\. The session's state is gone/);
    assertEquals(sessions.list("a")[0]?.state, "lost");
    const told = await run(session);
    assertEquals(told.status, "session-lost");
    assert(told.error.includes("(memory-limit). The code was not run."));
    const next = await run(session);
    assertEquals(
      [next.status, next.value],
      lostSessions === "fresh"
        ? ["success", [1, 1]]
        : ["invalid-arguments", null],
    );
    await sessions.close();
  }
});

Deno.test("Sessions tells of an interpreter that ended while it was idle", async () => {
  const { sessions, opened, run } = makeSessions();
  const { session } = await run("new");
  Object.assign(opened[0] ?? {}, { isLost: true });
  const told = await run(session);
  assertEquals(told.status, "session-lost");
  assertMatch(told.error, /its interpreter has ended\. The code was not run/);
  await sessions.close();
});

Deno.test("Sessions says of a run that was stopped in time that the session goes on", async () => {
  const { sessions, opened, run } = makeSessions();
  const { session } = await run("new");
  Object.assign(opened[0] ?? {}, {
    run: () =>
      Promise.resolve({ status: "timeout", error: "Stopped.", output: [] }),
  });
  assertMatch((await run(session)).error, /^Stopped\. The session goes on/);
  await sessions.close();
});

Deno.test("Sessions has at most so many interpreters: the one that was unused for longest goes", async () => {
  const { sessions, opened, run } = makeSessions({ maxSessions: 2 });
  const { session: one } = await run("new");
  const { session: two } = await run("new");
  await run(one);
  await run("new");
  assertEquals(opened.map(({ isClosed }) => isClosed), [false, true, false]);
  const told = await run(two);
  assertEquals(told.status, "session-lost");
  assert(told.error.includes("--max-sessions"));
  // None that runs goes.
  const all = ["new", "new", "new"].map((handle) => run(handle));
  const statuses = (await Promise.all(all)).map(({ status }) => status);
  assertEquals(statuses.sort(), ["busy", "success", "success"]);
  await sessions.close();
});

Deno.test("Sessions ends the interpreters unused for longest when all take too much memory", async () => {
  const { sessions, opened, run } = makeSessions({ maxSessionsMiB: 5 });
  const { session: one } = await run("new");
  const { session: two } = await run("new");
  assert(opened[1]);
  opened[1].memoryMiB = 6;
  await run(two);
  assertEquals(opened.map(({ isClosed }) => isClosed), [true, true]);
  const told = await run(one);
  assert(told.error.includes("--max-sessions-memory"));
  await sessions.close();
});

Deno.test("Sessions ends a session that is not used", async () => {
  const { sessions, opened, run } = makeSessions({ sessionIdleSeconds: 0.001 });
  const { session } = await run("new");
  const isOver = () => opened[0]?.isClosed;
  while (!isOver()) await new Promise((resolve) => setTimeout(resolve));
  const told = await run(session);
  assertEquals(told.status, "session-lost");
  assert(told.error.includes("--session-idle"));
  await sessions.close();
});
