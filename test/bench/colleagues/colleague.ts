import type { HttpServer } from "../../support/http_server.ts";
import { type Kind, KINDS } from "../soak/kinds.ts";
import type { Random } from "../soak/random.ts";
import { makeNonce } from "../soak/tally.ts";
import type { Answer, Call } from "./caller.ts";
import { SESSION_KINDS, type SessionKind } from "./code.ts";
import { pause } from "./disturbances.ts";
import type { Faults } from "./faults.ts";
import type { Fleet } from "./fleet.ts";
import { type Judged, SessionHistory } from "./history.ts";
import type { Counts } from "./counts.ts";
import { type Reading, readRun, readTool } from "./told.ts";

/** Where a colleague works, and with whom. */
export interface Office {
  fleet: Fleet;
  faults: Faults;
  counts: Counts;
  /** The owner of each handle. */
  handles: Map<string, string>;
  /** All sessions that there ever were. */
  histories: SessionHistory[];
}

export interface ColleagueOptions {
  /** The name of its token, which it shares. */
  owner: string;
  /** The server that it asks first. */
  home: number;
  random: Random;
  /** Time before a piece of work, at most. */
  thinkMs: number;
  callOf(server: HttpServer): Call;
}

const SESSIONS = 2;
/** Share of calls that go to another server than the others of a colleague. */
const ELSEWHERE = 0.15;
/** Time after which a refused call is tried again. */
const RETRY_MS = 500;
const MOST_TRIES = 120;
/** Most clients wait for a server that stands still, some do not. */
const PATIENCE_MS = { short: 8000, long: 120_000, isShort: 0.2 };
const TIMEOUT_S = 60;

const FRESH = 12;
/** What a colleague does besides runs in its sessions, and how often. */
const OTHERS = {
  fresh: { name: "fresh runs", weight: FRESH },
  write: { name: "write_file", weight: 4 },
  read: { name: "read_file", weight: 4 },
  fork: { name: "fork_session", weight: 2 },
  end: { name: "end_session", weight: 2 },
  list: { name: "list_sessions", weight: 3 },
  intrude: { name: "calls of another's session", weight: 2 },
} as const;
const [USUAL] = SESSION_KINDS;
const WORK = [
  USUAL,
  ...SESSION_KINDS.slice(1),
  ...Object.values(OTHERS),
] as const;

/** The names of all kinds of calls. */
export const CALLS: readonly string[] = WORK.map(({ name }) => name);

const FRESH_KINDS: [Kind, ...Kind[]] = [
  KINDS[0],
  ...KINDS.slice(1).filter(({ name, isCancelled, timeoutSeconds }) =>
    !isCancelled && timeoutSeconds === undefined &&
    !/without end|after its end|deep/.test(name)
  ),
];

let calls = 0;

/** A client that does its work in sessions of its own, and judges each answer. */
export class Colleague {
  #sessions: SessionHistory[] = [];

  constructor(private office: Office, private options: ColleagueOptions) {}

  /** Thinks, and does a piece of work. */
  async work(): Promise<void> {
    const { random, thinkMs } = this.options;
    await pause((0.1 + random.next()) * thinkMs);
    const session = random.pick(this.#sessions);
    if (!session || this.#sessions.length < SESSIONS) return await this.#open();
    const kind = random.pickByWeight([...WORK]);
    switch (kind) {
      case OTHERS.fresh:
        return await this.#runFresh();
      case OTHERS.write:
        return await this.#write(session);
      case OTHERS.read:
        return await this.#read(session);
      case OTHERS.fork:
        return await this.#fork(session);
      case OTHERS.end:
        return await this.#end(session);
      case OTHERS.list:
        return await this.#list();
      case OTHERS.intrude:
        return await this.#intrude();
      default:
        if ("code" in kind) await this.#run(session, kind);
    }
  }

  /** Looks once more at each session, at each server, and ends it. */
  async finish(): Promise<void> {
    for (const session of [...this.#sessions]) {
      for (const at of [0, 1]) await this.#run(session, USUAL, at);
      if (this.#sessions.includes(session)) await this.#end(session);
    }
  }

  async #open(): Promise<void> {
    const session = new SessionHistory(this.office.faults);
    this.office.histories.push(session);
    await this.#run(session, USUAL);
    if (session.handle !== undefined) this.#sessions.push(session);
  }

  async #run(
    session: SessionHistory,
    kind: SessionKind,
    at?: number,
  ): Promise<void> {
    const { times = 1, mayKill } = kind;
    const own = mayKill
      ? this.office.faults.begin(kind.name, session)
      : undefined;
    const from = times > 1 ? 0 : at;
    const answers = await Promise.all(
      Array.from(
        { length: times },
        (_, more) =>
          this.#runOnce(session, kind, from === undefined ? from : from + more),
      ),
    );
    // The process may end after its answer.
    if (own) own.until = performance.now();
    const wrong = answers.flatMap(({ reading }) =>
      "wrong" in reading ? reading.wrong : []
    );
    const judged = answers.flatMap(({ reading, ...rest }): Judged[] =>
      "told" in reading ? [{ ...rest, told: reading.told }] : []
    ).sort((one, other) => one.ended - other.ended);
    const before = session.violations.length;
    const verdicts = session.judge(judged);
    for (const what of wrong) session.wrong(what);
    const isWrong = session.violations.length > before;
    for (const [at, { begun, ended, server }] of answers.entries()) {
      const verdict = isWrong ? "wrong" : verdicts[at] ?? "wrong";
      this.office.counts.count(kind.name, verdict, ended - begun);
      if (verdict === "right" || verdict === "resumed") {
        this.office.fleet.served(server, begun);
      }
    }
    if (answers.some(({ isUnknown }) => isUnknown)) this.#forget(session);
  }

  /** Runs code until it is not refused. */
  async #runOnce(session: SessionHistory, kind: SessionKind, at?: number) {
    const { random } = this.options;
    const started = performance.now();
    for (let tries = 1;; tries++) {
      const call = `c${(calls++).toString(36)}`;
      const cancel = kind.isCancelled
        ? AbortSignal.timeout(1 + random.next() * 800)
        : undefined;
      const asked = await this.#ask("run_python_code", {
        python_code: kind.code,
        global_variables: { call, offered: session.secret },
        timeout: kind.timeoutSeconds ?? TIMEOUT_S,
        session: session.handle ?? "new",
      }, { at: at === undefined ? at : at + tries - 1, cancel });
      const { answer, begun, ended, server } = asked;
      this.#hear(session, answer);
      const reading = readRun(answer, session.secret);
      const isRefused = "told" in reading && reading.told.is === "refused";
      if (isRefused && tries < MOST_TRIES) {
        this.#refused(kind.name);
        await pause(RETRY_MS * (0.5 + random.next()));
        continue;
      }
      const isUnknown = answer.is === "result" &&
        /There is no session/.test(answer.called.text);
      const how = tries > 1 ? ` after ${ended - started | 0} ms` : "";
      session.note(`${call} was ${kind.name}, at ${server}${how}`);
      return { call, reading, begun, ended, server, isUnknown };
    }
  }

  async #write(session: SessionHistory): Promise<void> {
    const call = `n${(calls++).toString(36)}`;
    const [answer] = await this.#tool(session, OTHERS.write.name, call, {
      ...{ path: `notes/${call}`, text: call },
    });
    if (answer) session.note(`${call} was write_file`);
  }

  async #read(session: SessionHistory): Promise<void> {
    const call = `r${(calls++).toString(36)}`;
    const path = { path: "line.txt" };
    await this.#tool(session, OTHERS.read.name, call, path, (called) => {
      const text = String(called.structured.text);
      const [secret, ...line] = text.split("\n");
      return secret === session.secret
        ? { told: { is: "seen", line } }
        : { wrong: `its file is of ${text.slice(0, 100)}` };
    });
  }

  async #fork(session: SessionHistory): Promise<void> {
    const call = `f${(calls++).toString(36)}`;
    let handle: string | undefined;
    await this.#tool(session, OTHERS.fork.name, call, {}, ({ structured }) => {
      handle = String(structured.session);
      return { told: { is: "seen", line: [] } };
    });
    if (handle === undefined) return;
    const copy = session.copy(handle);
    this.office.histories.push(copy);
    this.office.handles.set(handle, this.options.owner);
    await this.#run(copy, USUAL);
    await this.#run(session, USUAL);
    await this.#run(copy, USUAL);
    await this.#end(copy);
  }

  async #end(session: SessionHistory): Promise<void> {
    const { handle } = session;
    const call = `e${(calls++).toString(36)}`;
    const [answer] = await this.#tool(session, OTHERS.end.name, call, {});
    this.#forget(session);
    const isOver = answer?.is === "result" && !answer.called.isError;
    if (!isOver || handle === undefined) return;
    // At another server, too.
    for (const at of [0, 1]) {
      const { answer } = await this.#ask("run_python_code", {
        ...{ python_code: "1", session: handle },
      }, { at });
      const { status = "" } = answer.is === "result" ? answer.called : {};
      if (status === "success") {
        session.wrong(`${handle} goes on after its end`);
      }
    }
  }

  async #list(): Promise<void> {
    const { owner } = this.options;
    const { name } = OTHERS.list;
    const { answer, begun, ended } = await this.#ask(name, {});
    if (answer.is !== "result") {
      const verdict = answer.is === "refused" ? "refused" : "unknown";
      return this.office.counts.count(name, verdict, ended - begun);
    }
    const { sessions } = answer.called.structured;
    const listed: unknown[] = Array.isArray(sessions) ? sessions : [];
    const strays = listed.map((one) => String(Object(one).session))
      .filter((one) => (this.office.handles.get(one) ?? owner) !== owner);
    this.#note(name, strays.length === 0 && Array.isArray(sessions), {
      ...{ ms: ended - begun, text: `it lists ${strays} of others` },
    });
  }

  /** Calls a session of another owner. */
  async #intrude(): Promise<void> {
    const { owner, random } = this.options;
    const handle = random.pick(
      [...this.office.handles].filter(([, of]) => of !== owner),
    )?.[0];
    if (handle === undefined) return;
    const [tool, args] = random.pick(
      [
        ["run_python_code", { python_code: "secret" }],
        ["read_file", { path: "line.txt" }],
        ["write_file", { path: "notes/intruder", text: "intruder" }],
        ["fork_session", {}],
        ["end_session", {}],
      ] as const,
    ) ?? ["end_session", {}];
    const { answer, begun, ended } = await this.#ask(tool, {
      ...{ ...args, session: handle },
    });
    const { name } = OTHERS.intrude;
    if (answer.is !== "result") {
      const verdict = answer.is === "refused" ? "refused" : "unknown";
      return this.office.counts.count(name, verdict, ended - begun);
    }
    const { isError, text } = answer.called;
    const isRight = isError && !/nonce-/.test(text) &&
      /There is no session|busy|Try again/i.test(text);
    this.#note(name, isRight, { ms: ended - begun, text: `${tool}: ${text}` });
  }

  async #runFresh(): Promise<void> {
    const { name } = OTHERS.fresh;
    const kind = this.options.random.pickByWeight(FRESH_KINDS);
    const nonce = makeNonce();
    for (let tries = 1;; tries++) {
      const { answer, begun, ended } = await this.#ask("run_python_code", {
        python_code: kind.code,
        global_variables: { nonce },
        timeout: TIMEOUT_S,
        session: "none",
      });
      const isBusy = answer.is === "refused" ||
        answer.is === "result" && answer.called.status === "busy";
      if (isBusy && tries < MOST_TRIES) {
        this.#refused(name);
        await pause(RETRY_MS);
        continue;
      }
      const ms = ended - begun;
      if (answer.is !== "result") {
        return this.office.counts.count(name, "unknown", ms);
      }
      const { called } = answer;
      const [stray] = (called.text.match(/nonce-[0-9a-f-]{36}/g) ?? [])
        .filter((one) => one !== nonce);
      // Its process was killed, or its server ended.
      const isLost = ["crashed", "cancelled"].includes(called.status);
      if (stray === undefined && isLost && !kind.isRight(called, nonce)) {
        return this.office.counts.count(name, "lost", ms);
      }
      const isRight = stray === undefined && kind.isRight(called, nonce);
      const text = `${kind.name}, ${nonce}: ${called.text.slice(0, 500)}`;
      return this.#note(name, isRight, { ms, text });
    }
  }

  /** Calls a tool of a session until it is not refused, and judges the answer. */
  async #tool(
    session: SessionHistory,
    name: string,
    call: string,
    args: Record<string, unknown>,
    read: (called: (Answer & { is: "result" })["called"]) => Reading = () => ({
      told: { is: "kept" },
    }),
  ): Promise<[Answer | undefined]> {
    for (let tries = 1;; tries++) {
      const asked = await this.#ask(name, { ...args, session: session.handle });
      const { answer, begun, ended } = asked;
      this.#hear(session, answer);
      const reading = readTool(answer) ??
        (answer.is === "result" ? read(answer.called) : { wrong: "" });
      const told = "told" in reading ? reading.told : undefined;
      if (told?.is === "refused" && tries < MOST_TRIES) {
        this.#refused(name);
        await pause(RETRY_MS);
        continue;
      }
      const before = session.violations.length;
      const isEnd = name === OTHERS.end.name;
      const [verdict = "wrong"] = told && !(isEnd && told.is === "kept")
        ? session.judge([{ call, told, begun, ended }])
        : told
        ? ["right" as const]
        : [];
      if ("wrong" in reading) session.wrong(`${name}: ${reading.wrong}`);
      const isRight = session.violations.length === before;
      this.office.counts.count(
        name,
        isRight ? verdict : "wrong",
        ended - begun,
      );
      const isUnknown = answer.is === "result" &&
        /There is no session/.test(answer.called.text);
      if (isUnknown) this.#forget(session);
      return [answer];
    }
  }

  /** Sends a call to a server that is there. */
  async #ask(
    name: string,
    args: Record<string, unknown>,
    { at, cancel }: {
      at?: number | undefined;
      cancel?: AbortSignal | undefined;
    } = {},
  ) {
    const { random, home, callOf } = this.options;
    const { members } = this.office.fleet;
    const isHome = !random.isIn(ELSEWHERE);
    const place = at ?? (isHome ? home : home + 1);
    const { long, short, isShort } = PATIENCE_MS;
    const patience = random.isIn(isShort) ? short : long;
    const begun = performance.now();
    const signals = [AbortSignal.timeout(patience), ...cancel ? [cancel] : []];
    const signal = AbortSignal.any(signals);
    // As a balancer does, if a server is not there.
    const [member] = [0, 1].map((next) =>
      members[(place + next) % members.length]
    )
      .filter((one) => one?.server);
    let answer: Answer = { is: "refused", text: "No server is there" };
    if (member?.server) {
      answer = await callOf(member.server)(name, args, signal);
    }
    const ended = performance.now();
    if (answer.is === "broken" && !cancel?.aborted) await pause(RETRY_MS);
    return { answer, begun, ended, server: member?.name ?? "" };
  }

  /** Takes the handle of a new session, and looks for secrets of others. */
  #hear(session: SessionHistory, answer: Answer): void {
    if (answer.is !== "result") return;
    const { structured, text } = answer.called;
    session.read(text);
    const { session: handle } = structured;
    if (typeof handle !== "string" || session.handle !== undefined) return;
    session.handle = handle;
    this.office.handles.set(handle, this.options.owner);
  }

  #refused(name: string): void {
    this.office.counts.count(name, "refused");
  }

  #note(
    name: string,
    isRight: boolean,
    { ms, text }: { ms: number; text: string },
  ): void {
    this.office.counts.count(name, isRight ? "right" : "wrong", ms);
    if (!isRight) this.office.counts.wrong.push(`${name}: ${text}`);
  }

  #forget(session: SessionHistory): void {
    this.#sessions = this.#sessions.filter((one) => one !== session);
  }
}
