// Serves MCP, or programs, on stdio by the real launcher, with the toy engine: alone, or
// among the engines that are named.
import { toEngines } from "../../../src/cli/engines.ts";
import { ENGINE } from "../../../src/engines/index.ts";
import { prepareWithoutInstall } from "../../../src/launcher/prepare.ts";
import { serve } from "../../../src/launcher/serve.ts";
import { DEFAULTS } from "../../../src/settings.ts";
import { TOY } from "./row.ts";

const [cacheDir = "", names = TOY.profile.name, task] = Deno.args;
const engines = toEngines(names.split(","), [ENGINE, TOY]);
const one = { pool: 1, maxConcurrency: 1 };
const settings = { ...DEFAULTS, ...engines, cacheDir, ...one };
using prepared = await prepareWithoutInstall(settings);
const { code } = await serve(prepared, {
  client: { input: Deno.stdin.readable, output: Deno.stdout.writable },
  isForPrograms: task === "pipe",
});
Deno.exit(code);
