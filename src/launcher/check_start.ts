import { EXIT } from "../errors.ts";
import { logError } from "../log.ts";

/** Ends a launcher that was started without `-A`, before Deno asks for each permission. */
const isAllowed = (["env", "run"] as const)
  .every((name) => Deno.permissions.querySync({ name }).state === "granted");
if (!isAllowed) {
  logError(
    "Cannot start without Deno's -A, as in deno run -A cli.ts: this process starts the others. Python runs in a process that reads a few folders, and has no other permission.",
  );
  Deno.exit(EXIT.usage);
}
