import { Latest } from "../protocol/latest.ts";
import { type Excess, RunBounds, sizeOfCall } from "../protocol/run_bounds.ts";
import {
  type Answer,
  type Ask,
  type Notification,
  type RunMessage,
  type Stream,
  toRefusal,
} from "../protocol/run_messages.ts";
import type { RunClock } from "../protocol/run_clock.ts";
import type { CallLimits, RunAllowance } from "../protocol/run_setup.ts";
import { OutputLimiter } from "../results/output.ts";
import { TerminalStreams } from "../results/terminal_streams.ts";

/** Time between two notifications that are passed on. */
const QUIET_MS = 100;

export interface GateSides {
  /** To the server. */
  send(message: RunMessage): Promise<void>;
  /** To Python. */
  answer(answer: Answer): void;
  /** The run's clock stops at each ask that is passed on. */
  clock: Pick<RunClock, "stand">;
}

/**
 * Passes on the messages of a run that keep to its bounds. The server checks the
 * same bounds; but an excess must not cost the server's time.
 */
export class RunGate {
  #bounds: RunBounds;
  #output: OutputLimiter;
  /** Undefined if output goes to a terminal as it is. */
  #terminals: TerminalStreams | undefined;
  #latest: Latest<Notification>;
  #leftOut = { files: 0, last: "" };

  constructor(private allowance: RunAllowance, private sides: GateSides) {
    this.#bounds = new RunBounds(allowance);
    this.#output = new OutputLimiter(allowance.maxOutput ?? Infinity);
    if (allowance.maxOutput !== null) {
      this.#terminals = new TerminalStreams();
    }
    this.#latest = new Latest(QUIET_MS, (call) => void sides.send(call));
  }

  /** Takes a message: passes it on, refuses it, or drops it. */
  async take(message: RunMessage): Promise<void> {
    if (message.type === "output") {
      const { stream, text } = message;
      // What is drawn again counts as output once.
      const pieces = this.#terminals?.push(stream, text) ?? [[stream, text]];
      for (const piece of pieces) await this.#print(...piece);
      return;
    }
    const excess = this.#bounds.judge(message);
    switch (message.type) {
      case "ask":
        if (excess) {
          const { hostCalls } = this.allowance;
          return this.sides.answer(refuse(message, excess, hostCalls));
        }
        this.sides.clock.stand(message.id);
        break;
      case "notify":
        if (!excess) this.#latest.push(message.name, message);
        return;
      case "file":
        if (excess) this.#leaveOut(message.path);
    }
    // Our own Python says itself which pictures it leaves out.
    if (!excess) await this.sides.send(message);
  }

  /**
   * Passes on everything that is held back: the run has ended. Gives the characters
   * printed.
   */
  async close(): Promise<number> {
    this.#latest.flush();
    for (const [stream, text] of this.#terminals?.finish() ?? []) {
      await this.#print(stream, text);
    }
    const { files } = this.#leftOut;
    if (files > 0) {
      const note =
        `Not sent back from /workspace: what is more than there may be (--max-files-size), files: ${files}\n`;
      await this.#print("stderr", note);
    }
    const { rest, total } = this.#output.finish();
    await this.#send("stdout", rest);
    return total;
  }

  async #print(stream: Stream, text: string): Promise<void> {
    await this.#send(stream, this.#output.push(text));
  }

  async #send(stream: Stream, text: string): Promise<void> {
    if (text !== "") await this.sides.send({ type: "output", stream, text });
  }

  /** Counts a file once; its pieces come in a row. */
  #leaveOut(path: string): void {
    if (this.#leftOut.files > 0 && this.#leftOut.last === path) return;
    this.#leftOut = { files: this.#leftOut.files + 1, last: path };
  }
}

function refuse(ask: Ask, excess: Excess, limits: CallLimits): Answer {
  const { count, size } = limits;
  if (excess === "calls") {
    const message =
      `Cannot call the host again as this run has done so ${count} times, which is all it may. Make fewer calls.`;
    return toRefusal(ask.id, "RuntimeError", message);
  }
  const sent = sizeOfCall(ask);
  const message =
    `Cannot call the host with ${sent} characters of JSON as it may be ${size}. Send less.`;
  return toRefusal(ask.id, "ValueError", message);
}
