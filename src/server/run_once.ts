import type { Pool } from "../pool/pool.ts";
import type { Link } from "./link.ts";
import type { ServerSettings } from "./settings.ts";

/** Does one run for the shell: prints as it comes, then says how it ended. */
export async function runOnce(
  link: Link,
  pool: Pool,
  { run, timeoutSeconds }:
    & ServerSettings
    & Required<Pick<ServerSettings, "run">>,
): Promise<void> {
  const request = {
    ...run,
    globals: "{}",
    timeoutMs: timeoutSeconds * 1000,
    installable: [],
  };
  const result = await pool.run(request, {
    onOutput: (stream, text) => link.sendToLauncher("print", [stream, text]),
  });
  if (result.status === "success") return await link.sendToLauncher("exit", 0);
  await link.sendToLauncher("print", ["stderr", `${result.error}\n`]);
  await link.sendToLauncher("exit", result.exitCode ?? 1);
}
