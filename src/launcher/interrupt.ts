import { EXIT } from "../errors.ts";
import { readStdin } from "../protocol/standard_streams.ts";
import { END_SIGNALS } from "../signals.ts";

/** Ends by SIGTERM, or with standard input; Ctrl-C is for the program that holds it. */
export function onEof(): AbortSignal {
  const eof = new AbortController();
  Deno.addSignalListener("SIGINT", () => {});
  const others = END_SIGNALS.filter((signal) => signal !== "SIGINT");
  drain().then(() => eof.abort());
  return AbortSignal.any([eof.signal, onInterrupt(others)]);
}

async function drain(): Promise<void> {
  try {
    for await (const _ of readStdin());
  } catch {
    // It cannot be read any more.
  }
}

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
