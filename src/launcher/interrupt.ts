import { EXIT } from "../errors.ts";

/** The first Ctrl-C aborts this signal; the second ends this process at once. */
export function onInterrupt(): AbortSignal {
  const interrupt = new AbortController();
  Deno.addSignalListener("SIGINT", () => {
    if (interrupt.signal.aborted) Deno.exit(EXIT.interrupted);
    interrupt.abort();
  });
  return interrupt.signal;
}
