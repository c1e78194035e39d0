/**
 * The real launcher, whose sandbox processes have faults; server, broker and
 * sandboxes are the real ones. Its argument is JSON.
 *
 * @module
 */
import { prepare } from "../../src/launcher/prepare.ts";
import { serve } from "../../src/launcher/serve.ts";
import { spawn } from "../../src/launcher/spawn.ts";
import { DEFAULTS, type Settings } from "../../src/settings.ts";
import { type Fault, spawnWith } from "./faults.ts";

/** What to serve, and which faults there are. */
export interface FaultyOrder {
  settings: Partial<Settings> & Pick<Settings, "cacheDir">;
  faults: Fault[];
}

if (import.meta.main) {
  const { settings, faults }: FaultyOrder = JSON.parse(Deno.args[0] ?? "");
  const { success } = await serve(
    await prepare({
      ...DEFAULTS,
      ...settings,
    }),
    {
      client: { input: Deno.stdin.readable, output: Deno.stdout.writable },
      spawnSandbox: spawnWith(faults, spawn),
    },
  );
  Deno.exit(success ? 0 : 1);
}
