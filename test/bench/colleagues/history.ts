import type { Faults } from "./faults.ts";
import {
  type Judged,
  judgeOne,
  ordersOf,
  type State,
  type Told,
  type Try,
  type Verdict,
} from "./line.ts";

/** Acknowledged calls that a session's state does not have any more. */
export interface Loss {
  session: string | undefined;
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
  /** The sessions of which it is a copy: their losses may be its own. */
  #originals: SessionHistory[] = [];
  #events: string[] = [];

  constructor(
    private faults: Pick<Faults, "between">,
    secret: string = `nonce-${crypto.randomUUID()}`,
  ) {
    this.secret = secret;
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
    copy.#originals = [this, ...this.#originals];
    // Its state is as old as the copy, whatever has run in its original before.
    const ended = performance.now();
    for (const [call, { begun }] of this.#calls) {
      copy.#calls.set(call, { begun, ended });
    }
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
    const causes = this.faults.between(
      ...[newest, performance.now()] as const,
      [this, ...this.#originals],
    );
    const [first] = causes;
    if (!first) {
      this.wrong(`${calls.length} calls are lost, and no fault was the cause`);
      return;
    }
    this.losses.push({
      session: this.handle,
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
