/** Runs Deno; gives what it prints, or throws with what it says. */
export async function deno(args: string[], cwd: string): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    ...{ args, cwd },
  }).output();
  const decoder = new TextDecoder();
  if (success) return decoder.decode(stdout);
  throw new Error(`deno ${args[0]} failed: ${decoder.decode(stderr)}`);
}
