/**
 * A process that holds a lock, for a test to kill: `install <cache> <id>` or
 * `use <folder>`. Says `held` when it does; its child lives as long as its
 * standard input.
 *
 * @module
 */
import { dropPermissions } from "../../src/launcher/serve.ts";
import {
  holdEnvironment,
  lockEnvironment,
} from "../../src/environments/file_locks.ts";
import { print } from "../../src/log.ts";

if (import.meta.main) {
  const [kind, folder = "", id = ""] = Deno.args;
  const _held = kind === "install"
    ? await lockEnvironment(folder, id, { onWait() {} })
    : holdEnvironment(folder);
  const child = new Deno.Command(Deno.execPath(), {
    args: ["eval", "await new Response(Deno.stdin.readable).text()"],
    stdin: "inherit",
  }).spawn();
  await dropPermissions([]);
  print("held\n");
  await child.status;
}
