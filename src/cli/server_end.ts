import { EXIT } from "../errors.ts";
import { howEnded } from "../launcher/spawn.ts";
import { logError } from "../log.ts";

/** The exit code of a command whose server has ended; says it if that is a fault. */
export function toExitCode(status: Deno.CommandStatus): number {
  if (status.success) return EXIT.ok;
  logError(`The server process ended (${howEnded(status)}); start it again.`);
  return EXIT.failure;
}
