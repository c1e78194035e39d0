/**
 * Makes the packages of all registries in `dist/`, and their list.
 *
 * @module
 */
import { join } from "node:path";
import { ROOT } from "../../src/launcher/bundling/write_program.ts";
import { log } from "../../src/log.ts";
import { buildJsr } from "./jsr.ts";
import { buildMcpb } from "./mcpb.ts";
import { buildNpm } from "./npm.ts";
import { buildPython } from "./python.ts";
import { writeServerJson } from "./server_json.ts";

const folder = join(ROOT, "dist");
const tell = (name: string) => log(`dist/${name}`);
await Deno.remove(folder, { recursive: true }).catch(() => {});
for (const [name, build] of Object.entries({ jsr: buildJsr, npm: buildNpm })) {
  const own = join(folder, name);
  await Deno.mkdir(own, { recursive: true });
  await build(own);
  tell(name);
}
for (const name of await buildPython(folder)) tell(name);
const bundle = await buildMcpb(folder);
tell(bundle);
await writeServerJson(folder, [bundle]);
tell("server.json");
