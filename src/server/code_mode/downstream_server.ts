import {
  type DownstreamTool,
  isComponent,
  type ListedServer,
} from "../../protocol/downstream.ts";
import type {
  AskMethod,
  FromBridge,
  Offer,
} from "../../protocol/bridge_messages.ts";
import {
  type CallOptions,
  DownstreamError,
  type Notification,
  ToolsChanged,
} from "./hub.ts";
import {
  type BridgeProcess,
  type BridgeRequest,
  type Clock,
  RunningBridge,
  Unanswered,
} from "./running_bridge.ts";
import { untilAborted } from "../../deadline.ts";
import { Share, UNKNOWN } from "../../shares.ts";

export type ToolList = Omit<FromBridge & { type: "tools" }, "id" | "type">;

export interface ServerParts {
  clock: Clock;
  /** Time for the downstream server to start. */
  startMs: number;
  /** @throws {DownstreamError} If there may be no more bridges. */
  connect(server: DownstreamServer): BridgeProcess;
  /** Takes each list of tools. */
  onTools(list: ToolList): void;
  onEvent(event: "started" | "ended" | "down", reason?: string): void;
}

/** Calls of a server at a time. */
const MOST_CALLS = 16;
/** Time without a call, after which a bridge ends. */
const IDLE_MS = 600_000;
const FIRST_DELAY_MS = 1000;
const LONGEST_DELAY_MS = 60_000;
/** Added to times that the bridge keeps itself. */
const SLACK_MS = 5000;
/** A server that changes its tools all the time is listed no more often. */
const LIST_EVERY_MS = 1000;

/** One downstream server, and the bridge to it while that is needed. */
export class DownstreamServer {
  /** The last known tools, maybe of an earlier start of this program. */
  known: readonly DownstreamTool[] | undefined;
  lastUsed = 0;
  #offers: readonly Offer[] | undefined;
  /** Whether its bridge of now has listed its tools. */
  #hasAnswered = false;
  #bridge: RunningBridge | undefined;
  #turns: Share;
  #isFresh = false;
  #listing: Promise<readonly DownstreamTool[]> | undefined;
  #listedAt = -Infinity;
  #falls = 0;
  #down: { reason: string; until: number } | undefined;
  #stopIdle = () => {};

  constructor(
    readonly listed: ListedServer,
    private readonly parts: ServerParts,
  ) {
    // A component answers one call at a time: the others wait where callers share.
    this.#turns = new Share(isComponent(listed) ? 1 : MOST_CALLS);
  }

  get isRunning(): boolean {
    return this.#bridge !== undefined;
  }

  /** Whether it may end without harm to a call. */
  get isIdle(): boolean {
    return this.#bridge?.openRequests === 0;
  }

  /** Takes what an earlier start of this program has heard, unless it is known already. */
  remember({ tools, offers = [] }: ToolList): void {
    this.known ??= tools;
    this.#offers ??= offers;
  }

  /** Starts it if it does not run; never fails. */
  warm(): void {
    try {
      this.#running();
    } catch {
      // The next call says it.
    }
  }

  async tools(signal?: AbortSignal): Promise<readonly DownstreamTool[]> {
    const isKnown = this.#isFresh && !this.#listing;
    return isKnown && this.known ? this.known : await this.#listed(signal);
  }

  /** Those that it has named in its life of now. */
  async currentTools(
    signal: AbortSignal,
  ): Promise<readonly DownstreamTool[]> {
    const { known } = this;
    return known && this.#isListed ? known : await this.#listed(signal);
  }

  async #listed(signal?: AbortSignal): Promise<readonly DownstreamTool[]> {
    this.#running();
    const listing = this.#listing ?? this.#list();
    listing.catch(() => {}).finally(() => this.#rest());
    if (!signal) return await listing;
    return await untilAborted(listing, signal).catch((error) => {
      if (!signal.aborted || error !== signal.reason) throw error;
      const message = `${this.#name} was given up before it answered`;
      throw new DownstreamError("timeout", message);
    });
  }

  async call(
    tool: string,
    args: string,
    { tools, ...options }: CallOptions,
  ): Promise<string> {
    const { timeoutMs, caller } = options;
    const owner = caller === undefined ? {} : { owner: caller };
    const request = { type: "call", tool, arguments: args, timeoutMs } as const;
    const what = `gave no result of the tool "${tool}"`;
    return await this.#ask({ ...request, ...owner }, what, options, () => {
      if (tools && (tools !== this.known || !this.#isListed)) {
        throw new ToolsChanged(`${this.#name} has other tools by now`);
      }
    });
  }

  /** Asks a component for what it offers beside tools. */
  async ask(
    method: AskMethod,
    params: string,
    options: CallOptions,
  ): Promise<string> {
    const { timeoutMs, caller } = options;
    const owner = caller === undefined ? {} : { owner: caller };
    const request = {
      type: "ask",
      method,
      params,
      timeoutMs,
      ...owner,
    } as const;
    return await this.#ask(request, `did not answer ${method}`, options);
  }

  /** What it has beside tools. */
  async offers(signal: AbortSignal): Promise<readonly Offer[]> {
    if (!this.known || !this.#offers) await this.#listed(signal);
    return this.#offers ?? [];
  }

  notify({ name, params, owner }: Notification): void {
    const said = params === undefined ? {} : { params };
    this.#bridge?.tell({ type: "notify", name, ...said, owner });
  }

  /** @param check Throws if the request is not to be sent, once its turn has come. */
  async #ask(
    request: Exclude<BridgeRequest, { type: "list" }>,
    what: string,
    { signal, timeoutMs, caller = UNKNOWN }: CallOptions,
    check: () => void = () => {},
  ): Promise<string> {
    const turn = { caller, amount: 1 };
    const begun = this.#turns.enter(turn, signal);
    // It may be given up as its turn comes.
    begun.catch(() => this.#turns.drop(turn));
    try {
      await untilAborted(begun, signal);
      check();
      const mostMs = timeoutMs + this.parts.startMs + SLACK_MS;
      const answer = await this.#running().ask(request, { signal, mostMs });
      if (answer.type !== "result") {
        throw new Unanswered("protocol", "its bridge sent no result");
      }
      this.#falls = 0;
      return answer.result;
    } catch (error) {
      throw this.#toError(error, what, signal);
    } finally {
      this.#turns.drop(turn);
      this.#rest();
    }
  }

  /** Ends its bridge once no call is open; there is no new one. */
  close(): void {
    this.#stopIdle();
    if (!this.#bridge) return;
    this.#bridge.retire();
    this.#bridge = undefined;
    this.parts.onEvent("ended");
  }

  /** Whether the known tools are those of its life of now. */
  get #isListed(): boolean {
    return this.#isFresh && !this.#listing && this.isRunning;
  }

  get #name(): string {
    return `Server ${JSON.stringify(this.listed.name)}`;
  }

  #running(): RunningBridge {
    if (this.#bridge) return this.#bridge;
    const left = (this.#down?.until ?? 0) - this.parts.clock.now();
    if (this.#down && left > 0) {
      throw new DownstreamError(
        "connection",
        `${this.#name} is down: ${
          this.#down.reason.replace(/\.$/, "")
        }. It may be tried again in ${Math.ceil(left / 1000)} s.`,
      );
    }
    const process = this.parts.connect(this);
    const bridge: RunningBridge = new RunningBridge(process, this.parts.clock, {
      onChanged: () => this.#change(),
      onDown: (reason) => {
        if (this.#bridge === bridge) this.#fall(reason);
      },
    });
    this.#bridge = bridge;
    this.parts.onEvent("started");
    this.#list().catch(() => {}).finally(() => this.#rest());
    return bridge;
  }

  #list(): Promise<readonly DownstreamTool[]> {
    const listing = this.#askList().finally(() => {
      if (this.#listing === listing) this.#listing = undefined;
    });
    return this.#listing = listing;
  }

  async #askList(): Promise<readonly DownstreamTool[]> {
    this.#isFresh = true;
    this.#listedAt = this.parts.clock.now();
    try {
      const mostMs = 2 * this.parts.startMs + SLACK_MS;
      const answer = await this.#running().ask({ type: "list" }, { mostMs });
      if (answer.type !== "tools") {
        throw new Unanswered("protocol", "its bridge sent no tools");
      }
      const { server, tools, offers = [] } = answer;
      this.#offers = offers;
      this.#hasAnswered = true;
      // A list that says the same is the same list.
      if (JSON.stringify(this.known) === JSON.stringify(tools)) {
        return this.known ?? tools;
      }
      this.known = tools;
      this.parts.onTools({ server, tools, offers });
      return tools;
    } catch (error) {
      this.#isFresh = false;
      throw this.#toError(error, "did not list its tools");
    }
  }

  /** That is not a use. */
  #change(): void {
    this.#isFresh = false;
    if (this.parts.clock.now() - this.#listedAt < LIST_EVERY_MS) return;
    this.#list().catch(() => {});
  }

  #fall(reason: string): void {
    this.#stopIdle();
    this.#bridge = undefined;
    // The process of a component ends with a call that met a limit; the next one is new.
    const isOver = isComponent(this.listed) && this.#hasAnswered;
    this.#hasAnswered = false;
    if (isOver) return this.parts.onEvent("ended", reason);
    const delay = FIRST_DELAY_MS * 2 ** this.#falls++;
    const until = this.parts.clock.now() + Math.min(delay, LONGEST_DELAY_MS);
    this.#down = { reason, until };
    this.parts.onEvent("down", reason);
  }

  /** Notes a use; without another, the bridge ends later. */
  #rest(): void {
    const { clock } = this.parts;
    this.lastUsed = clock.now();
    this.#stopIdle();
    if (!this.#bridge) return;
    this.#stopIdle = clock.after(IDLE_MS, () => {
      if (this.isIdle) this.close();
      else this.#rest();
    });
  }

  #toError(error: unknown, what: string, signal?: AbortSignal): unknown {
    if (error instanceof Unanswered) {
      const { kind, message } = error;
      return new DownstreamError(kind, `${this.#name} ${what}: ${message}`);
    }
    if (signal?.aborted && error === signal.reason) {
      const message = `${this.#name} ${what}: it was given up before its turn`;
      return new DownstreamError("timeout", message);
    }
    return error;
  }
}
