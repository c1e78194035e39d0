/** Signals that ask a program to end: those of Ctrl-C, and of its parent. */
export const END_SIGNALS: readonly Deno.Signal[] = Deno.build.os === "windows"
  ? ["SIGINT", "SIGBREAK"]
  : ["SIGINT", "SIGTERM", "SIGQUIT"];

/** Has a server of HTTP reload, and ends others, as their terminal is gone; none on Windows. */
export const HANGUP: readonly Deno.Signal[] = Deno.build.os === "windows"
  ? []
  : ["SIGHUP"];

/**
 * Leaves these signals to the launcher: a terminal, and some clients, send them to
 * all processes at once. A process ends when its stdin does.
 */
export function leaveSignals(): void {
  for (const signal of [...END_SIGNALS, ...HANGUP]) {
    Deno.addSignalListener(signal, () => {});
  }
}
