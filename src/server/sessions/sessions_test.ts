import { ENGINE } from "../../engines/index.ts";
import { SERVER_SETTINGS } from "../../../test/support/request.ts";
import { REQUEST } from "../../../test/support/request.ts";
import {
  assert,
  assertEquals,
  assertMatch,
  assertRejects,
} from "../../../deps/assert.ts";
import type { RunResult } from "../../protocol/run_result.ts";
import {
  type BetweenRuns,
  refusal,
  type RunOptions,
  type Session,
} from "../pool/pool.ts";
import {
  ENVIRONMENT,
  fakePool,
  fakePools,
} from "../../../test/support/fake_pool.ts";
import { concat } from "../../protocol/lines.ts";
import type {
  Belongs,
  SaveEnding,
  SessionMeta,
  SessionStore,
} from "./saved_sessions.ts";
import { toKey } from "./saved_sessions.ts";
import type { Owner } from "./kept_session.ts";
import { Sessions, type SessionsSettings } from "./sessions.ts";
import { bytesOf, takeInto } from "../../../test/support/pieces.ts";

const A: Owner = { name: "a", connection: "a" };
const B = { name: "b", connection: "b" };
const C = { name: "c", connection: "c" };

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

  constructor(private number: number, public runs = 0) {}

  run(
    _request: unknown,
    { onEnd, onStart }: RunOptions = {},
  ): Promise<RunResult> {
    onStart?.();
    onEnd?.({
      ...{ wallMs: 1, replaced: undefined, interpreter: "used" },
      used: { memoryMiB: this.memoryMiB, hosts: [] },
    });
    const failed = (status: Exclude<RunResult["status"], "success">) =>
      Promise.resolve({ status, error: "It failed.", output: [] });
    if (this.isLost) return failed("session-lost");
    if (this.dies) {
      this.isLost = true;
      return failed(this.dies);
    }
    const returnValue = [this.number, ++this.runs];
    return Promise.resolve({ status: "success", returnValue, output: [] });
  }

  /** Told of the time between its runs. */
  events: BetweenRuns | undefined;

  follow(events: BetweenRuns): void {
    this.events = events;
  }

  /** Why it cannot be saved. */
  reasons: string[] = [];

  async save(take: (piece: Uint8Array<ArrayBuffer>) => Promise<void>) {
    if (this.reasons.length > 0) return { reasons: this.reasons };
    const bytes = new TextEncoder().encode(`${this.runs}`);
    for (const byte of bytes) await take(new Uint8Array([byte]));
    return { bytes: bytes.length };
  }

  close(): Promise<void> {
    this.isClosed = this.isLost = true;
    return Promise.resolve();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/** Files of sessions, by key. */
class FakeStore implements SessionStore {
  files = new Map<string, { meta: SessionMeta; pieces: Uint8Array[] }>();
  /** Called before a piece is read. */
  onRead: () => Promise<void> = nextTimers;
  /** Called before a file is removed. */
  onRemove: () => Promise<void> = () => Promise.resolve();

  onWanted: (key: string) => void = () => {};
  /** Why another server has all sessions. */
  elsewhere: string | undefined;
  /** Whether code has run since sessions were stored, on a server that is dead. */
  isOlder = false;
  belongs: Belongs = "here";

  claim(
    handle: string,
    owner: string,
    _signal?: AbortSignal,
  ): ReturnType<SessionStore["claim"]> {
    const { elsewhere, isOlder } = this;
    const file = this.files.get(toKey(handle));
    return Promise.resolve(
      elsewhere !== undefined
        ? { elsewhere, seconds: 2 }
        : file?.meta.owner === owner
        ? { meta: file.meta, isOlder }
        : undefined,
    );
  }

  beginRun() {
    return () => Promise.resolve(this.belongs);
  }

  has(handle: string): Promise<boolean> {
    return Promise.resolve(this.files.has(toKey(handle)));
  }

  free(_handle: string): Promise<void> {
    return Promise.resolve();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  async save(
    ...[handle, meta, write]: Parameters<SessionStore["save"]>
  ): Promise<SaveEnding> {
    const pieces: Uint8Array<ArrayBuffer>[] = [];
    const isWhole = await write(takeInto(pieces));
    if (isWhole) this.files.set(toKey(handle), { meta, pieces });
    return isWhole ? "saved" : "refused";
  }

  load(handle: string, owner: string) {
    const key = toKey(handle);
    const file = this.files.get(key);
    const found = file?.meta.owner === owner
      ? { meta: file.meta, pieces: this.#read(key, file) }
      : undefined;
    return Promise.resolve(found);
  }

  async remove(handle: string): Promise<boolean> {
    await this.onRemove();
    this.files.delete(toKey(handle));
    return true;
  }

  async *#read(key: string, file: { pieces: Uint8Array[] }) {
    for (const piece of file.pieces) {
      await this.onRead();
      if (this.files.get(key) !== file) throw new Error("It has gone.");
      yield new Uint8Array(piece);
    }
  }
}

/** Waits until the timers that are due have been called. */
function nextTimers(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 2));
}

/** Has an interpreter wait before it is saved. */
function holdSave(session: FakeSession | undefined) {
  assert(session);
  let hasBegun = false;
  const held = Promise.withResolvers<void>();
  const save = session.save.bind(session);
  session.save = async (take) => {
    hasBegun = true;
    await held.promise;
    return await save(take);
  };
  const begun = async () => {
    while (!hasBegun) await nextTimers();
  };
  return { begun, goOn: held.resolve };
}

function makeSessions(
  some: Partial<SessionsSettings> = {},
  store?: SessionStore,
  install: Promise<void> = Promise.resolve(),
) {
  const opened: FakeSession[] = [];
  /** Engines of runs in fresh interpreters. */
  const asked: string[] = [];
  type Refused = "cancelled" | "crashed" | "denied" | "busy";
  /** Times that a session cannot be restored, as its process ends. */
  const failing = { times: 0, status: "crashed" as Refused };
  const refuse = (status: Refused, error: string) => ({
    refused: refusal(status, error),
  });
  const pool = fakePool({
    run: () => Promise.resolve(FRESH),
    async open({ from, signal } = {}) {
      if (signal?.aborted) return refuse("cancelled", "It was cancelled.");
      const chunks = await Array.fromAsync(from?.pieces ?? []).catch(() => {});
      if (!chunks) return refuse("crashed", "It cannot be read.");
      if (from && failing.times-- > 0) {
        return refuse(failing.status, "Its process has ended.");
      }
      const runs = new TextDecoder().decode(concat(chunks.map(bytesOf)));
      const session = new FakeSession(opened.length, Number(runs));
      opened.push(session);
      return { session };
    },
  });
  const settings = { ...SERVER_SETTINGS, ...some };
  const logged: string[] = [];
  const sessions = new Sessions(
    {
      ...fakePools(pool),
      async find(code, { engine } = {}) {
        await install;
        if (engine !== undefined) asked.push(engine);
        return code === "denied"
          ? refuse("denied", "It is denied.")
          : { pool, environment: ENVIRONMENT };
      },
    },
    settings,
    {
      write: (level, _, { event, reason, unsaved }) =>
        logged.push([level, event, reason, unsaved].join(", ")),
    },
    store,
  );
  const run = async (handle?: string, owner = A) => {
    const result = await sessions.run(handle, owner, REQUEST);
    const { status, session = "", resumed, unsaved } = result;
    const value = result.status === "success" ? result.returnValue : null;
    const error = result.status === "success" ? "" : result.error;
    return { status, session, value, error, resumed, unsaved };
  };
  return { sessions, opened, run, failing, logged, asked };
}

/** A session that an earlier server has stored; gives its handle. */
async function openStored(store: SessionStore): Promise<string> {
  const { sessions, run } = makeSessions({}, store);
  const { session } = await run("new");
  await sessions.close();
  return session;
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
    sessions.list(A).map((
      { session, runs, state },
    ) => [session, runs, state]),
    [[two, 2, "ready"], [one, 2, "ready"]],
  );
  await sessions.close();
  assertEquals(sessions.list(A), []);
});

Deno.test("Sessions knows a handle of its owner alone", async () => {
  const { sessions, run } = makeSessions();
  const { session } = await run("new", A);
  const other = await run(session, B);
  assertEquals(other.status, "session-lost");
  assert(other.error.includes(`"${session}"`));
  assertEquals((await run("mine", B)).status, "invalid-arguments");
  assertEquals(sessions.list(B), []);
  await assertRejects(() => sessions.end(session, B), RangeError);
  assertEquals((await run(session, A)).value, [0, 2]);
  await sessions.close();
});

Deno.test("Sessions keeps a default session for each owner, who need not know of handles", async () => {
  const { sessions, run } = makeSessions({ stateful: true });
  assertEquals((await run(undefined, A)).value, [0, 1]);
  assertEquals((await run(undefined, B)).value, [1, 1]);
  const again = await run(undefined, A);
  assertEquals([again.value, again.session], [[0, 2], ""]);
  assertEquals((await run("none", A)).value, "fresh");
  await sessions.end(undefined, A);
  assertEquals((await run(undefined, A)).value, [2, 1]);
  await sessions.close();
});

Deno.test("Sessions keeps a default session for each connection of an owner, and opens one a call without connections", async () => {
  const { sessions, run } = makeSessions({ stateful: true });
  const second = { name: "a", connection: "a, again" };
  const none: Owner = { name: "a", connection: undefined };
  const values = [];
  for (const owner of [A, second, A, second]) {
    values.push((await run(undefined, owner)).value);
  }
  assertEquals(values, [[0, 1], [1, 1], [0, 2], [1, 2]]);
  const apart = [await run(undefined, none), await run(undefined, none)];
  assertEquals(apart.map(({ value }) => value), [[2, 1], [3, 1]]);
  assertEquals((await run(apart[0]?.session, none)).value, [2, 2]);
  await assertRejects(() => sessions.end(undefined, none), RangeError);
  assertEquals(
    (await sessions.look(undefined, none, REQUEST)).status,
    "invalid-arguments",
  );
  await sessions.close();
});

Deno.test("Sessions runs code for another engine in fresh interpreters alone", async () => {
  for (const stateful of [false, true]) {
    const { sessions, run, asked } = makeSessions({ stateful });
    const { session } = await run("new");
    const request = { ...REQUEST, engine: "toy" };
    for (const handle of [undefined, "none"]) {
      assertEquals(await sessions.run(handle, A, request), FRESH);
    }
    assertEquals(asked, ["toy", "toy"]);
    for (const handle of ["new", "reset", session]) {
      const refused = await sessions.run(handle, A, request);
      assert(refused.status === "denied", refused.status);
      assertMatch(
        refused.error,
        new RegExp(`sessions are of ${ENGINE.profile.label}\\. Leave session`),
      );
    }
    assertEquals(sessions.list(A).map(({ runs }) => runs), [1]);
    // One that is not served is refused as such.
    const unknown = { ...request, code: "denied" };
    const denied = await sessions.run(session, A, unknown);
    assert(denied.status === "denied");
    assertEquals(denied.error, "It is denied.");
    const own = { ...REQUEST, engine: ENGINE.profile.name };
    const ran = await sessions.run(session, A, own);
    assertEquals(ran.status === "success" && ran.returnValue, [0, 2]);
    await sessions.close();
  }
});

Deno.test("Sessions makes room by those of the owner that has most of them", async () => {
  const { sessions, run } = makeSessions({ maxSessions: 3 });
  const { session: other } = await run("new", B);
  for (let opened = 0; opened < 5; opened++) await run("new", A);
  assertEquals((await run(other, B)).value, [0, 2]);
  const states = () => sessions.list(A).map(({ state }) => state);
  assertEquals(states(), ["ready", "ready", "lost", "lost", "lost"]);
  await run("new", B);
  assertEquals(states(), ["ready", "lost", "lost", "lost", "lost"]);
  await sessions.close();
});

Deno.test("Sessions opened at once have no more sessions of others go than their owner's half", async () => {
  const { sessions, run } = makeSessions({ maxSessions: 5 });
  for (let opened = 0; opened < 3; opened++) await run("new", B);
  await Promise.all(Array.from({ length: 6 }, () => run("new", A)));
  const states = sessions.list(B).map(({ state }) => state);
  assertEquals(states, ["ready", "ready", "lost"]);
  await sessions.close();
});

/** A store that takes a while, and notes when. */
class SlowStore extends FakeStore {
  saves: { start: number; end: number }[] = [];

  override async save(...args: Parameters<SessionStore["save"]>) {
    const start = performance.now();
    await new Promise((resolve) => setTimeout(resolve, 30));
    const isWhole = await super.save(...args);
    this.saves.push({ start, end: performance.now() });
    return isWhole;
  }
}

Deno.test("Sessions pauses between the saves of an owner while others ask", async () => {
  const store = new SlowStore();
  const { sessions, run } = makeSessions({ maxSessions: 2 }, store);
  for (const owner of [B, A]) await run("new", owner);
  await Promise.all([run("new", A), run("new", A)]);
  const [first, second] = store.saves;
  assert(first && second);
  assert(second.start - first.end >= 1.5 * (first.end - first.start));
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
    assertEquals(sessions.list(A)[0]?.state, "lost");
    const next = await run(session);
    if (lostSessions === "fresh") {
      assertMatch(last.error, /Its next call starts from nothing\.$/);
      assertEquals([next.status, next.value], ["success", [1, 1]]);
      assertMatch(
        next.resumed ?? "",
        /starts from nothing, as its earlier state is gone.*\(memory-limit\)/,
      );
      const { value, resumed } = await run(session);
      assertEquals([value, resumed], [[1, 2], undefined]);
    } else {
      assertEquals(next.status, "session-lost");
      assert(next.error.includes("(memory-limit). The code was not run."));
      assertEquals((await run(session)).status, "session-lost");
    }
    await sessions.close();
  }
});

Deno.test("Sessions refuses the next call if no client was told of the loss", async () => {
  const { sessions, opened, run } = makeSessions();
  const { session } = await run("new");
  Object.assign(opened[0] ?? {}, { dies: "crashed" });
  await sessions.run(session, A, REQUEST, { signal: AbortSignal.abort() });
  const told = await run(session);
  assertEquals(told.status, "session-lost");
  assertMatch(told.error, /The next call of this session starts from nothing/);
  const next = await run(session);
  assertEquals([next.value, next.resumed], [[1, 1], undefined]);
  await sessions.close();
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
  const areOver = () => opened.every(({ isClosed }) => isClosed);
  while (!areOver()) await new Promise((resolve) => setTimeout(resolve));
  const told = await run(one);
  assert(told.error.includes("--max-sessions-memory"));
  await sessions.close();
});

Deno.test("Sessions counts the memory that a session takes between its runs", async () => {
  const { sessions, opened, run } = makeSessions({ maxSessionsMiB: 100 });
  const { session: one } = await run("new");
  const { session: two } = await run("new");
  const use = (memoryMiB: number) =>
    opened[1]?.events?.onBackground({
      ...{ memoryMiB, cpuSeconds: 0, interrupts: 0 },
    });
  use(100);
  // However often a hostile process says something, once in a while is enough.
  for (let size = 0; size < 100; size++) use(size);
  const seen = sessions.list(A).map(({ memoryMiB }) => memoryMiB);
  assertEquals(seen[0], 100);
  for (let left = 500; left > 0 && !opened[0]?.isClosed; left--) {
    await nextTimers();
  }
  assertEquals(opened.map(({ isClosed }) => isClosed), [true, false]);
  assertEquals((await run(two)).status, "success");
  const { status, error } = await run(one);
  assertEquals(status, "session-lost");
  assertMatch(error, /--max-sessions-memory/);
  await sessions.close();
});

Deno.test("Sessions tells what the tasks of a session have computed since its last run", async () => {
  const { sessions, opened, run } = makeSessions();
  const { session } = await run("new");
  const { events } = opened[0] ?? {};
  const background = () => sessions.list(A)[0]?.background;
  assertEquals(background(), undefined);
  events?.onBackground({ memoryMiB: 1, cpuSeconds: 61, interrupts: 1 });
  assertEquals(
    background(),
    "its tasks have taken 61 s of CPU time since its last run, which is more than they may, and were interrupted",
  );
  await run(session);
  assertEquals(background(), undefined);
  await sessions.close();
});

Deno.test("Sessions tells at once that an idle interpreter has ended, and why", async () => {
  const { sessions, opened, run, logged } = makeSessions({ maxSessions: 1 });
  const { session } = await run("new");
  opened[0]?.events?.onEnd(`it computes${"!".repeat(600)}`);
  const info = sessions.list(A)[0];
  assertEquals([info?.state, info?.memoryMiB], ["lost", 0]);
  // There is room for another.
  assertEquals((await run("new")).status, "success");
  assertEquals(logged.length, 1);
  assertMatch(logged[0] ?? "", /^info, lost, it computes!/);
  const { status, error } = await run(session);
  assertEquals(status, "session-lost");
  assertMatch(error, /and files: it computes!{489}\. The code was not run\./);
  await sessions.close();
});

Deno.test("Sessions ends sessions of the owner that takes most memory", async () => {
  const { sessions, opened, run } = makeSessions({ maxSessionsMiB: 10 });
  const { session: small } = await run("new", B);
  const { session: first } = await run("new", A);
  const { session: second } = await run("new", A);
  Object.assign(opened[1] ?? {}, { memoryMiB: 6 });
  Object.assign(opened[2] ?? {}, { memoryMiB: 6 });
  await run(first, A);
  await run(second, A);
  while (!opened[1]?.isClosed) await nextTimers();
  assertEquals((await run(small, B)).status, "success");
  assertEquals(opened.map(({ isClosed }) => isClosed), [false, true, false]);
  await sessions.close();
});

Deno.test("Sessions ends a session at its rest if another owner waits for its half", async () => {
  const { sessions, opened, run } = makeSessions({ maxSessions: 2 });
  const handles = [await run("new", A), await run("new", A)];
  const running = handles.map(({ session }) => run(session, A));
  assertEquals((await run("new", B)).status, "busy");
  await Promise.all(running);
  while (!opened.some(({ isClosed }) => isClosed)) await nextTimers();
  assertEquals((await run("new", B)).status, "success");
  assertEquals(opened.map(({ isClosed }) => isClosed), [true, false, false]);
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

Deno.test("Sessions saves all at its end, and a later one goes on with those of the owner", async () => {
  const store = new FakeStore();
  const first = makeSessions({}, store);
  const { session } = await first.run("new");
  await first.run(session);
  await first.sessions.close();
  assert(first.opened[0]?.isClosed);
  assert(![...store.files.keys()].join().includes(session));

  const { sessions, run } = makeSessions({}, store);
  assertEquals((await run(session, B)).status, "session-lost");
  const both = await Promise.all([run(session), run(session)]);
  assertEquals(both.map(({ value }) => value), [[0, 3], [0, 4]]);
  const [{ runs = 0, state = "" } = {}] = sessions.list(A);
  assertEquals([runs, state], [4, "ready"]);
  await sessions.close();
});

Deno.test("Sessions finds a saved session once the packages are installed", async () => {
  const store = new FakeStore();
  const session = await openStored(store);
  const install = Promise.withResolvers<void>();
  const { sessions, run } = makeSessions({}, store, install.promise);
  const early = run(session);
  setTimeout(install.resolve);
  assertEquals((await early).value, [0, 2]);
  await sessions.close();
});

Deno.test("Sessions saves the last used ones first at its end, as it may be killed meanwhile", async () => {
  const store = new FakeStore();
  const { sessions, opened, run } = makeSessions({}, store);
  for (let count = 0; count < 7; count++) await run("new");
  const begun: number[] = [];
  const whole = Promise.withResolvers<void>();
  for (const [number, session] of opened.entries()) {
    const save = session.save.bind(session);
    session.save = async (take) => {
      begun.push(number);
      if (number < 5) await whole.promise;
      return await save(take);
    };
  }
  const ended = sessions.close();
  while (begun.length < 6) await new Promise((resolve) => setTimeout(resolve));
  assertEquals([begun.sort(), store.files.size], [[1, 2, 3, 4, 5, 6], 2]);
  whole.resolve();
  await ended;
  assertEquals([begun.sort(), store.files.size], [[0, 1, 2, 3, 4, 5, 6], 7]);
});

Deno.test("Sessions saves those of all owners in turn at its end", async () => {
  const { sessions, opened, run } = makeSessions({}, new FakeStore());
  for (const owner of [B, B, A, A, A, A, A, A]) await run("new", owner);
  const begun: number[] = [];
  for (const [number, session] of opened.entries()) {
    const save = session.save.bind(session);
    session.save = (take) => {
      begun.push(number);
      return save(take);
    };
  }
  await sessions.close();
  assertEquals(begun, [7, 6, 5, 4, 3, 1, 2, 0]);
});

Deno.test("Sessions saves what makes room for others, and restores it at its next use", async () => {
  const { sessions, opened, run } = makeSessions(
    { maxSessions: 1 },
    new FakeStore(),
  );
  const { session: one } = await run("new");
  const { session: two } = await run("new");
  const states = () => sessions.list(A).map(({ state }) => state);
  assertEquals(states(), ["ready", "saved"]);
  assertEquals((await run(one)).value, [2, 2]);
  assertEquals(states(), ["ready", "saved"]);
  // All at a time: each waits for the others to be saved.
  const values = await Promise.all([two, one, two].map((one) => run(one)));
  assertEquals(
    values.map(({ status, value }) => [status, Object(value)[1]]).sort(),
    [["busy", undefined], ["success", 2], ["success", 3]],
  );
  assertEquals(opened.filter(({ isClosed }) => !isClosed).length, 1);
  await sessions.close();
});

Deno.test("Sessions keeps an unused session that cannot be saved, and says why", async () => {
  const store = new FakeStore();
  const settings = { sessionIdleSeconds: 0.001, maxSessions: 1 };
  const { sessions, opened, run, logged } = makeSessions(settings, store);
  const { session } = await run("new");
  Object.assign(opened[0] ?? {}, { reasons: ["a task is pending"] });
  const maybeUnsaved = () => sessions.list(A)[0]?.unsaved;
  while (!maybeUnsaved()) await new Promise((resolve) => setTimeout(resolve));
  assertEquals(maybeUnsaved(), ["a task is pending"]);
  assertEquals((await run(session)).value, [0, 2]);
  await run("new");
  const told = await run(session);
  assertEquals(told.status, "session-lost");
  assertMatch(told.error, /--max-sessions/);
  await sessions.close();
  assertEquals(logged.slice(0, 2), [
    "warning, not saved, , a task is pending",
    "warning, lost, 1 other sessions were used after it (--max-sessions-memory), a task is pending",
  ]);
});

Deno.test("Sessions no longer says why a session could not be saved once it is", async () => {
  const settings = { sessionIdleSeconds: 0.001 };
  const store = new FakeStore();
  const { sessions, opened, run, logged } = makeSessions(settings, store);
  await run("new");
  const [session] = opened;
  assert(session);
  const save = session.save.bind(session);
  session.reasons = ["a task is pending"];
  session.save = async (take) => {
    const saved = await save(take);
    session.reasons = [];
    return saved;
  };
  const info = () => sessions.list(A)[0];
  while (info()?.state !== "saved") await nextTimers();
  assertEquals(logged[0], "warning, not saved, , a task is pending");
  assertEquals(info()?.unsaved, undefined);
  await sessions.close();
});

Deno.test("Sessions tells that a saved state cannot be restored", async () => {
  const store = new FakeStore();
  const { sessions, run } = makeSessions({ maxSessions: 1 }, store);
  const { session } = await run("new");
  await run("new");
  store.files.clear();
  const told = await run(session);
  assertEquals(told.status, "session-lost");
  assertMatch(told.error, /its file is gone/);
  assertEquals((await run(session)).status, "success");
  await sessions.close();
});

Deno.test("Sessions restores a session though a process ends meanwhile, and gives up the second time", async () => {
  const store = new FakeStore();
  const { sessions, run, failing } = makeSessions({ maxSessions: 1 }, store);
  const { session } = await run("new");
  await run("new");
  failing.times = 1;
  assertEquals((await run(session)).value, [2, 2]);
  await run("new");
  failing.times = 2;
  const told = await run(session);
  assertEquals(told.status, "session-lost");
  assertMatch(told.error, /it cannot be restored: Its process has ended/);
  await sessions.close();
});

Deno.test("Sessions keeps the file of a session that found a full pool, and restores it at the next try", async () => {
  const store = new FakeStore();
  const { sessions, run, failing } = makeSessions({ maxSessions: 1 }, store);
  const { session } = await run("new");
  await run("new");
  Object.assign(failing, { times: 1, status: "busy" });
  assertEquals((await run(session)).status, "busy");
  assertEquals(sessions.list(A)[0]?.state, "saved");
  assertEquals((await run(session)).value, [2, 2]);
  await sessions.close();
});

Deno.test("Sessions copies a session from memory and from the store", async () => {
  const store = new FakeStore();
  const { sessions, opened, run } = makeSessions({}, store);
  const { session } = await run("new");
  const copy = await sessions.fork(session, A);
  assertEquals((await run(copy)).value, [1, 2]);
  assertEquals((await run(session)).value, [0, 2]);
  Object.assign(opened[0] ?? {}, { reasons: ["a task is pending"] });
  await assertRejects(
    () => sessions.fork(session, A),
    /^RangeError: Cannot copy session .*: a task is pending$/,
  );
  await assertRejects(() => sessions.fork(session, B), RangeError);
  Object.assign(opened[0] ?? {}, { reasons: [] });
  await sessions.close();
  const later = makeSessions({}, store);
  const third = await later.sessions.fork(session, A);
  assertEquals((await later.run(third)).value, [0, 3]);
  assertEquals((await later.run(session)).value, [1, 3]);
  await later.sessions.close();
});

Deno.test("Sessions ends no copy that is being made, to make room for itself", async () => {
  const { sessions, run } = makeSessions({ maxSessions: 2 });
  await run("new");
  const { session } = await run("new");
  const opening = run("new");
  await assertRejects(
    () => sessions.fork(session, A),
    /^RangeError: Cannot copy session .* as 2 are running/,
  );
  const { session: other } = await opening;
  assertEquals((await run(session)).value, [1, 2]);
  const copy = await sessions.fork(session, A);
  assertEquals((await run(copy)).status, "success");
  assertEquals((await run(other)).status, "session-lost");
  await sessions.close();
});

Deno.test("Sessions fails no other call as a session cannot be copied", async () => {
  const { sessions, opened, run } = makeSessions({ maxSessions: 2 });
  const { session } = await run("new");
  let other: ReturnType<typeof run> | undefined;
  Object.assign(opened[0] ?? {}, {
    save() {
      // It needs room while the copy is being opened.
      other = run("new");
      return Promise.resolve({ reasons: ["a task is pending"] });
    },
  });
  await assertRejects(() => sessions.fork(session, A), /a task is pending/);
  assertEquals((await other)?.status, "busy");
  await sessions.close();
});

Deno.test("Sessions tells of a lost state again if its call was given up", async () => {
  const { sessions, opened, run } = makeSessions();
  const { session } = await run("new");
  await opened[0]?.close();
  const signal = AbortSignal.abort();
  await sessions.run(session, A, REQUEST, { signal });
  assertEquals((await run(session)).status, "session-lost");
  assertEquals((await run(session)).status, "success");
  await sessions.close();
});

Deno.test("Sessions ends a saved session for good, though a call of it comes meanwhile", async () => {
  const store = new FakeStore();
  const session = await openStored(store);
  const { sessions, opened, run } = makeSessions({}, store);
  let after: ReturnType<typeof run> | undefined;
  store.onRemove = async () => {
    after ??= run(session);
    await nextTimers();
  };
  await sessions.end(session, A);
  assertEquals((await after)?.status, "session-lost");
  assertEquals([sessions.list(A), opened], [[], []]);
  await assertRejects(() => sessions.end(session, A), RangeError);
  await sessions.close();
});

Deno.test("Sessions gives no handle with the result of a call whose session has ended", async () => {
  const { sessions, opened, run } = makeSessions();
  const { session } = await run("new");
  const running = Promise.withResolvers<RunResult>();
  Object.assign(opened[0] ?? {}, {
    run: () => running.promise,
    close: () => running.resolve(refusal("cancelled", "It was ended.")),
  });
  const call = run(session);
  await sessions.end(session, A);
  assertEquals((await call).session, "");
  await sessions.close();
});

Deno.test("Sessions has a client's default session start from nothing, if that asks for it", async () => {
  const { sessions, opened, run } = makeSessions({ stateful: true });
  // There is none before.
  assertEquals((await run("reset", A)).value, [0, 1]);
  assertEquals((await run(undefined, B)).value, [1, 1]);
  const again = await run("reset", A);
  assertEquals([again.value, again.session], [[2, 1], ""]);
  assertEquals((await run(undefined, A)).value, [2, 2]);
  assertEquals((await run(undefined, B)).value, [1, 2]);
  assertEquals(opened.map(({ isClosed }) => isClosed), [true, false, false]);
  await sessions.close();
  const named = makeSessions({ stateful: false });
  assertEquals((await named.run("reset", A)).status, "invalid-arguments");
});

Deno.test("Sessions opens another default session for a call that comes while it ends", async () => {
  const { sessions, opened, run } = makeSessions({ stateful: true });
  await run();
  let after: ReturnType<typeof run> | undefined;
  Object.assign(opened[0] ?? {}, {
    close: () => void (after = run()),
  });
  await sessions.end(undefined, A);
  assertEquals((await after)?.value, [1, 1]);
  await sessions.close();
});

Deno.test("Sessions gives no call the refusal of another call that could not open the session", async () => {
  const { sessions, run } = makeSessions({ stateful: true });
  const denied = { ...REQUEST, code: "denied" };
  const [first, second, third, fourth] = await Promise.all([
    sessions.run(undefined, A, denied),
    run(),
    sessions.run(undefined, A, denied),
    run(),
  ]);
  assertEquals(first.status, "denied");
  assertEquals([second.value, fourth.value], [[0, 1], [0, 3]]);
  assertEquals(third.status, "success");
  const signal = AbortSignal.abort();
  const [cancelled, next] = await Promise.all([
    sessions.run(undefined, C, REQUEST, { signal }),
    run(undefined, C),
  ]);
  assertEquals([cancelled.status, next.value], ["cancelled", [1, 1]]);
  await sessions.run(undefined, B, denied);
  assertEquals(sessions.list(B), []);
  await sessions.close();
});

Deno.test("Sessions makes room of an interpreter that a look has found ended", async () => {
  const { sessions, opened, run } = makeSessions({ maxSessions: 1 });
  const { session } = await run("new");
  Object.assign(opened[0] ?? {}, { isLost: true });
  await sessions.maybeLook(session, A, REQUEST);
  assertEquals(sessions.list(A)[0]?.state, "lost");
  assertEquals((await run("new")).status, "success");
  assertEquals((await run(session)).status, "session-lost");
  await sessions.close();
});

Deno.test("Sessions keeps a saved session that found no room, though no code ran in it", async () => {
  const settings = { maxSessions: 1, stateful: true };
  const { sessions, opened, run } = makeSessions(settings, new FakeStore());
  const look = () => sessions.look(undefined, A, { ...REQUEST, look: "files" });
  await look();
  const { session } = await run("new");
  Object.assign(opened[1] ?? {}, {
    run: async () => (await look()).status === "busy" ? FRESH : undefined,
  });
  assertEquals((await run(session)).value, "fresh");
  const found = await look();
  assertEquals(Object(found).returnValue?.[1], 2);
  await sessions.close();
});

Deno.test("Sessions copies a saved session before calls that come later restore it", async () => {
  const store = new FakeStore();
  const session = await openStored(store);
  const { sessions, run } = makeSessions({}, store);
  let restored: ReturnType<typeof run> | undefined;
  store.onRead = async () => {
    if (restored) return;
    restored = run(session);
    for (let tick = 0; tick < 5; tick++) await nextTimers();
  };
  const [one = "", two = ""] = await Promise.all(
    [1, 2].map(() => sessions.fork(session, A)),
  );
  assertEquals(Object((await restored)?.value)[1], 2);
  assertEquals((await run(one)).status, "success");
  assertEquals((await run(two)).status, "success");
  await sessions.close();
});

Deno.test("Sessions does not end a session while it is copied", async () => {
  const { sessions, opened, run } = makeSessions({ sessionIdleSeconds: 0.001 });
  const { session } = await run("new");
  const { begun, goOn } = holdSave(opened[0]);
  const copying = sessions.fork(session, A);
  await begun();
  await nextTimers();
  assertEquals(opened[0]?.isClosed, false);
  goOn();
  await copying;
  await sessions.close();
});

Deno.test("Sessions says of a lost session that it cannot be copied, and counts a copy's memory", async () => {
  const { sessions, opened, run } = makeSessions();
  const { session } = await run("new");
  await sessions.fork(session, A);
  assertEquals(sessions.list(A).map(({ memoryMiB }) => memoryMiB), [1, 1]);
  Object.assign(opened[0] ?? {}, { dies: "crashed" });
  await run(session);
  await assertRejects(
    () => sessions.fork(session, A),
    /its state is gone: its interpreter ended in an earlier call \(crashed\)/,
  );
  assertMatch((await run(session)).resumed ?? "", /starts from nothing/);
  await sessions.close();
});

Deno.test("Sessions restores no session for a call that waits as all end", async () => {
  const store = new FakeStore();
  const settings = { sessionIdleSeconds: 0.001 };
  const { sessions, opened, run } = makeSessions(settings, store);
  const { session } = await run("new");
  const { begun, goOn } = holdSave(opened[0]);
  await begun();
  const waiting = run(session);
  const closed = sessions.close();
  goOn();
  await closed;
  assertEquals((await waiting).status, "cancelled");
  assertEquals((await run("new")).status, "cancelled");
  assertEquals(store.files.size, 1);
  assertEquals(opened.length, 1);
});

Deno.test("Sessions runs calls in order that find a saved session", async () => {
  const store = new FakeStore();
  const earlier = makeSessions({}, store);
  const { session } = await earlier.run("new");
  await earlier.sessions.close();
  const { sessions, run } = makeSessions({}, store);
  const load = store.load.bind(store);
  let delayMs = 20;
  store.load = async (...session) => {
    await new Promise((resolve) => setTimeout(resolve, delayMs -= 10));
    return await load(...session);
  };
  const calls = await Promise.all([run(session), run(session), run(session)]);
  assertEquals(calls.map(({ value }) => value), [[0, 2], [0, 3], [0, 4]]);
  await sessions.close();
});

Deno.test("Sessions ends an unused session that can never be saved", async () => {
  const settings = { sessionIdleSeconds: 0.001 };
  const { sessions, opened, run, logged } = makeSessions(
    settings,
    new FakeStore(),
  );
  const { session } = await run("new");
  Object.assign(opened[0] ?? {}, { reasons: ["a task is pending"] });
  while (!opened[0]?.isClosed) await nextTimers();
  const told = await run(session);
  assertMatch(told.error, /not used for 0\.001 s \(--session-idle\)/);
  assertEquals(logged.map((line) => line.split(", ")[1]), [
    ...["not saved", "not saved", "not saved", "lost"],
  ]);
  await sessions.close();
});

Deno.test("Sessions keeps the file of a restored session while its code runs, as its server may be killed", async () => {
  const store = new FakeStore();
  const session = await openStored(store);
  const { sessions, opened, run } = makeSessions({}, store);
  await sessions.look(session, A, { ...REQUEST, look: "files" });
  assertEquals([opened.length, store.files.size], [1, 1]);
  const running = Promise.withResolvers<RunResult>();
  const { run: really } = FakeSession.prototype;
  const begun = Promise.withResolvers<void>();
  Object.assign(opened[0] ?? {}, {
    run() {
      begun.resolve();
      return running.promise;
    },
  });
  const call = run(session);
  await begun.promise;
  assertEquals(store.files.size, 1);
  running.resolve(FRESH);
  assertEquals((await call).value, "fresh");
  assertEquals(store.files.size, 1);
  Object.assign(opened[0] ?? {}, { run: really });
  await sessions.close();
  assertEquals(store.files.size, 1);
});

Deno.test("Sessions copies a session as it is before the calls that come later", async () => {
  const { sessions, run } = makeSessions();
  const { session } = await run("new");
  const before = run(session);
  const copying = sessions.fork(session, A);
  const after = run(session);
  const copy = await copying;
  assertEquals([(await before).value, (await after).value], [[0, 2], [0, 3]]);
  assertEquals((await run(copy)).value, [1, 3]);
  await sessions.close();
});

Deno.test("Sessions counts no look as a run", async () => {
  const { sessions, run } = makeSessions();
  const { session } = await run("new");
  await sessions.look(session, A, { ...REQUEST, look: "files" });
  assertEquals(sessions.list(A).map(({ runs }) => runs), [1]);
  await sessions.close();
});

/** Causes that were counted, without those that were not. */
function countedOf({ figures }: Sessions) {
  const { losses, evictions, unsaved, saveSeconds, restoreSeconds } = figures;
  const counted = (counts: Record<string, number>) =>
    Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
  return {
    lost: counted(losses),
    evicted: counted(evictions),
    notSaved: counted(unsaved),
    saves: saveSeconds.cumulated.at(-1)?.count,
    restores: restoreSeconds.cumulated.at(-1)?.count,
  };
}

Deno.test("Sessions counts each lost state once, by its cause", async () => {
  for (
    const [dies, cause] of [
      ...[["timeout", "time"], ["memory-limit", "memory"]] as const,
      ...[["cancelled", "killed"], ["crashed", "crashed"]] as const,
    ]
  ) {
    const { sessions, opened, run } = makeSessions();
    const { session } = await run("new");
    Object.assign(opened[0] ?? {}, { dies });
    await Promise.all([run(session), run(session)]);
    await sessions.close();
    assertEquals(countedOf(sessions).lost, { [cause]: 1 });
  }
  const { sessions, opened, run } = makeSessions();
  const { session } = await run("new");
  opened[0]?.events?.onEnd("it was killed", "killed");
  await run(session);
  await sessions.close();
  assertEquals(countedOf(sessions).lost, { killed: 1 });
});

Deno.test("Sessions counts evictions by their cause, and losses for want of a store", async () => {
  const { sessions, run } = makeSessions({ maxSessions: 1 });
  await run("new");
  const { session } = await run("new");
  await sessions.end(session, A);
  await run("new");
  await sessions.close();
  assertEquals(countedOf(sessions), {
    lost: { "no-store": 2 },
    evicted: { room: 1, client: 1, shutdown: 1 },
    notSaved: {},
    ...{ saves: 0, restores: 0 },
  });
});

Deno.test("Sessions counts saves, restores, and why a save or a restore has failed", async () => {
  const store = new FakeStore();
  const { sessions, opened, run } = makeSessions({ maxSessions: 1 }, store);
  const { session: one } = await run("new");
  const { session: two } = await run("new");
  await run(one);
  assert(opened[2]);
  opened[2].reasons = ["It has a thread."];
  await run(two);
  store.save = () => Promise.resolve("failed");
  await run("new");
  store.files.clear();
  await sessions.close();
  assertEquals(countedOf(sessions), {
    lost: { "not-saved": 2 },
    evicted: { room: 3, shutdown: 1 },
    notSaved: { state: 1, store: 3 },
    ...{ saves: 2, restores: 2 },
  });
});

Deno.test("Sessions counts a save that cannot be read as a lost session", async () => {
  const store = new FakeStore();
  const { sessions, run } = makeSessions({ maxSessions: 1 }, store);
  const { session } = await run("new");
  await run("new");
  store.files.clear();
  await run(session);
  await sessions.close();
  const { lost, restores } = countedOf(sessions);
  assertEquals([lost, restores], [{ unreadable: 1 }, 0]);
});

const LONG = { mostMs: 60_000, saveMs: 60_000, sleepMs: 60_000 };
const SOON = { storing: { ...LONG, restMs: 1 } };

/** Waits until the store has a session's runs. */
async function untilStored(store: FakeStore, runs: string): Promise<void> {
  const stored = () =>
    [...store.files.values()]
      .map(({ pieces }) => new TextDecoder().decode(concat(pieces)));
  while (!stored().includes(runs)) await nextTimers();
}

/** Waits until so many saves are counted. */
async function untilSaved(sessions: Sessions, count: number): Promise<void> {
  while (countedOf(sessions).saves !== count) await nextTimers();
}

Deno.test("Sessions stores a session while it rests, and again after its next run", async () => {
  const store = new FakeStore();
  const { sessions, opened, run } = makeSessions(SOON, store);
  const { session } = await run("new");
  await untilStored(store, "1");
  await run(session);
  await untilStored(store, "2");
  assertEquals([opened.length, opened[0]?.isClosed], [1, false]);
  await untilSaved(sessions, 2);
  await sessions.close();
  assertEquals(countedOf(sessions).saves, 2);
});

Deno.test("Sessions stores a session that never rests between two of its runs", async () => {
  const store = new FakeStore();
  const storing = { ...LONG, restMs: 60_000, mostMs: 10 };
  const { sessions, run } = makeSessions({ storing }, store);
  const { session } = await run("new");
  while (store.files.size === 0) {
    await run(session);
    await nextTimers();
  }
  await sessions.close();
});

Deno.test("Sessions does not store a session that never rests all the time", async () => {
  const store = new FakeStore();
  const storing = { ...LONG, restMs: 60_000, mostMs: 1000 };
  const { sessions, opened, run } = makeSessions({ storing }, store);
  const { session } = await run("new");
  const save = holdSave(opened[0]);
  await save.begun();
  // It changes while it is stored, as it does all the time.
  await run(session);
  save.goOn();
  while (countedOf(sessions).saves === 0) await nextTimers();
  for (let turn = 0; turn < 20; turn++) await nextTimers();
  assertEquals(countedOf(sessions).saves, 1);
  await untilSaved(sessions, 2);
  await sessions.close();
});

Deno.test("Sessions goes on from the stored state when an interpreter dies, and says so once", async () => {
  const store = new FakeStore();
  const { sessions, opened, run } = makeSessions(SOON, store);
  const { session } = await run("new");
  await untilStored(store, "1");
  Object.assign(opened[0] ?? {}, { dies: "memory-limit" });
  const died = await run(session);
  assertMatch(
    died.error,
    /^It failed\. The session goes on from its state of \d+ s ago: the changes since are lost\.$/,
  );
  const next = await run(session);
  assertEquals([next.status, next.value], ["success", [1, 2]]);
  assertMatch(next.resumed ?? "", /^The session goes on from its state of/);
  assertEquals((await run(session)).resumed, undefined);
  await sessions.close();
});

Deno.test("Sessions loses nothing, and says nothing, when an interpreter dies that is stored", async () => {
  const store = new FakeStore();
  const { sessions, opened, run } = makeSessions(SOON, store);
  const { session } = await run("new");
  await untilStored(store, "1");
  await untilSaved(sessions, 1);
  Object.assign(opened[0] ?? {}, { isLost: true });
  opened[0]?.events?.onEnd("killed");
  const next = await run(session);
  assertEquals([next.value, next.resumed], [[1, 2], undefined]);
  await sessions.close();
});

Deno.test("Sessions refuses to go on from an older state, if it is strict", async () => {
  const store = new FakeStore();
  const settings = { ...SOON, lostSessions: "refuse" as const };
  const { sessions, opened, run } = makeSessions(settings, store);
  const { session } = await run("new");
  await untilStored(store, "1");
  Object.assign(opened[0] ?? {}, { dies: "memory-limit" });
  await run(session);
  assertEquals((await run(session)).status, "session-lost");
  assertEquals([store.files.size, opened.length], [0, 1]);
  await sessions.close();

  const other = await openStored(store);
  store.isOlder = true;
  const strict = makeSessions(settings, store);
  const lost = await strict.run(other);
  assertEquals(lost.status, "session-lost");
  assertMatch(lost.error, /code had run since it was stored/);
  await strict.sessions.close();
});

Deno.test("Sessions says that a session goes on without what a dead server ran since", async () => {
  const store = new FakeStore();
  const session = await openStored(store);
  store.isOlder = true;
  const { sessions, run } = makeSessions({}, store);
  const next = await run(session);
  assertEquals(next.value, [0, 2]);
  assertMatch(next.resumed ?? "", /the changes since are lost/);
  assertEquals((await run(session)).resumed, undefined);
  await sessions.close();
});

Deno.test("Sessions tells a caller which server has its session", async () => {
  const store = new FakeStore();
  const session = await openStored(store);
  const { sessions, run } = makeSessions({}, store);
  store.elsewhere = "process 7 of b has it";
  const busy = await run(session);
  assertEquals(busy.status, "busy");
  assertMatch(busy.error, /process 7 of b has it\. Try again in about 2 s\.$/);
  await assertRejects(
    () => sessions.info(session ?? "", A),
    /RangeError: .*process 7 of b has it/,
  );
  store.elsewhere = undefined;
  assertEquals((await run(session)).value, [0, 2]);
  await sessions.close();
});

Deno.test("Sessions gives no result of a session that another server has gone on with", async () => {
  const store = new FakeStore();
  const { sessions, opened, run } = makeSessions({}, store);
  const { session } = await run("new");
  store.belongs = "unknown";
  assertEquals((await run(session)).status, "busy");
  store.belongs = "elsewhere";
  const told = await run(session);
  assertEquals([told.status, told.value], ["session-lost", null]);
  assertMatch(told.error, /Another server has gone on/);
  assertEquals([opened[0]?.isClosed, sessions.list(A)], [true, []]);
  await sessions.close();
});

Deno.test("Sessions keeps a session that the store cannot take, and is busy for the newcomer", async () => {
  const store = new FakeStore();
  const { sessions, opened, run } = makeSessions({ maxSessions: 1 }, store);
  const { session } = await run("new");
  const save = store.save.bind(store);
  let tries = 0;
  store.save = () => {
    tries++;
    return Promise.resolve("failed");
  };
  const refused = await run("new");
  assertEquals([refused.status, tries], ["busy", 2]);
  assertEquals((await run(session)).value, [0, 2]);
  store.save = save;
  await sessions.close();
  assertEquals([store.files.size, opened.length], [1, 1]);
});

Deno.test("Sessions keeps a session that does not rest in time, as on a busy machine", async () => {
  const { sessions, opened, run } = makeSessions(
    { maxSessions: 1 },
    new FakeStore(),
  );
  const { session } = await run("new");
  const [first] = opened;
  if (first) {
    const busy = { reasons: ["it computes"], cause: "busy" };
    first.save = () => Promise.resolve(busy);
  }
  assertEquals((await run("new")).status, "busy");
  const [info] = sessions.list(A);
  assertEquals([info?.state, info?.unsaved], ["ready", ["it computes"]]);
  assertEquals((await run(session)).value, [0, 2]);
  await sessions.close();
});

Deno.test("Sessions keeps a session whose save took too long", async () => {
  const store = new FakeStore();
  const storing = { ...LONG, restMs: 60_000, saveMs: 0 };
  const { sessions, opened, run } = makeSessions(
    { maxSessions: 1, storing },
    store,
  );
  const { session } = await run("new");
  assert(opened[0]);
  const { save } = opened[0];
  opened[0].save = async (take) => {
    try {
      return await save.call(opened[0]!, take);
    } catch (error) {
      return { reasons: [`${error}`], cause: "store" as const };
    }
  };
  assertEquals((await run("new")).status, "busy");
  assertEquals((await run(session)).value, [0, 2]);
  await sessions.close();
});

Deno.test("Sessions lets a session that rests go to a server that asks for it", async () => {
  const store = new FakeStore();
  const { sessions, opened, run } = makeSessions({}, store);
  const { session } = await run("new");
  const freed: string[] = [];
  store.free = (handle) => {
    freed.push(handle);
    return Promise.resolve();
  };
  const running = run(session);
  store.onWanted(toKey(session));
  assertEquals((await running).value, [0, 2]);
  assertEquals([freed, opened[0]?.isClosed], [[], false]);
  store.onWanted(toKey(session));
  while (freed.length === 0) await nextTimers();
  assertEquals([freed[0], opened[0]?.isClosed], [session, true]);
  assertEquals((await run(session)).value, [1, 3]);
  await sessions.close();
});

Deno.test("Sessions counts what the process of each session takes", async () => {
  const settings = { maxSessionsMiB: 250, sessionMiB: 100 };
  const { sessions, opened, run } = makeSessions(settings);
  await run("new");
  await run("new");
  assertEquals(opened.filter(({ isClosed }) => isClosed).length, 0);
  await run("new");
  assertEquals(opened.map(({ isClosed }) => isClosed), [true, false, false]);
  await sessions.close();
});

Deno.test("Sessions puts stored sessions to sleep that were not used, while memory is short", async () => {
  const store = new FakeStore();
  const sessionMiB = 300;
  const makeShort = (sleepMs: number) => {
    const storing = { ...SOON.storing, sleepMs };
    return makeSessions({ maxSessionsMiB: 1000, sessionMiB, storing }, store);
  };
  for (const [sleepMs, sleeping] of [[60_000, 0], [0, 1]] as const) {
    const { sessions, opened, run } = makeShort(sleepMs);
    await run("new");
    await run("new");
    await untilSaved(sessions, 2);
    await nextTimers();
    await run("new");
    await nextTimers();
    const closed = opened.map(({ isClosed }) => isClosed);
    assertEquals(closed, [sleeping > 0, false, false]);
    await sessions.close();
  }
});

Deno.test("Sessions stores a session in which files were written, as after a run", async () => {
  const store = new FakeStore();
  const { sessions, run } = makeSessions(SOON, store);
  const { session } = await run("new");
  await untilSaved(sessions, 1);
  await sessions.look(session, A, { ...REQUEST, look: "write_files" });
  await untilSaved(sessions, 2);
  await sessions.look(session, A, { ...REQUEST, look: "read_file" });
  await nextTimers();
  await sessions.close();
  assertEquals(countedOf(sessions).saves, 2);
});

Deno.test("Sessions tries again to store a session that could not be saved", async () => {
  const store = new FakeStore();
  const storing = { ...LONG, restMs: 1, mostMs: 1 };
  const { sessions, opened, run } = makeSessions({ storing }, store);
  await run("new");
  assert(opened[0]);
  opened[0].reasons = ["a task is pending"];
  const { unsaved } = sessions.figures;
  while (unsaved.state < 2) await nextTimers();
  opened[0].reasons = [];
  await untilStored(store, "1");
  await sessions.close();
});

Deno.test("Sessions says once in a result that a session could not be saved, until it is", async () => {
  const store = new FakeStore();
  const storing = { ...LONG, restMs: 1, mostMs: 1 };
  const { sessions, opened, run } = makeSessions({ storing }, store);
  const { session } = await run("new");
  const [fake] = opened;
  assert(fake);
  const { unsaved } = sessions.figures;
  const triedWith = async (...reasons: string[]) => {
    fake.reasons = reasons;
    const before = unsaved.state;
    // The one that is under way may have the reasons before.
    while (unsaved.state < before + 2) await nextTimers();
    return (await run(session)).unsaved;
  };
  assertEquals(
    await triedWith("asyncio tasks are pending: 1 (<coroutine f>)"),
    "This session could not be saved: asyncio tasks are pending: 1 (<coroutine f>). Await or cancel them. Otherwise its state is gone when the server ends.",
  );
  assertEquals((await run(session)).unsaved, undefined);
  const again = await triedWith("asyncio tasks are pending: 2 (<coroutine g>)");
  assertEquals(again, undefined);
  assertMatch(
    await triedWith("threads run") ?? "",
    /: threads run\. Join the threads/,
  );
  fake.reasons = [];
  await untilStored(store, `${fake.runs}`);
  assertEquals((await run(session)).unsaved, undefined);
  assertMatch(
    await triedWith("threads run") ?? "",
    /Otherwise its changes since its last save are gone when the server ends\.$/,
  );
  fake.reasons = [];
  await sessions.close();
});

Deno.test("Sessions says that the store did not take a session", async () => {
  const store = new FakeStore();
  const storing = { ...LONG, restMs: 1, mostMs: 1 };
  const { sessions, run } = makeSessions({ storing }, store);
  store.save = () => Promise.resolve("failed");
  const { session } = await run("new");
  while (sessions.figures.unsaved.store === 0) await nextTimers();
  const { unsaved } = await run(session);
  assertMatch(unsaved ?? "", /the store did not take it\. The server's log/);
  await sessions.close();
});

Deno.test("Sessions lets a session go whose interpreter has ended", async () => {
  const store = new FakeStore();
  const { sessions, opened, run } = makeSessions(SOON, store);
  const { session } = await run("new");
  await untilStored(store, "1");
  const freed: string[] = [];
  store.free = (handle) => {
    freed.push(handle);
    return Promise.resolve();
  };
  Object.assign(opened[0] ?? {}, { isLost: true });
  opened[0]?.events?.onEnd("killed");
  store.onWanted(toKey(session));
  await nextTimers();
  assertEquals(freed, [session]);
  assertEquals((await run(session)).value, [1, 2]);
  await sessions.close();
});

Deno.test("Sessions counts no try to let a session go as a time for which it was not used", async () => {
  const store = new FakeStore();
  const settings = { sessionIdleSeconds: 0.2 };
  const { sessions, opened, run, logged } = makeSessions(settings, store);
  const { session } = await run("new");
  Object.assign(opened[0] ?? {}, { reasons: ["a task is pending"] });
  for (let times = 1; times <= 4; times++) {
    store.onWanted(toKey(session));
    while (logged.length < times) await nextTimers();
  }
  while (!opened[0]?.isClosed) await nextTimers();
  assert(logged.length > 5, logged.join("\n"));
  await sessions.close();
});

Deno.test("Sessions lets the lease of a session go that is forgotten", async () => {
  const store = new FakeStore();
  const lostSessions = "refuse" as const;
  const { sessions, opened, run } = makeSessions({ lostSessions }, store);
  const { session } = await run("new");
  const freed: string[] = [];
  store.free = (handle) => {
    freed.push(handle);
    return Promise.resolve();
  };
  Object.assign(opened[0] ?? {}, { dies: "crashed" });
  await run(session);
  assertEquals((await run(session)).status, "session-lost");
  assertEquals(freed, [session]);
  await sessions.close();
});

Deno.test("Sessions stores a session again that makes room, if its stored state is gone", async () => {
  const store = new FakeStore();
  const settings = { ...SOON, maxSessions: 1 };
  const { sessions, run } = makeSessions(settings, store);
  const { session } = await run("new");
  await untilStored(store, "1");
  await untilSaved(sessions, 1);
  // It made room for others (--max-stored-sessions).
  store.files.clear();
  await run("new");
  assertEquals((await run(session)).value, [2, 2]);
  await sessions.close();
});

Deno.test("Sessions stores sessions though the saves of others do not end", async () => {
  const store = new FakeStore();
  const storing = { ...SOON.storing, saveMs: 50 };
  const { sessions, opened, run } = makeSessions({ storing }, store);
  await run("new");
  await run("new");
  const ends: (() => void)[] = [];
  for (const session of opened) {
    session.save = () =>
      new Promise((resolve) => ends.push(() => resolve({ reasons: ["late"] })));
  }
  while (ends.length < 2) await nextTimers();
  await run("new", B);
  await untilStored(store, "1");
  for (const end of ends) end();
  for (const session of opened) session.save = FakeSession.prototype.save;
  await sessions.close();
});

Deno.test("Sessions looks for a session again if the call that looked for it was given up", async () => {
  const store = new FakeStore();
  const session = await openStored(store);
  const { sessions, run } = makeSessions({}, store);
  const { claim } = store;
  const claiming = Promise.withResolvers<void>();
  const ending = new AbortController();
  store.claim = async (handle, owner, signal?: AbortSignal) => {
    claiming.resolve();
    while (!ending.signal.aborted) await nextTimers();
    return signal?.aborted
      ? { elsewhere: "another has it", seconds: 2 }
      : claim.call(store, handle, owner);
  };
  const given = sessions.run(session, A, REQUEST, { signal: ending.signal });
  await claiming.promise;
  const next = run(session);
  ending.abort();
  assertEquals((await next).value, [0, 2]);
  await given;
  await sessions.close();
});

Deno.test("Sessions ends an interpreter whose session another server has, as it is to be stored", async () => {
  const store = new FakeStore();
  const { sessions, opened, run } = makeSessions(SOON, store);
  store.save = () => Promise.resolve("moved");
  const { session } = await run("new");
  while (!opened[0]?.isClosed) await nextTimers();
  assertEquals(countedOf(sessions).lost, { moved: 1 });
  assertEquals((await run(session)).status, "success");
  await sessions.close();
});

Deno.test("Sessions says of a copy, too, that it lacks what its original has lost", async () => {
  const store = new FakeStore();
  const session = await openStored(store);
  store.isOlder = true;
  const { sessions, run } = makeSessions({}, store);
  const copy = await sessions.fork(session, A);
  assertMatch((await run(copy)).resumed ?? "", /the changes since are lost/);
  assertEquals((await run(copy)).resumed, undefined);
  assertMatch((await run(session)).resumed ?? "", /the changes since are lost/);
  await sessions.close();
});

Deno.test("Sessions says what was lost though its first run since is in another server", async () => {
  const store = new FakeStore();
  const session = await openStored(store);
  store.isOlder = true;
  const second = makeSessions({}, store);
  await second.sessions.look(session, A, { ...REQUEST, look: "write_files" });
  await second.sessions.close();
  store.isOlder = false;
  const { sessions, run } = makeSessions({}, store);
  assertMatch((await run(session)).resumed ?? "", /the changes since are lost/);
  assertEquals((await run(session)).resumed, undefined);
  await sessions.close();
});

Deno.test("Sessions says that a session may come back whose stored state cannot be removed", async () => {
  const store = new FakeStore();
  const { sessions, run } = makeSessions({}, store);
  const { session } = await run("new");
  store.remove = () => Promise.resolve(false);
  const told = await sessions.end(session, A).catch(({ message }) => message);
  assertMatch(`${told}`, /its stored state could not be removed/);
  assertEquals(sessions.list(A), []);
  await sessions.close();
});
