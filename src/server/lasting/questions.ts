import type { ElicitRequestFormParams } from "../../../deps/mcp_server.ts";
import { untilAborted } from "../../deadline.ts";

export interface Question {
  key: string;
  form: ElicitRequestFormParams;
  /** Aborted once it is not wanted any more. */
  signal: AbortSignal;
  answer(data: unknown): void;
}

/** The questions of a call that its client's user has not answered. */
export class Questions {
  #open = new Map<string, Question>();
  #count = 0;
  #onAsked = Promise.withResolvers<void>();

  get size(): number {
    return this.#open.size;
  }

  /** Those without an answer, in the order in which they were asked. */
  get open(): readonly Question[] {
    return [...this.#open.values()];
  }

  /** Resolves once there is a question. */
  async asked(): Promise<void> {
    while (this.size === 0) await this.#onAsked.promise;
  }

  /**
   * Gives the client's answer, which may be anything.
   *
   * @throws The signal's reason.
   */
  async ask(
    form: ElicitRequestFormParams,
    signal: AbortSignal,
  ): Promise<unknown> {
    signal.throwIfAborted();
    const key = `approval-${++this.#count}`;
    const { promise, resolve: answer } = Promise.withResolvers<unknown>();
    this.#open.set(key, { key, form, signal, answer });
    this.#onAsked.resolve();
    this.#onAsked = Promise.withResolvers();
    return await untilAborted(promise, signal)
      .finally(() => this.#open.delete(key));
  }

  /** Answers a question; without effect if it has an answer, or is not wanted any more. */
  answer(key: string, data: unknown): void {
    const question = this.#open.get(key);
    this.#open.delete(key);
    question?.answer(data);
  }
}
