import { basename } from "node:path";
import { LOCK } from "../../../src/keeper/folder_lock.ts";
import { makeCache } from "../../support/cache.ts";
import { tempFolder } from "../../support/folder.ts";
import {
  descendants,
  processesNamed,
  whichOutlive,
} from "../../support/processes.ts";
import type { TestServer } from "../../support/server.ts";
import { untilIdle } from "../idle.ts";
import { Random } from "./random.ts";
import { SESSION_KINDS, type SessionKind } from "./session_kinds.ts";
import { SessionModel, type Verdict } from "./session_model.ts";
import { maybeSignal, type Soaked, startLazy, untilFloor } from "./soak.ts";
import { Tally } from "./tally.ts";
import { lookAt, pathsIn } from "./usage.ts";

export interface SessionSoakOptions {
  calls: number;
  sessions: number;
  /** Calls under way at once, each in a session of its own. */
  callers: number;
  seed: number;
  /**
   * Whether unused sessions are saved, of which there are more than there may be
   * in memory.
   */
  hasStore: boolean;
  /** Servers one after another; with a store, sessions outlive each. */
  servers: number;
  /** Share of the faults that stop a process, and do not kill it. */
  stops: number;
  onProgress?(tally: Tally, faults: number): void;
}

const LIMITS = [
  ...["--memory", "256", "+startTimeoutSeconds=15", "+saveAllSeconds=600"],
];
const PATIENCE_S = 10;
/** Share of answers after which a sandbox process is killed or stopped. */
const FAULTS = 0.06;
const SAMPLE_EVERY = 10;

/**
 * Has real servers serve sessions, some of whose processes die. Each session keeps
 * a secret and a count, by which each answer is judged.
 */
export async function soakSessions(
  options: SessionSoakOptions,
): Promise<Soaked> {
  const { sessions, callers, hasStore } = options;
  await using cache = await makeCache();
  await using folder = await tempFolder();
  const [store, temporary] = await folder.make("store", "tmp");
  await Deno.chmod(store, 0o700);
  const random = new Random(options.seed);
  const tally = new Tally(SESSION_KINDS);
  const faults = { killed: 0, stopped: 0 };
  const held: Soaked["held"] = [];
  const outlive: number[] = [];
  const models = Array.from({ length: sessions }, () => new SessionModel());
  const before = pathsIn(cache.folder);
  // A caller may have a copy besides.
  const inMemory = hasStore ? 2 * callers : sessions + callers;
  const args = [
    ...["--cache-dir", cache.folder, ...LIMITS],
    ...["+pool=1", "--max-concurrency", "2", "+maxQueue=100"],
    ...[`+maxSessions=${inMemory}`],
    ...["--max-sessions-memory", "100000"],
    ...(hasStore ? ["--session-store", store, "--session-idle", "2"] : []),
  ];

  for (let left = options.servers; left > 0; left--) {
    const calls = Math.ceil(options.calls / options.servers);
    const server = await startLazy(args, random, { TMPDIR: temporary });
    await untilIdle(server.pid);
    const start = lookAt(server.pid);
    const samples = await serve(server, calls);
    if (left === 1 || !hasStore) await endAll(server);
    // Unused sessions are saved.
    await untilFloor(server);
    await untilIdle(server.pid);
    held.push({ start, samples, end: lookAt(server.pid) });
    const family = [server.pid, ...descendants(server.pid)];
    await server.end();
    for (const model of models) model.noteServerEnd();
    outlive.push(...await whichOutlive(family));
    if (!hasStore) { for (const model of models) model.forget(); }
  }
  const files = [
    ...pathsIn(cache.folder).filter((path) => !before.includes(path)),
    ...pathsIn(temporary),
    // The lock of a keeper's folder stays.
    ...pathsIn(store).filter((path) => basename(path) !== LOCK),
  ];
  return { tally, faults, held, outlive, files };

  async function serve(server: TestServer, calls: number) {
    const samples: Soaked["held"][number]["samples"] = [];
    const stopped = new Set<number>();
    const free = [...models];
    await Promise.all(Array.from({ length: callers }, async () => {
      while (calls-- > 0) {
        const model = random.pick(free) ?? new SessionModel();
        free.splice(free.indexOf(model), 1);
        await callOnce(server, model);
        free.push(model);
        maybeFault(server, stopped);
        if (calls % SAMPLE_EVERY === 0) samples.push(lookAt(server.pid));
        options.onProgress?.(tally, faults.killed + faults.stopped);
      }
    }));
    for (const pid of stopped) maybeSignal(pid, "SIGCONT");
    return samples;
  }

  async function callOnce(
    server: TestServer,
    model: SessionModel,
  ): Promise<void> {
    const kind = random.pickByWeight(SESSION_KINDS);
    // These need an open session.
    if (model.handle === undefined) return (await call(server, model, USUAL))();
    if (kind.name === "is ended") return await end(server, model);
    if (kind.name === "is copied") return await copy(server, model, kind);
    const judges = await Promise.all(
      Array.from({ length: kind.times ?? 1 }, () => call(server, model, kind)),
    );
    // Answers may come in another order than their calls ran.
    for (const judge of judges) judge();
  }

  /** Makes a call; the result judges its answer. */
  async function call(
    server: TestServer,
    model: SessionModel,
    kind: SessionKind,
  ): Promise<() => void> {
    const { mayKill = false, isUnsaved = false, times = 1, code = "" } = kind;
    const offered = model.offer();
    const cancel = new AbortController();
    const late = kind.isCancelled
      ? setTimeout(() => cancel.abort(), random.next() * 500)
      : undefined;
    try {
      const called = await server.call(code, {
        global_variables: { offered },
        timeout: kind.timeoutSeconds ?? PATIENCE_S,
        session: model.handle ?? "new",
      }, { signal: cancel.signal });
      return () => {
        const { session } = called.structured;
        if (typeof session === "string") model.handle = session;
        const isUnknown = /^There is no session/.test(called.error ?? "");
        const verdict = isUnknown
          ? model.forget()
          : model.answered(called, offered, { mayKill, isAtOnce: times > 1 });
        note(kind, verdict, `${offered}: ${called.text}`);
        if (isUnsaved) model.mayBeLost();
      };
    } catch (error) {
      const isGivenUp = cancel.signal.aborted;
      return () => {
        if (!isGivenUp) return note(kind, "wrong", String(error));
        model.givenUp(offered);
        tally.cancelled(kind);
      };
    } finally {
      clearTimeout(late);
    }
  }

  async function copy(
    server: TestServer,
    model: SessionModel,
    kind: SessionKind,
  ): Promise<void> {
    const [handle, text] = await callTool(server, "fork_session", model);
    // It may be lost, or at a task.
    if (handle === undefined) return note(kind, model.notCopied(), text);
    const copied = model.copy(handle);
    (await call(server, copied, { ...USUAL, name: kind.name }))();
    await callTool(server, "end_session", copied);
  }

  async function end(server: TestServer, model: SessionModel): Promise<void> {
    const [, text, isError] = await callTool(server, "end_session", model);
    const verdict = model.forget();
    const isRight = !isError || verdict === "right";
    note({ name: "is ended" }, isRight ? "right" : "lost", text);
  }

  async function endAll(server: TestServer): Promise<void> {
    for (const model of models) {
      if (model.handle !== undefined) await end(server, model);
    }
  }

  function note(
    kind: Pick<SessionKind, "name">,
    verdict: Verdict,
    text: string,
  ): void {
    if (verdict === "wrong") tally.failed(kind, "", text.slice(0, 1000));
    else tally.count(kind, verdict);
    if (verdict === "lost") tally.lost.push(`${kind.name}, ${text}`);
  }

  function maybeFault({ pid }: TestServer, stopped: Set<number>): void {
    if (!random.isIn(FAULTS)) return;
    const isStop = random.isIn(options.stops);
    const sandbox = random.pick(processesNamed("sandbox", pid));
    if (sandbox === undefined) return;
    if (!maybeSignal(sandbox, isStop ? "SIGSTOP" : "SIGKILL")) return;
    faults[isStop ? "stopped" : "killed"]++;
    if (isStop) stopped.add(sandbox);
  }
}

const [USUAL] = SESSION_KINDS;

/** Calls a tool with a session; gives the handle that is in the answer, and all of its text. */
async function callTool(
  { client }: TestServer,
  name: string,
  { handle }: SessionModel,
): Promise<[handle: string | undefined, text: string, isError: boolean]> {
  const { structuredContent, isError = false, content } = await client.callTool(
    { name, arguments: { session: handle } },
  );
  const { session } = Object(structuredContent);
  const text = JSON.stringify(content);
  return [typeof session === "string" ? session : undefined, text, isError];
}
