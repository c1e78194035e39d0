import { EXIT } from "../errors.ts";
import { describeImage } from "../results/images.ts";
import type { Pool } from "../pool/pool.ts";
import type { Link } from "./link.ts";
import { toProgressLine } from "./progress.ts";
import {
  type ServerSettings,
  toCallLimits,
  toImageLimits,
} from "./settings.ts";

/** Does one run for the shell: prints as it comes, then says how it ended. */
export async function runOnce(
  link: Link,
  pool: Pool,
  settings: ServerSettings & Required<Pick<ServerSettings, "run">>,
): Promise<void> {
  const { run, timeoutSeconds } = settings;
  const request = {
    ...run,
    globals: "{}",
    timeoutMs: timeoutSeconds * 1000,
    installable: [],
    hostCalls: toCallLimits(settings),
    images: toImageLimits(settings),
    variables: settings.variables,
  };
  const result = await pool.run(request, {
    signal: link.interrupt,
    onOutput: (stream, text) => link.sendToLauncher("print", [stream, text]),
    // What has drawn a bar needs no second one.
    onProgress: (progress) =>
      void (progress.isDrawn ||
        link.sendToLauncher("print", ["stderr", toProgressLine(progress)])),
  });
  for (const image of result.images ?? []) {
    const line = `(picture: ${describeImage(image)})\n`;
    await link.sendToLauncher("print", ["stderr", line]);
  }
  if (result.status === "success") {
    return await link.sendToLauncher("exit", EXIT.ok);
  }
  if (result.status === "cancelled") {
    return await link.sendToLauncher("exit", EXIT.interrupted);
  }
  await link.sendToLauncher("print", ["stderr", `${result.error}\n`]);
  await link.sendToLauncher("exit", result.exitCode ?? EXIT.failure);
}
