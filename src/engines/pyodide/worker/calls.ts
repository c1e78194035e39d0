import type { Answer } from "../../../protocol/run_messages.ts";
import type { Post } from "./backlog.ts";

/** The worker's end of the calls that Python makes on its host. */
export interface Calls {
  /** For Python: gives the answer, as JSON text. */
  ask(name: string, args: string): Promise<string>;
  /** For Python: waits for nothing. */
  notify(name: string, args: string): void;
  /** Takes what the host answers. */
  answer(answer: Answer): void;
}

/** Connects Python's calls to the host. */
export function connectCalls(
  post: Post,
  flushOutput: () => void,
): Calls {
  const waiting = new Map<number, (answer: string) => void>();
  let last = 0;
  return {
    ask(name, args) {
      const id = ++last;
      // What was printed is seen while this waits.
      flushOutput();
      post({ type: "ask", id, name: `${name}`, arguments: `${args}` });
      return new Promise((resolve) => waiting.set(id, resolve));
    },
    notify(name, args) {
      post({ type: "notify", name: `${name}`, arguments: `${args}` });
    },
    answer({ id, answer }) {
      waiting.get(id)?.(answer);
      waiting.delete(id);
    },
  };
}
