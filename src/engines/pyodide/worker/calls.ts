import type { Answer } from "../../../protocol/run_messages.ts";
import type { Post } from "../../shared/backlog.ts";

const refuse = (message: string) =>
  JSON.stringify({ error: "RuntimeError", message });
const RUN_IS_OVER = refuse("The run that called the host is over.");
const NO_RUN = refuse(
  "Cannot call the host between two runs: only a run of the session can.",
);

/** Connects the calls that Python makes on its host, during a run. */
export function connectCalls(
  post: Post,
  flushOutput: () => void,
  isRunning: () => boolean,
) {
  const waiting = new Map<number, (answer: string) => void>();
  let last = 0;
  return {
    /** For Python: gives the answer, as JSON text. */
    ask(name: string, args: string): Promise<string> {
      if (!isRunning()) return Promise.resolve(NO_RUN);
      const id = ++last;
      // The output up to here is seen while this waits.
      flushOutput();
      post({ type: "ask", id, name: `${name}`, arguments: `${args}` });
      return new Promise((resolve) => waiting.set(id, resolve));
    },
    /** For Python: waits for nothing. */
    notify(name: string, args: string): void {
      post({ type: "notify", name: `${name}`, arguments: `${args}` });
    },
    answer({ id, answer }: Answer): void {
      waiting.get(id)?.(answer);
      waiting.delete(id);
    },
    /** Refuses the calls of a run that is over, which the host will not answer. */
    refuseOpen(): void {
      for (const answer of waiting.values()) answer(RUN_IS_OVER);
      waiting.clear();
    },
  };
}
