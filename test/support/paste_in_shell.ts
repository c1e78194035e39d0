import { run } from "../../src/launcher/bundling/write_program.ts";

/** The arguments that a program gets if lines are pasted into a shell. */
export async function pasteInShell(
  program: string,
  lines: string,
): Promise<string[]> {
  const stub = `${program}() { printf '%s\\0' "$@"; }`;
  const told = await run("sh", ["-c", `${stub}\n${lines}`]);
  return told.split("\0").slice(0, -1);
}
