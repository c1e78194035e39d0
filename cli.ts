// Before modules that read variables.
import "./src/launcher/check_start.ts";
import { EXIT } from "./src/errors.ts";
import { FIRST_START } from "./src/launcher/program.ts";
import { maybeStartServer } from "./src/launcher/start_server.ts";
import { logError } from "./src/log.ts";

if (import.meta.main) {
  // It gets ready while the rest of this program is loaded.
  const server = maybeStartServer(Deno.args);
  const { main } = await import("./src/cli/main.ts");
  Deno.exit(await main(Deno.args, server).catch(refuse));
}

/** Deno throws a TypeError if it cannot fetch or keep a module that a command loads. */
function refuse(error: unknown): never {
  if (!(error instanceof TypeError && /\bnpm\b/.test(error.message))) {
    throw error;
  }
  logError(`Cannot load this program: ${error.message}\n${FIRST_START}`);
  Deno.exit(EXIT.failure);
}
