import { EXIT } from "../errors.ts";
import { describeImage } from "../results/result_images.ts";
import type { Pool } from "./pool/pool.ts";
import type { BrokerLine } from "./broker_line.ts";
import { toProgressLine } from "./live/progress_sender.ts";
import type { ServerSettings } from "../protocol/server_settings.ts";

/** Does one run for the shell: prints as it comes, then says how it ended. */
export async function runOnce(
  broker: BrokerLine,
  pool: Pool,
  settings: ServerSettings & Required<Pick<ServerSettings, "run">>,
): Promise<void> {
  const { run, timeoutSeconds } = settings;
  const timeoutMs = timeoutSeconds * 1000;
  const request = { code: run.code, globals: "{}", timeoutMs };
  const result = await pool.run(request, {
    signal: broker.interrupt,
    onOutput: (stream, text) => broker.sendToLauncher("print", [stream, text]),
    // A bar that was drawn already needs no second bar.
    onProgress: (progress) =>
      void (progress.isDrawn ||
        broker.sendToLauncher("print", ["stderr", toProgressLine(progress)])),
  });
  for (const image of result.images ?? []) {
    const line = `(picture: ${describeImage(image)})\n`;
    await broker.sendToLauncher("print", ["stderr", line]);
  }
  if (result.status === "success") {
    return await broker.sendToLauncher("exit", EXIT.ok);
  }
  if (result.status === "cancelled") {
    return await broker.sendToLauncher("exit", EXIT.interrupted);
  }
  await broker.sendToLauncher("print", ["stderr", `${result.error}\n`]);
  await broker.sendToLauncher("exit", result.exitCode ?? EXIT.failure);
}
