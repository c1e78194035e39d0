import type { Ending } from "../../protocol/run_messages.ts";
import { MOST_BYTES } from "./worker/memory.ts";
import { type InterpreterFiles, startInterpreter } from "./host.ts";

/** Much more than a try takes on a busy machine. */
const PATIENCE_MS = 120_000;

/** Runs code in a fresh interpreter with these files, for an install. */
export async function tryCode(
  files: Omit<InterpreterFiles, "memoryBytes" | "fileLimits">,
  code: string,
): Promise<Ending> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    late.reject(new Error(`It did not end within ${PATIENCE_MS / 1000} s`));
  }, PATIENCE_MS);
  try {
    const interpreter = await Promise.race([
      late.promise,
      startInterpreter({
        ...files,
        memoryBytes: MOST_BYTES,
        fileLimits: { bytes: MOST_BYTES, nodes: Infinity },
      }),
    ]);
    const request = { code, globals: "{}", timeoutMs: Infinity };
    try {
      // Packages may print on import.
      const run = interpreter.run({ request }, async () => {});
      return await Promise.race([late.promise, run]);
    } finally {
      await interpreter.end();
    }
  } finally {
    clearTimeout(timer);
  }
}
