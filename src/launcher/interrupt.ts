import { EXIT } from "../errors.ts";
import { readStdin } from "../protocol/standard_streams.ts";
import { END_SIGNALS } from "../signals.ts";

/** The wish of a user that a server ends. */
export interface Ending {
  stop: AbortSignal;
  /** Aborted if it is to end without waiting for calls; what is open is saved. */
  hurry: AbortSignal;
}

/** Ends by SIGTERM, or with standard input; Ctrl-C is for the program that holds it. */
export function onEof(): Ending {
  const eof = new AbortController();
  Deno.addSignalListener("SIGINT", () => {});
  const others = END_SIGNALS.filter((signal) => signal !== "SIGINT");
  const { stop, hurry } = onEndSignals(others);
  drain().then(() => eof.abort());
  return { stop: AbortSignal.any([eof.signal, stop]), hurry };
}

/** The first of these has a server end, and the second hurry; none ends this process. */
export function onEndSignals(
  signals: readonly Deno.Signal[] = END_SIGNALS,
): Ending {
  const hurry = new AbortController();
  const stop = onInterrupt(signals, () => hurry.abort());
  return { stop, hurry: hurry.signal };
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
  onSecond: () => void = () => Deno.exit(EXIT.interrupted),
): AbortSignal {
  const interrupt = new AbortController();
  for (const signal of signals) {
    Deno.addSignalListener(signal, () => {
      if (interrupt.signal.aborted) onSecond();
      else interrupt.abort();
    });
  }
  return interrupt.signal;
}
