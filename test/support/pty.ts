import { fileURLToPath } from "node:url";

/** A program in Python that runs a command on a terminal. */
export const PTY: string = fileURLToPath(
  import.meta.resolve("./on_terminal.py"),
);

/** Why it cannot run here; undefined if it can. */
export async function whyNoPty(): Promise<string | undefined> {
  try {
    const { success } = await new Deno.Command("python3", {
      args: ["-c", "import fcntl, os, pty; os.waitstatus_to_exitcode"],
      stderr: "null",
    }).output();
    if (!success) return "needs python3 with pty";
  } catch {
    return "needs python3";
  }
}
