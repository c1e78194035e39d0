import type { Mount } from "../../src/grants/mounts.ts";
import type { Json } from "../../src/protocol/run_result.ts";
import { Files } from "../../src/engines/monty/worker/files.ts";

/** The files of an interpreter on Monty, and its calls in few words. */
export interface MontyFiles {
  files: Files;
  /** Calls a function of Python; a value, or an error as `type: message`. */
  call(name: string, ...args: Json[]): Json;
  /** Calls it with keywords. */
  callWith(kwargs: Record<string, Json>, name: string, ...args: Json[]): Json;
}

export function montyFiles(
  { bytes = 1000, nodes = 100, mounts = [] }: {
    bytes?: number;
    nodes?: number;
    mounts?: readonly Mount[];
  } = {},
): MontyFiles {
  const files = new Files({ bytes, nodes, mounts });
  const callWith: MontyFiles["callWith"] = (kwargs, name, ...args) => {
    const answer = files.answer({ name, args, kwargs });
    if (!answer) return "not a call on files";
    return "value" in answer
      ? answer.value
      : `${answer.error.type}: ${answer.error.message}`;
  };
  return { files, callWith, call: (...rest) => callWith({}, ...rest) };
}
