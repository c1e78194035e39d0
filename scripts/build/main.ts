/**
 * Makes the packages of all registries in `dist/`. Arguments are the platforms of
 * bundles for desktop clients, such as `darwin-arm64`; this one if there are none.
 *
 * @module
 */
import { join } from "node:path";
import { ROOT } from "../../src/launcher/bundling/write_program.ts";
import { log } from "../../src/log.ts";
import { buildJsr } from "./jsr.ts";
import { buildMcpb, THIS_PLATFORM } from "./mcpb.ts";
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
const bundles: string[] = [];
for (const platform of Deno.args.length > 0 ? Deno.args : [THIS_PLATFORM]) {
  const name = await buildMcpb(folder, platform);
  bundles.push(name);
  tell(name);
}
await writeServerJson(folder, bundles);
tell("server.json");
