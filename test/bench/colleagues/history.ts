import type { Faults } from "./faults.ts";

/**
 * What a caller is told by the answer to a call of a session, as far as it is about
 * the session's state.
 */
export type Told =
  /** The code has run, on a state that had all calls but the last of this line. */
  | { is: "line"; line: string[]; resumed: boolean; next?: "back" | "gone" }
  /** A file is written, which the next run of code puts into the line. */
  | { is: "kept" }
  /** The lines that a file of the session has, or those of the state before a call. */
  | { is: "seen"; line: string[] }
  /** The code has not run. */
  | { is: "refused" }
  /** The state is gone: `session-lost`. */
  | { is: "lost" }
  /** The code may have run; `next` is what its error says of the state. */
  | { is: "unknown"; next?: "back" | "gone" };

/** The answer to a call. */
export interface Judged {
  /** The call's name in the line. */
  call: string;
  told: Told;
  /** When it was sent, and answered: by `performance.now()`. */
  begun: number;
  ended: number;
}

/** Acknowledged calls that a session's state does not have any more. */
export interface Loss {
  calls: number;
  /** How much older than the loss the oldest of them was, at least. */
  ageMs: number;
  /** The faults, one of which was the cause. */
  causes: string[];
}

/** What is wrong, and what the session's last calls were. */
export interface Violation {
  session: string;
  what: string;
  events: string[];
}

interface State {
  /** The calls whose changes the state has, in their order, as far as answers told. */
  line: string[];
  /** Calls that may have run, or may run yet. */
  maybe: ReadonlySet<string>;
  /** Files that were written since. */
  kept: readonly string[];
  /** What an answer said of the state after it. */
  next: "back" | "gone" | undefined;
}

const MOST_EVENTS = 10;
/** Calls at once of which each order is tried. */
const MOST_AT_ONCE = 3;

/**
 * All that is known of a session, by what its client was told. The state of a session
 * is a line: the names of the calls that have run in it. So it shows of itself whether
 * it has all acknowledged calls, each once, and none of another branch.
 */
export class SessionHistory {
  /** Undefined before the session is open. */
  handle: string | undefined;
  /** In all copies of the session, and in no other session. */
  readonly secret: string;
  readonly violations: Violation[] = [];
  readonly losses: Loss[] = [];
  /** Losses that were told in an answer that may not have arrived. */
  readonly toldInVain: Violation[] = [];
  #state: State = { line: [], maybe: new Set(), kept: [], next: undefined };
  #calls = new Map<string, { begun: number; ended: number }>();
  #events: string[] = [];

  constructor(
    private faults: Pick<Faults, "between">,
    secret: string = `nonce-${crypto.randomUUID()}`,
  ) {
    this.secret = secret;
  }

  /** How many calls the state has, as far as it is known. */
  get length(): number {
    return this.#state.line.length;
  }

  /** Takes the answers to calls that were made at once, in the order of their coming. */
  judge(answers: readonly Judged[]): Verdict[] {
    for (const { call, told, begun, ended } of answers) {
      this.#calls.set(call, { begun, ended });
      this.#event(`${call} ${describe(told)}`);
    }
    const orders = answers.length <= MOST_AT_ONCE
      ? ordersOf(answers)
      : [answers];
    const tries = orders.map((order) => this.#try(order));
    const best = tries.find(({ wrong }) => wrong.length === 0) ?? tries[0];
    if (!best) return [];
    this.#state = best.state;
    for (const what of best.wrong) this.wrong(what);
    for (const { calls, isToldInVain } of best.dropped) {
      if (isToldInVain) this.#note(this.toldInVain, `${calls} are lost`);
      this.#lose(calls);
    }
    return answers.map(({ call }) => best.verdicts.get(call) ?? "right");
  }

  /** Notes that something is wrong. */
  wrong(what: string): void {
    this.#note(this.violations, what);
  }

  #note(list: Violation[], what: string): void {
    const session = this.handle ?? this.secret;
    list.push({ session, what, events: [...this.#events] });
  }

  /** Notes a fault of the session's own, for example code that ends the interpreter. */
  note(event: string): void {
    this.#event(event);
  }

  /** Judges a text for secrets of other sessions. */
  read(text: string): void {
    const [other] = (text.match(/nonce-[0-9a-f-]{36}/g) ?? [])
      .filter((secret) => secret !== this.secret);
    if (other !== undefined) this.wrong(`it has ${other} of another session`);
  }

  /** The history of a copy, which begins where this session is. */
  copy(handle: string): SessionHistory {
    const copy = new SessionHistory(this.faults, this.secret);
    copy.handle = handle;
    copy.#state = { ...this.#state };
    copy.#calls = new Map(this.#calls);
    copy.#event(`is a copy of ${this.handle}`);
    this.#event(`is copied to ${handle}`);
    return copy;
  }

  #try(order: readonly Judged[]): Try {
    const tried: Try = {
      state: this.#state,
      wrong: [],
      dropped: [],
      verdicts: new Map(),
    };
    const unknown = order.filter(({ told }) => told.is === "unknown")
      .map(({ call }) => call);
    tried.state = {
      ...tried.state,
      maybe: tried.state.maybe.union(new Set(unknown)),
    };
    for (const one of order) judgeOne(tried, one);
    return tried;
  }

  /** Notes acknowledged calls that are gone, and asks for the cause. */
  #lose(calls: readonly string[]): void {
    const times = calls.flatMap((call) => this.#calls.get(call) ?? []);
    if (times.length === 0) return;
    const newest = Math.max(...times.map(({ begun }) => begun));
    const oldest = Math.min(...times.map(({ ended }) => ended));
    const causes = this.faults.between(newest, performance.now(), this);
    const [first] = causes;
    if (!first) {
      this.wrong(`${calls.length} calls are lost, and no fault was the cause`);
      return;
    }
    this.losses.push({
      calls: calls.length,
      ageMs: Math.max(0, first.at - oldest),
      causes: causes.map(({ kind }) => kind),
    });
  }

  #event(text: string): void {
    const at = (performance.now() / 1000).toFixed(1);
    this.#events.push(`${at} s: ${text}`);
    if (this.#events.length > MOST_EVENTS) this.#events.shift();
  }
}

/** What an answer says: as it should be; that the state went back, or is lost. */
export type Verdict = "right" | "resumed" | "lost" | "refused" | "unknown";

interface Try {
  state: State;
  wrong: string[];
  dropped: { calls: string[]; isToldInVain: boolean }[];
  verdicts: Map<string, Verdict>;
}

function judgeOne(tried: Try, { call, told }: Judged): void {
  const { state } = tried;
  const verdict = (one: Verdict) => void tried.verdicts.set(call, one);
  switch (told.is) {
    case "refused":
      return verdict("refused");
    case "unknown":
      end(tried, told.next ?? state.next);
      return verdict("unknown");
    case "kept":
      tried.state = { ...state, kept: [...state.kept, call] };
      return verdict("right");
    case "lost":
      end(tried, "gone");
      return verdict("lost");
    case "seen": {
      const strays = told.line.filter((one) => !isOf(state, one));
      if (strays.length > 0) tried.wrong.push(`its file has ${strays}`);
      return verdict("right");
    }
    case "line":
      return verdict(judgeLine(tried, call, told));
  }
}

/** Notes what the state is after a call; a state that is gone is lost once. */
function end(tried: Try, next: State["next"]): void {
  const { line, kept } = tried.state;
  if (next === "gone" && tried.state.next !== "gone") {
    tried.dropped.push({ calls: [...line, ...kept], isToldInVain: false });
  }
  tried.state = { ...tried.state, next };
}

function judgeLine(
  tried: Try,
  call: string,
  { line: all, resumed, next }: Told & { is: "line" },
): Verdict {
  const { state, wrong } = tried;
  const line = all.slice(0, -1);
  if (all.at(-1) !== call) wrong.push(`${call} is answered with ${all.at(-1)}`);
  if (new Set(all).size < all.length) {
    wrong.push(`a call has run twice: ${all}`);
  }
  const same = commonLength(state.line, line);
  const added = line.slice(same);
  const kept = state.kept.filter((one) => added.includes(one));
  const strays = added.filter((one) => !isOf({ ...state, line: [] }, one));
  const dropped = [
    ...state.line.slice(same),
    ...state.kept.filter((one) => !added.includes(one)),
  ];
  if (strays.length > 0) {
    const isBranch = dropped.length > 0 ? "a forked state: " : "";
    wrong.push(
      `${isBranch}after ${
        state.line.slice(-3)
      } it has ${strays}, which had not run there`,
    );
  }
  if (dropped.length > 0) {
    const isTold = resumed || state.next !== undefined;
    // The code of a call whose answer is lost has run on the older state, and it told.
    const isToldInVain = !isTold && added.some((one) => state.maybe.has(one));
    if (!isTold && !isToldInVain) {
      wrong.push(`a lost update: it does not have ${dropped}, untold`);
    }
    // A session that is lost was judged when that was told.
    if (state.next !== "gone") {
      tried.dropped.push({ calls: dropped, isToldInVain });
    }
  }
  tried.state = {
    line: all,
    maybe: state.maybe.difference(new Set([...added, ...kept])),
    kept: [],
    next: undefined,
  };
  end(tried, next);
  return resumed ? "resumed" : "right";
}

/** Whether a call may be in a state. */
function isOf({ line, maybe, kept }: State, call: string): boolean {
  return line.includes(call) || maybe.has(call) || kept.includes(call);
}

function commonLength(
  one: readonly string[],
  other: readonly string[],
): number {
  const at = one.findIndex((call, at) => call !== other[at]);
  return at < 0 ? one.length : at;
}

function ordersOf<T>(items: readonly T[]): T[][] {
  if (items.length < 2) return [[...items]];
  return items.flatMap((item, at) =>
    ordersOf(items.toSpliced(at, 1)).map((rest) => [item, ...rest])
  );
}

function describe(told: Told): string {
  switch (told.is) {
    case "line": {
      const resumed = told.resumed ? ", resumed" : "";
      const next = told.next ? `, then ${told.next}` : "";
      const { line } = told;
      return `→ ${line.length} calls, ${line.slice(-3)}${resumed}${next}`;
    }
    case "seen":
      return `sees ${told.line.length} calls, ${told.line.slice(-3)}`;
    case "unknown":
      return `may have run${told.next ? `, then ${told.next}` : ""}`;
    default:
      return told.is;
  }
}
