/**
 * Makes the packages of all registries in `dist/`.
 *
 * @module
 */
import { join } from "node:path";
import { log } from "../../src/log.ts";
import { buildJsr } from "./jsr.ts";
import { buildNpm } from "./npm.ts";
import { ROOT } from "../../src/launcher/bundling/write_program.ts";
import { buildPython } from "./python.ts";

const folder = join(ROOT, "dist");
await Deno.remove(folder, { recursive: true }).catch(() => {});
for (const [name, build] of Object.entries({ jsr: buildJsr, npm: buildNpm })) {
  const own = join(folder, name);
  await Deno.mkdir(own, { recursive: true });
  await build(own);
  log(`dist/${name}`);
}
for (const name of await buildPython(folder)) log(`dist/${name}`);
