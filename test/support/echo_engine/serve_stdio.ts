// Serves MCP on stdio by the real launcher, with an engine that stands in for Monty: its
// code names what comes back (host.ts).
import { fileURLToPath } from "node:url";
import type { EngineRow } from "../../../src/engines/engine.ts";
import { prepareWithoutInstall } from "../../../src/launcher/prepare.ts";
import { serve } from "../../../src/launcher/serve.ts";
import { DEFAULTS } from "../../../src/settings.ts";
import { TOY } from "../toy_engine/row.ts";

const ECHO: EngineRow = {
  ...TOY,
  profile: { ...TOY.profile, name: "monty", label: "Echo" },
  host: new URL("./host.ts", import.meta.url),
  findRuntime: () =>
    Promise.resolve({
      ...{ version: "1", python: "3.14", files: {}, identity: ["echo"] },
      places: [fileURLToPath(new URL(".", import.meta.url))],
    }),
};

const [cacheDir = ""] = Deno.args;
const one = { pool: 1, maxConcurrency: 1 };
const settings = { ...DEFAULTS, engine: ECHO, cacheDir, ...one };
using prepared = await prepareWithoutInstall(settings);
const { code } = await serve(prepared, {
  client: { input: Deno.stdin.readable, output: Deno.stdout.writable },
});
Deno.exit(code);
