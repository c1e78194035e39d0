import type { HttpServer } from "../../support/http_server.ts";
import type { Random } from "../soak/random.ts";
import type { Answer, Call } from "./caller.ts";
import type { Counts } from "./counts.ts";
import { pause } from "./disturbances.ts";
import type { Faults } from "./faults.ts";
import type { Fleet } from "./fleet.ts";
import type { SessionHistory } from "./history.ts";

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

/** Share of calls that go to another server than the others of a colleague. */
const ELSEWHERE = 0.15;
/** Time before a call that was refused, or got no answer, is followed by another. */
const RETRY_MS = 500;
const MOST_TRIES = 120;
/** Most clients wait for a server that stands still, some do not. */
const PATIENCE_MS = { short: 8000, long: 120_000, isShort: 0.2 };

/** How a call is sent. */
export interface AskOptions {
  /** The server, by its place; else mostly that of the colleague. */
  at?: number | undefined;
  /** Has the client give up the call. */
  cancel?: AbortSignal | undefined;
}

/** An answer, and from which server it is. */
export interface Asked {
  answer: Answer;
  /** By `performance.now()`. */
  begun: number;
  ended: number;
  server: string;
}

let calls = 0;

/** A name that no other call has. */
export function nameCall(kind: string): string {
  return `${kind}${(calls++).toString(36)}`;
}

/** The place of a colleague, from which it calls servers. */
export class Desk {
  constructor(readonly office: Office, readonly options: ColleagueOptions) {}

  /** Sends a call to a server that is there. */
  async ask(
    name: string,
    args: Record<string, unknown>,
    { at, cancel }: AskOptions = {},
  ): Promise<Asked> {
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

  /** Waits before it asks again, as it was refused; false if it has asked often enough. */
  async mayAskAgain(kind: string, tries: number): Promise<boolean> {
    if (tries >= MOST_TRIES) return false;
    this.office.counts.count(kind, "refused");
    await pause(RETRY_MS * (0.5 + this.options.random.next()));
    return true;
  }

  /** Takes the handle of a new session, and looks for secrets of others. */
  hear(session: SessionHistory, answer: Answer): void {
    if (answer.is !== "result") return;
    const { structured, text } = answer.called;
    session.read(text);
    const { session: handle } = structured;
    if (typeof handle !== "string" || session.handle !== undefined) return;
    session.handle = handle;
    this.office.handles.set(handle, this.options.owner);
  }

  /** Notes what became of a call that is not about a session of its own. */
  note(
    kind: string,
    isRight: boolean,
    { begun, ended }: Asked,
    text: string,
  ): void {
    const { counts } = this.office;
    counts.count(kind, isRight ? "right" : "wrong", ended - begun);
    if (!isRight) counts.wrong.push(`${kind}: ${text.slice(0, 500)}`);
  }
}
