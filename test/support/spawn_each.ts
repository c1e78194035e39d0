/**
 * Starts each process of the product by its own `spawn()`, with an echo in front
 * of Deno, and prints what the echoes say. It is a program, as `spawn()` reads the
 * variables of its process once, when it is loaded.
 *
 * @module
 */
import { fileURLToPath } from "node:url";
import { type ChildName, spawn } from "../../src/launcher/spawn.ts";
import { print } from "../../src/log.ts";
import type { Echo } from "./echo.ts";
import type { ScopePaths } from "../../src/grants/permissions.ts";

const NAMES = [
  ...["installer", "offlineInstaller", "preloader", "server", "sandbox"],
] as const satisfies readonly ChildName[];

const ECHO = fileURLToPath(import.meta.resolve("./echo.ts"));
const wall = [Deno.execPath(), "run", "--allow-env", ECHO];

/** How each process was started. */
export type Spawned = Record<typeof NAMES[number], Echo>;

if (import.meta.main) {
  const places: ScopePaths = JSON.parse(Deno.args[0] ?? "");
  const echoes = await Promise.all(NAMES.map(async (name) => {
    const process = spawn(name, { places, wall, argument: name, logs: true });
    const echo: Echo = await new Response(process.stdout).json();
    await process.stdin.close();
    await process.status;
    return [name, echo];
  }));
  print(JSON.stringify(Object.fromEntries(echoes)));
}
