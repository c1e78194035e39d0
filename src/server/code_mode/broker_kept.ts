import type {
  Facts,
  FromState,
  Space,
  ToState,
} from "../../protocol/state_messages.ts";
import { Window } from "../../protocol/window.ts";
import type { AskState, Kept } from "./kept.ts";
import type { KeptDraft, KeptFiles } from "./kept_files.ts";

/** Requests that may be under way: the others wait here. */
const UNDER_WAY = 4;

/** Time for an answer, beyond that for which another server may have the folder. */
const ANSWER_MS = 30_000;

/** A value that cannot be kept or read; a sentence that names it, and the remedy. */
export class KeptError extends Error {
  override name = "KeptError";
}

/** The process has ended with the request: it may have been done. */
class StateEnded extends KeptError {}

/** What outlives sessions, in a process beyond the broker. */
export class BrokerKept implements Kept, KeptFiles {
  #drafts = 0;
  #window = new Window(UNDER_WAY);

  constructor(private askState: AskState, private answerMs = ANSWER_MS) {}

  async list(space: Space, owner: string): Promise<Facts[]> {
    const said = await this.#askAgain({ type: "list", space, owner });
    return said.type === "listed" ? said.entries : [];
  }

  async get(
    ...[space, owner, key]: Parameters<Kept["get"]>
  ): ReturnType<Kept["get"]> {
    const said = await this.#askAgain({ type: "get", space, owner, key });
    return said.type === "found"
      ? { facts: said.facts, text: said.text }
      : undefined;
  }

  async put(
    ...[space, owner, key, value]: Parameters<Kept["put"]>
  ): Promise<Facts | undefined> {
    const { text, metadata, ifRevision } = value;
    const request: ToState = {
      ...{ type: "put", space, owner, key, text },
      ...(metadata === undefined ? {} : { metadata }),
      ...(ifRevision === undefined ? {} : { ifRevision }),
    };
    // What has replaced a revision would find another the second time.
    const said = ifRevision === undefined
      ? await this.#askAgain(request)
      : await this.#ask(request);
    return said.type === "conflict" ? undefined : factsIn(said);
  }

  async delete(
    ...[space, owner, key]: Parameters<Kept["delete"]>
  ): Promise<boolean> {
    const said = await this.#askAgain({ type: "delete", space, owner, key });
    return said.type === "done";
  }

  async info(
    ...[space, owner, key]: Parameters<KeptFiles["info"]>
  ): Promise<Facts | undefined> {
    const said = await this.#askAgain({ type: "info", space, owner, key });
    return said.type === "absent" ? undefined : factsIn(said);
  }

  async read(
    ...[space, owner, key, piece]: Parameters<KeptFiles["read"]>
  ): ReturnType<KeptFiles["read"]> {
    const place = { space, owner, key };
    const said = await this.#askAgain({ type: "read", ...place, ...piece });
    return said.type === "piece"
      ? { facts: said.facts, bytes: said.bytes }
      : undefined;
  }

  async begin(
    ...[space, owner, key, value]: Parameters<KeptFiles["begin"]>
  ): Promise<KeptDraft> {
    const draft = ++this.#drafts;
    await this.#ask({ type: "begin", draft, space, owner, key, ...value });
    return {
      append: async (bytes) => {
        await this.#ask({ type: "append", draft, bytes });
      },
      commit: async () => factsIn(await this.#ask({ type: "commit", draft })),
      abort: async () => {
        await this.#ask({ type: "abort", draft }).catch(() => {});
      },
    };
  }

  /** Asks for what may be done twice. */
  #askAgain(request: ToState): Promise<FromState> {
    return this.#ask(request).catch((error) => {
      if (error instanceof StateEnded) return this.#ask(request);
      throw error;
    });
  }

  /**
   * @throws {RangeError} If there would be too much.
   * @throws {KeptError} If it cannot be done.
   */
  async #ask(request: ToState): Promise<FromState> {
    const { said } = await this.#window.pass(
      1,
      () => Promise.resolve({ said: this.askState(request) }),
    );
    const answer = await this.#inTime(said)
      .finally(() => this.#window.leave(1));
    switch (answer.type) {
      case "full":
        throw new RangeError(answer.reason);
      case "failed":
        throw new KeptError(answer.reason);
      case "ended":
        throw new StateEnded(`Cannot reach what is kept: ${answer.reason}`);
      default:
        return answer;
    }
  }

  async #inTime(answer: Promise<FromState>): Promise<FromState> {
    const late = Promise.withResolvers<FromState>();
    const reason =
      `The folder of --state-dir did not answer within ${this.answerMs} ms.`;
    const timer = setTimeout(
      () => late.resolve({ type: "failed", reason }),
      this.answerMs,
    );
    return await Promise.race([answer, late.promise])
      .finally(() => clearTimeout(timer));
  }
}

function factsIn(said: FromState): Facts {
  if (said.type === "done" && said.facts) return said.facts;
  throw new Error(`The state process answered "${said.type}" without facts`);
}
