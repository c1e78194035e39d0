// Serves MCP on stdio by the real launcher, with the toy engine.
import { prepareWithoutInstall } from "../../../src/launcher/prepare.ts";
import { serve } from "../../../src/launcher/serve.ts";
import { DEFAULTS } from "../../../src/settings.ts";
import { TOY } from "./row.ts";

const [cacheDir = ""] = Deno.args;
const settings = { ...DEFAULTS, cacheDir, pool: 1, maxConcurrency: 1 };
using prepared = await prepareWithoutInstall(settings, undefined, TOY);
const { code } = await serve(prepared, {
  client: { input: Deno.stdin.readable, output: Deno.stdout.writable },
});
Deno.exit(code);
