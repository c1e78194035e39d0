import { toRefusal } from "../protocol/answers.ts";
import { Latest } from "../protocol/latest.ts";
import type {
  Answer,
  Ask,
  Call,
  CallLimits,
  FromSandbox,
  Notification,
} from "../protocol/run_messages.ts";

/** Time between two notifications that are passed on. */
const QUIET_MS = 100;

/** The two sides of a gate. */
export interface GateSides {
  /** To the server. */
  send(message: FromSandbox): Promise<void>;
  /** To Python. */
  answer(answer: Answer): void;
}

/**
 * Passes on what a run calls on its host, as much as it may.
 *
 * The server checks the same bounds; but what goes beyond them must not cost the
 * server's time.
 */
export class CallGate {
  #limits: CallLimits;
  #sides: GateSides;
  #count = 0;
  #latest: Latest<Notification>;

  /** Starts with no call made. */
  constructor(limits: CallLimits, sides: GateSides) {
    this.#limits = limits;
    this.#sides = sides;
    this.#latest = new Latest(QUIET_MS, (call) => void sides.send(call));
  }

  /** Takes a call: passes it on, refuses it, or drops it. */
  async take(call: Call): Promise<void> {
    const size = sizeOf(call);
    if (call.type === "ask") {
      const refusal = this.#maybeRefuse(call, size);
      if (refusal) this.#sides.answer(refusal);
      else await this.#sides.send(call);
    } else if (size <= this.#limits.size) this.#latest.push(call.name, call);
  }

  /** Passes on what is still held back: the run has ended. */
  close(): void {
    this.#latest.flush();
  }

  #maybeRefuse({ id }: Ask, size: number): Answer | undefined {
    const { count, size: most } = this.#limits;
    if (this.#count >= count) {
      return toRefusal(
        id,
        "RuntimeError",
        `Cannot call the host again as this run has done so ${count} times, which is all it may. Make fewer calls, or allow more with --max-host-calls.`,
      );
    }
    this.#count++;
    if (size <= most) return undefined;
    return toRefusal(
      id,
      "ValueError",
      `Cannot call the host with ${size} characters of JSON as it may be ${most}. Send less, or allow more with --max-host-call-size.`,
    );
  }
}

/** Characters that count for a call's size. */
function sizeOf(call: Call): number {
  return call.name.length + call.arguments.length;
}
