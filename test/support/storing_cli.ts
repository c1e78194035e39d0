/**
 * The real command with `storing_server.ts` in the place of the server process.
 *
 * @module
 */
import { fileURLToPath } from "node:url";
import { main } from "../../src/cli/main.ts";
import { takeConstants } from "./constants.ts";
import { spawnFlags } from "../../src/launcher/spawn.ts";

const SERVER = fileURLToPath(import.meta.resolve("./storing_server.ts"));

const server = new Deno.Command(Deno.execPath(), {
  args: ["run", ...spawnFlags("server"), SERVER],
  stdin: "piped",
  stdout: "piped",
}).spawn();
Deno.exit(await main(takeConstants(Deno.args), server));
