import { EXIT } from "../errors.ts";

/** Is aborted by the first Ctrl-C; a second one ends this process at once. */
export function onInterrupt(): AbortSignal {
  const interrupt = new AbortController();
  Deno.addSignalListener("SIGINT", () => {
    if (interrupt.signal.aborted) Deno.exit(EXIT.interrupted);
    interrupt.abort();
  });
  return interrupt.signal;
}
