import { cpuUsage } from "node:process";
import { messageOf } from "../errors.ts";
import type {
  FailureKind,
  FromBridge,
  ToBridge,
} from "../protocol/bridge_messages.ts";
import { dataMasksOf } from "../protocol/masks.ts";
import { MIB } from "../units.ts";
import type { Guest } from "./guest.ts";
import {
  grantsOf,
  mostOf,
  type Open,
  openGuest,
  USUAL_MEMORY_MIB,
} from "./open_guest.ts";
import { Refused } from "./refused.ts";

type Request = Extract<ToBridge, { type: "list" | "call" | "ask" }>;
/** What the component is to do, in turn; a notification has no answer. */
type Order = Request | ToBridge & { type: "notify" };

interface HostParts {
  say(message: FromBridge): void;
  /** Ends this process, once all is said. */
  end(): void;
}

/** MiB of a process that reads and translates a component, and of one that is ready. */
const STARTING_MIB = 1024;
const BESIDE_MIB = 256;
/** Memory is filled with about 1 MiB in each ms. */
const WATCH_MS = 25;
const IDLE_WATCH_MS = 1000;
/** CPU time between calls: to make the next instance ready takes less than 1 s. */
const IDLE_CPU_S = 5;
/** Time for a call that was cancelled to end by itself. */
const LEAVE_MS = 500;

/** Answers the server's requests to one component, one after another. */
export class ComponentHost {
  #open: Open;
  #parts: HostParts;
  #guest: Promise<Guest>;
  #cover: <T>(data: T) => T;
  #queue: Order[] = [];
  #running:
    | { id: number | undefined; deadline: ReturnType<typeof setTimeout> }
    | undefined;
  #isEnding = false;
  #mostMiB: number;
  #cpuBefore = 0;
  #watch: ReturnType<typeof setTimeout> | undefined;

  constructor(open: Open, parts: HostParts) {
    this.#open = open;
    this.#parts = parts;
    this.#cover = dataMasksOf(open.entry);
    this.#guest = openGuest(open);
    const { memoryMiB = USUAL_MEMORY_MIB } = grantsOf(open).limits;
    this.#mostMiB = STARTING_MIB + 2 * memoryMiB;
    this.#guest.then(() => {
      this.#mostMiB = Deno.memoryUsage().rss / MIB + BESIDE_MIB + 2 * memoryMiB;
    }, () => {});
  }

  take(message: ToBridge): void {
    switch (message.type) {
      case "list":
      case "call":
      case "ask":
      case "notify":
        this.#queue.push(message);
        return void this.#serve();
      case "cancel":
        return this.#cancel(message.id);
    }
  }

  async #serve(): Promise<void> {
    if (this.#running || this.#isEnding) return;
    const request = this.#queue.shift();
    if (!request) return;
    const id = idOf(request);
    const timeMs = this.#timeOf(request);
    const deadline = setTimeout(() =>
      this.#endRunning(
        "timeout",
        `it did not end within ${timeMs / 1000} s, and was stopped`,
      ), timeMs);
    this.#running = { id, deadline };
    this.#cpuBefore = cpuSecondsOfProcess();
    this.#look();
    try {
      const guest = await this.#guest;
      const answer = await this.#answer(guest, request);
      if (answer && !this.#isEnding) this.#parts.say(answer);
    } catch (error) {
      if (!this.#isEnding) this.#fail(id, error);
    } finally {
      clearTimeout(deadline);
      this.#running = undefined;
      this.#cpuBefore = cpuSecondsOfProcess();
    }
    void this.#serve();
  }

  async #answer(
    guest: Guest,
    request: Order,
  ): Promise<FromBridge | undefined> {
    if (request.type === "notify") {
      await guest.notify?.(request);
      return undefined;
    }
    const { id } = request;
    switch (request.type) {
      case "list": {
        const { server, tools, offers = [] } = await guest.list();
        const covered = this.#cover({ server, tools });
        return { type: "tools", id, ...covered, offers };
      }
      case "call": {
        const { tool, arguments: args, owner = "" } = request;
        const result = await guest.call(tool, args, owner);
        return { type: "result", id, result: this.#toText(result) };
      }
      case "ask": {
        const { method, params, owner = "" } = request;
        const result = await guest.ask(method, params, owner);
        return { type: "result", id, result: this.#toText(result) };
      }
    }
  }

  #toText(result: object): string {
    const text = JSON.stringify(this.#cover(result));
    const most = mostOf(this.#open);
    if (text.length <= most) return text;
    throw new Refused(
      "size",
      `its result has ${text.length} characters of JSON, and may have ${most}`,
    );
  }

  #timeOf(request: Order): number {
    const { startMs } = this.#open.limits;
    const { timeoutMs = Infinity } = grantsOf(this.#open).limits;
    const own = "timeoutMs" in request ? request.timeoutMs : startMs;
    return Math.min(own, timeoutMs);
  }

  #cancel(id: number): void {
    const before = this.#queue.length;
    this.#queue = this.#queue.filter((request) => idOf(request) !== id);
    if (this.#queue.length < before) {
      return this.#fail(id, new Refused("timeout", "it was cancelled"));
    }
    if (this.#running?.id !== id) return;
    const { deadline } = this.#running;
    clearTimeout(deadline);
    this.#running.deadline = setTimeout(
      () => this.#endRunning("timeout", "it was cancelled"),
      LEAVE_MS,
    );
  }

  /** A worker that computes cannot be stopped but with its process. */
  #endRunning(kind: FailureKind, reason: string): void {
    this.#isEnding = true;
    // First, so that no call comes to this process after the answer to this one.
    this.#parts.say({ type: "ending", reason: this.#cover(reason) });
    this.#fail(this.#running?.id, new Refused(kind, reason));
    const why = "the component was stopped in another call";
    for (const other of this.#queue) {
      this.#fail(idOf(other), new Refused("connection", why));
    }
    this.#parts.end();
  }

  /**
   * JavaScript around an instance takes memory, too, which nothing else bounds; and
   * may go on after its call.
   */
  #look(): void {
    clearTimeout(this.#watch);
    if (this.#isEnding) return;
    const cpuSeconds = cpuSecondsOfProcess() - this.#cpuBefore;
    const { cpuSeconds: most = Infinity } = grantsOf(this.#open).limits;
    if (cpuSeconds > (this.#running ? most : Math.min(most, IDLE_CPU_S))) {
      return this.#endRunning(
        "timeout",
        `it has taken ${Math.ceil(cpuSeconds)} s of CPU time, and was stopped`,
      );
    }
    const heldMiB = Deno.memoryUsage().rss / MIB;
    if (heldMiB > this.#mostMiB) {
      return this.#endRunning(
        "size",
        `its process has taken ${Math.round(heldMiB)} MiB of memory, and was ` +
          `stopped: it may take ${Math.round(this.#mostMiB)} MiB, which ` +
          "x-limits.memory of its policy raises",
      );
    }
    const ms = this.#running ? WATCH_MS : IDLE_WATCH_MS;
    this.#watch = setTimeout(() => this.#look(), ms);
  }

  #fail(id: number | undefined, error: unknown): void {
    if (id === undefined) return;
    const kind = error instanceof Refused ? error.kind : "connection";
    const reason = this.#cover(messageOf(error)).slice(0, MOST_REASON);
    this.#parts.say({ type: "failed", id, kind, reason });
  }
}

const MOST_REASON = 4000;

function cpuSecondsOfProcess(): number {
  const { user, system } = cpuUsage();
  return (user + system) / 1e6;
}

function idOf(order: Order): number | undefined {
  return "id" in order ? order.id : undefined;
}
