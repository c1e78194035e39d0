/** Ends a process at once, unless it has ended. */
export function kill(process: Deno.ChildProcess): void {
  try {
    process.kill("SIGKILL");
  } catch {
    // The process has ended already.
  }
}
