import { EXIT } from "../errors.ts";

/** The first of these aborts this signal; the second ends this process at once. */
export function onInterrupt(
  signals: readonly Deno.Signal[] = ["SIGINT"],
): AbortSignal {
  const interrupt = new AbortController();
  for (const signal of signals) {
    Deno.addSignalListener(signal, () => {
      if (interrupt.signal.aborted) Deno.exit(EXIT.interrupted);
      interrupt.abort();
    });
  }
  return interrupt.signal;
}
