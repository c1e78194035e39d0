import type { OpenEngine } from "../../../src/engines/engine.ts";
import type { Ending, RunRequest } from "../../../src/protocol/run_messages.ts";

/** Opens the engine; its interpreters live in the process that opens it. */
export const openEngine: OpenEngine = () =>
  Promise.resolve({
    mostSaved: 0,
    prepare: () =>
      Promise.resolve({
        async run({ request }, onMessage) {
          const text = request.code === "open" ? "open" : "said\n";
          await onMessage({ type: "output", stream: "stdout", text });
          return echo(request);
        },
        save: () => Promise.resolve({ type: "unsaved", reasons: ["an echo"] }),
        answer() {},
        interrupt() {},
        interruptTasks() {},
        isDeaf: () => false,
        end: () => Promise.resolve(true),
      }),
  });

/** Gives back what the code names: a variable, `own`, or an exception. */
function echo({ code, globals, own }: RunRequest): Ending {
  if (code === "raise") {
    return {
      ...{
        status: "run-error",
        exitCode: 1,
        error: "Traceback: KeyError: 'x'",
      },
      ...{ errorType: "KeyError", errorMessage: "'x'" },
    };
  }
  const value = code === "own" ? { String: own } : JSON.parse(globals)[code];
  return { status: "success", value: JSON.stringify(value) };
}
