/** Runs a program without input; gives its output, or throws with what it says. */
export async function run(
  program: string,
  args: string[],
  options: Pick<Deno.CommandOptions, "cwd" | "env" | "clearEnv"> = {},
): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(program, {
    ...{ ...options, args, stdin: "null" },
  }).output();
  const decoder = new TextDecoder();
  if (success) return decoder.decode(stdout);
  throw new Error(
    `${program} ${args.join(" ")} failed:\n${decoder.decode(stdout)}${
      decoder.decode(stderr)
    }`,
  );
}
