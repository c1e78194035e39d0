/** Ends a process at once, if it has not ended by itself. */
export function kill(process: Deno.ChildProcess): void {
  try {
    process.kill("SIGKILL");
  } catch {
    // It has ended already.
  }
}
