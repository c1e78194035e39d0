import type {
  Ending,
  Look,
  RunRequest,
} from "../../../protocol/run_messages.ts";
import type { RunSetup } from "../../../protocol/run_setup.ts";
import type { Post } from "../../shared/backlog.ts";
import type { WorkerOutput } from "../../shared/output.ts";
import { MOST_OUTPUT, wholeValue } from "../../../protocol/bounds.ts";
import type { MontyTerms } from "../terms.ts";
import { crashOf, endingOf } from "./endings.ts";
import type { Files } from "./files.ts";
import type { CallAnswer, HostCall } from "./host_call.ts";
import type { openHttp } from "./http_request.ts";
import {
  type BridgeAnswer,
  type BridgeReply,
  type BridgeRequest,
  type Instance,
  Trap,
} from "./instance.ts";
import { notifyProgress } from "./notify_progress.ts";
import { Sleeps } from "./sleeps.ts";

/** Functions of the host that have names in Python. */
const FUNCTIONS = ["http_request", "notify_progress"];
/** A run that waits for so long may wait for longer. */
const REST_MS = 500;
/** Its sandbox process has the limit of a run that asks for none. */
const ENDLESS_MS = 1e9;

interface Sides {
  request: RunRequest;
  setup: RunSetup;
  http: ReturnType<typeof openHttp>;
  output: WorkerOutput;
  send: Post;
  /** Whether the code is to stop. */
  isInterrupted(): boolean;
}

/** A run of an interpreter: answers what its code asks of the host. */
export class MontyRun {
  #interrupted = Promise.withResolvers<void>();
  #sleeps = new Sleeps();

  constructor(
    private interpreter: { instance: Instance; files: Files },
    private makeInstance: () => Instance,
    private sides: Sides,
  ) {}

  /** Stops it while it waits; the clock stops what computes. */
  interrupt(): void {
    this.#interrupted.resolve();
  }

  /** Runs the code to its end. */
  async serve(memoryBytes: number): Promise<Ending> {
    const { own, look, code } = this.sides.request;
    if (look !== undefined) return this.#look(look, code);
    const terms: MontyTerms = own === undefined ? {} : JSON.parse(own);
    try {
      let reply = this.#take(this.#toRequest(terms, memoryBytes));
      while (reply.type === "call" || reply.type === "waits") {
        reply = this.#take(await this.#answer(reply));
      }
      const end = reply.type === "done" && this.#isPrompt
        ? this.#show(reply)
        : reply;
      return endingOf(end, {
        memoryBytes,
        none: own === undefined ? "null" : '"None"',
        terms,
        isInterrupted: this.sides.isInterrupted(),
        files: this.interpreter.files,
      });
    } catch (error) {
      if (!(error instanceof Trap)) throw error;
      return crashOf(error);
    } finally {
      this.#sleeps.forget();
    }
  }

  get #isPrompt(): boolean {
    return this.sides.setup.shell?.isPrompt === true;
  }

  /** A prompt shows the value itself. */
  #show(
    { value }: BridgeReply & { type: "done" },
  ): BridgeReply & { type: "done" } {
    const shown: unknown = JSON.parse(value);
    if (typeof shown === "string") {
      this.sides.output.write("stdout", `${shown}\n`);
    }
    return { type: "done", value: "null" };
  }

  #look(look: Look, question: string): Ending {
    if (look !== "is_complete") return NO_LOOKS;
    const { text }: { text: string } = JSON.parse(question);
    const reply = this.#take({ type: "isComplete", text });
    const isComplete = reply.type === "complete" && reply.isComplete;
    const state = isComplete ? "complete" : "incomplete";
    return { status: "success", value: JSON.stringify({ state }) };
  }

  #take(request: BridgeRequest): BridgeReply {
    return this.interpreter.instance.take(request);
  }

  #toRequest(terms: MontyTerms, memoryBytes: number): BridgeRequest {
    const { request: { code, globals, own }, setup } = this.sides;
    const { maxOutput, variables } = setup;
    return {
      type: "run",
      code,
      inputs: JSON.parse(globals),
      form: own !== undefined ? "typed" : this.#isPrompt ? "shown" : "plain",
      room: wholeValue(maxOutput ?? MOST_OUTPUT),
      functions: FUNCTIONS,
      environment: variables,
      limits: {
        // The bridge reads whole numbers alone.
        maxDurationMs: Math.ceil(terms.maxDurationMs ?? ENDLESS_MS),
        maxMemoryBytes: Math.min(terms.maxMemoryBytes ?? Infinity, memoryBytes),
        maxAllocations: terms.maxAllocations,
        gcInterval: terms.gcInterval,
        maxRecursionDepth: terms.maxRecursionDepth,
      },
    };
  }

  /** Answers what the run waits for, unless it is interrupted meanwhile. */
  async #answer(
    reply: BridgeReply & { type: "call" | "waits" },
  ): Promise<BridgeRequest> {
    if (reply.type === "call") {
      const now = this.#maybeAnswer(reply);
      if (now) return { type: "answer", answer: now };
    }
    // The output up to here is seen while this waits.
    this.sides.output.flush();
    const waiting = reply.type === "waits"
      ? this.#sleeps.next(reply.ids)
        .then((answers): BridgeRequest => ({ type: "answers", answers }))
      : this.#wait(reply)
        .then((answer): BridgeRequest => ({ type: "answer", answer }));
    const stopped = this.#interrupted.promise.then(() => ABORT);
    const rest = setTimeout(() => this.#rest(), REST_MS);
    return await Promise.race([waiting, stopped])
      .finally(() => clearTimeout(rest));
  }

  /**
   * Has the run go on in another instance: its memory has room for the values that the
   * code holds, and not for all that it ever held.
   */
  #rest(): void {
    const { instance } = this.interpreter;
    if (!instance.isGrown) return;
    const dump = instance.dump();
    // The old memory is free before the new is filled.
    const next = this.interpreter.instance = this.makeInstance();
    next.load(dump);
  }

  /** The answer to a call that has one at once. */
  #maybeAnswer(call: BridgeReply & { type: "call" }): BridgeAnswer | undefined {
    const { id, name, args: [seconds], mayWait } = call;
    if (name === "notify_progress") {
      return notifyProgress(call, this.sides.send);
    }
    if (mayWait) {
      this.#sleeps.begin(id, Number(seconds));
      return "pending";
    }
    return this.interpreter.files.answer(call);
  }

  async #wait(call: HostCall): Promise<CallAnswer> {
    const { name, args: [seconds] } = call;
    if (name === "http_request") return await this.sides.http.request(call);
    if (name === "time.sleep" || name === "system.sleep") {
      await this.#sleeps.sleep(Number(seconds));
      return { value: "None" };
    }
    // The interpreter takes builtins that it lacks for functions of its host.
    const error = name.includes(".")
      ? {
        type: "RuntimeError",
        message: `'${name}' is not supported in this environment`,
      }
      : { type: "NameError", message: `name '${name}' is not defined` };
    return { error };
  }
}

const ABORT: BridgeRequest = {
  type: "abort",
  error: { type: "KeyboardInterrupt", message: "" },
};

const NO_LOOKS: Ending = {
  status: "run-error",
  error: "Monty cannot be looked into between its runs.",
};
