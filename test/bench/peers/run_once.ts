/** Longer than a download, a call or a refusal takes. */
const LIMIT_MS = 120_000;
const decoder = new TextDecoder();

/**
 * Runs a command to its end; gives its output.
 *
 * @throws {Error} With its first error, if it fails.
 */
export async function runOnce(
  path: string,
  args: string[],
  options: Pick<Deno.CommandOptions, "cwd" | "env"> = {},
): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(path, {
    args,
    ...options,
    env: { NO_COLOR: "1", ...options.env },
    signal: AbortSignal.timeout(LIMIT_MS),
    stdin: "null",
  }).output();
  if (success) return decoder.decode(stdout).trimEnd();
  const lines = decoder.decode(stderr).trim().split("\n");
  const error = lines.find((line) => /^error: /i.test(line)) ?? lines.at(-1);
  throw new Error(error || `no answer within ${LIMIT_MS} ms`);
}
