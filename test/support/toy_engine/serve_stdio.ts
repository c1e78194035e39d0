// Serves MCP on stdio by the real launcher, with the toy engine.
import { prepareWithoutInstall } from "../../../src/launcher/prepare.ts";
import { serve } from "../../../src/launcher/serve.ts";
import { DEFAULTS } from "../../../src/settings.ts";
import { TOY } from "./row.ts";

const [cacheDir = ""] = Deno.args;
const one = { pool: 1, maxConcurrency: 1 };
const settings = { ...DEFAULTS, engine: TOY, cacheDir, ...one };
using prepared = await prepareWithoutInstall(settings);
const { code } = await serve(prepared, {
  client: { input: Deno.stdin.readable, output: Deno.stdout.writable },
});
Deno.exit(code);
