import { untilAborted } from "../../deadline.ts";
import { detailsOf } from "../../errors.ts";
import { log } from "../../log.ts";
import { Latest } from "../../protocol/latest.ts";
import { sizeOfCall } from "../../protocol/run_bounds.ts";
import {
  type Answer,
  type Ask,
  type Call,
  toAnswer,
  toRefusal,
} from "../../protocol/run_messages.ts";
import type { RunClock } from "../../protocol/run_clock.ts";
import type { CallLimits } from "../../protocol/run_setup.ts";
import type { Json } from "../../protocol/run_result.ts";
import { head } from "../../results/cut.ts";
import { type CallingRun, type HostCall, HostCallError } from "./host_call.ts";
import type { HostCalls } from "./host_calls.ts";

/** Time between two notifications of a run. */
const QUIET_MS = 250;
/** How many calls of full size may wait for their answers at a time. */
const MOST_OPEN_SIZES = 16;

/**
 * Performs the calls of a run, and answers them.
 *
 * Their arguments are data of a hostile guest; `RunBounds` has judged their size
 * and count. With the run its calls end: those that wait are aborted, and no
 * answer leaves any more.
 */
export class RunCalls {
  #openSize = 0;
  #open = new Map<number, AbortController>();
  #latest = new Latest<Call>(QUIET_MS, (call) => this.#notify(call));
  #isOver = false;

  constructor(
    private calls: HostCalls,
    private limits: CallLimits,
    private options: {
      run: CallingRun;
      send(answer: Answer): void;
      /** The run's time, which stands while a call waits. */
      clock?: Pick<RunClock, "stand" | "goOn">;
    },
  ) {}

  take(call: Call): void {
    if (this.#isOver) return;
    if (call.type === "notify") this.#latest.push(call.name, call);
    else void this.#ask(call);
  }

  /** Ends them all; the latest notifications are still heard. */
  close(): void {
    if (this.#isOver) return;
    this.#latest.flush();
    this.#isOver = true;
    for (const open of this.#open.values()) open.abort();
  }

  #notify(call: Call): void {
    const { signal } = new AbortController();
    // Python does not wait to hear of an error.
    this.#perform(this.calls.notifications, call, signal)
      .catch((error) => explain(call.name, error));
  }

  async #ask(ask: Ask): Promise<void> {
    const { id, name } = ask;
    const size = sizeOfCall(ask);
    if (this.#open.has(id)) {
      return this.#send(toRefusal(id, "ValueError", TWICE));
    }
    const abort = new AbortController();
    this.#open.set(id, abort);
    this.options.clock?.stand(id);
    this.#openSize += size;
    try {
      this.#send(await this.#answer(ask, abort));
    } catch (error) {
      const { kind, message } = explain(name, error);
      this.#send(toRefusal(id, kind, message));
    } finally {
      this.#openSize -= size;
      this.#open.delete(id);
      this.options.clock?.goOn(id);
      abort.abort();
    }
  }

  async #answer(ask: Ask, abort: AbortController): Promise<Answer> {
    const { size } = this.limits;
    const most = MOST_OPEN_SIZES * size;
    if (this.#openSize > most) {
      throw new HostCallError(
        "RuntimeError",
        `Cannot call the host now as ${this.#openSize} characters of calls wait for their answers, and ${most} may. Wait for some of them first.`,
      );
    }
    const work = this.#perform(this.calls.asks, ask, abort.signal);
    const value = await within(this.#timeOf(ask), ask.name, abort, work);
    const answer = toAnswer(ask.id, value);
    const { length } = answer.answer;
    if (length <= size) return answer;
    throw new HostCallError(
      "ValueError",
      `The answer of ${ask.name} has ${length} characters of JSON, and may have ${size}. Ask for less.`,
    );
  }

  /** A call that bounds its time itself is only ended if that has failed. */
  #timeOf({ name }: Ask): number {
    const { timeoutMs, waitMs = 0 } = this.limits;
    const call = this.calls.asks.find((call) => call.name === name);
    return call?.timesItself ? timeoutMs + waitMs : timeoutMs;
  }

  async #perform(
    calls: readonly HostCall[],
    { name, arguments: text }: Call,
    signal: AbortSignal,
  ): Promise<Json> {
    const { run } = this.options;
    return await find(calls, name).perform(readJson(text), { run, signal });
  }

  #send(answer: Answer): void {
    if (!this.#isOver) this.options.send(answer);
  }
}

const TWICE = "A call with this id waits for its answer already.";

function find(calls: readonly HostCall[], name: string): HostCall {
  const call = calls.find((call) => call.name === name);
  if (call) return call;
  const names = calls.map(({ name }) => name).join(", ");
  const known = names
    ? `what this server answers is ${names}`
    : "this server answers no calls";
  throw new HostCallError(
    "PermissionError",
    `Cannot call ${JSON.stringify(head(name, 100))} on the host: ${known}.`,
  );
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new HostCallError("ValueError", "The arguments are not JSON.");
  }
}

/** Waits for work; at the deadline the work is aborted. */
async function within(
  ms: number,
  name: string,
  abort: AbortController,
  work: Promise<Json>,
): Promise<Json> {
  const message = `${name} was not answered within ${
    ms / 1000
  } s. Allow more with --call-timeout.`;
  const late = () => abort.abort(new HostCallError("TimeoutError", message));
  const timer = setTimeout(late, ms);
  return await untilAborted(work, abort.signal)
    .finally(() => clearTimeout(timer));
}

/** The error that Python gets; an error of ours is logged instead. */
function explain(name: string, error: unknown): HostCallError {
  if (error instanceof HostCallError) return error;
  const isAborted = error instanceof DOMException &&
    error.name === "AbortError";
  if (!isAborted) {
    log(`mcp-run-python: host call ${name} failed: ${detailsOf(error)}`);
  }
  return new HostCallError("RuntimeError", `${name} failed on the host.`);
}
