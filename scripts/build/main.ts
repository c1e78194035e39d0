/**
 * Makes the packages of all registries in `dist/`.
 *
 * @module
 */
import { join } from "node:path";
import { log } from "../../src/log.ts";
import { ROOT } from "./program.ts";
import { buildPython } from "./python.ts";

const folder = join(ROOT, "dist");
await Deno.mkdir(folder, { recursive: true });
for (const name of await buildPython(folder)) log(`dist/${name}`);
