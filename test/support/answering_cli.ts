/**
 * The real command with another server process: one whose host answers calls
 * that only tests make (`answering_server.ts`).
 *
 * @module
 */
import { fileURLToPath } from "node:url";
import { main } from "../../src/cli/main.ts";
import { takeConstants } from "./constants.ts";
import { spawnFlags } from "../../src/launcher/spawn.ts";

const SERVER = fileURLToPath(import.meta.resolve("./answering_server.ts"));

const server = new Deno.Command(Deno.execPath(), {
  args: ["run", ...spawnFlags("server"), "--conditions=browser", SERVER],
  stdin: "piped",
  stdout: "piped",
}).spawn();
Deno.exit(await main(takeConstants(Deno.args), server));
