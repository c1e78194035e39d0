/**
 * The command, with other constants of `src/settings.ts` than a user has: see
 * `withConstants()` in `command.ts`.
 *
 * @module
 */
import { main } from "../../src/cli/main.ts";
import { maybeStartServer } from "../../src/launcher/start_server.ts";
import { takeConstants } from "./constants.ts";

const args = takeConstants(Deno.args);
Deno.exit(await main(args, maybeStartServer(args)));
