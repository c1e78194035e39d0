/**
 * The real launcher, which starts no sandbox process: where it would, it tries
 * every kind of permission in itself. At its end it prints what came of each, and
 * how it would have started the sandbox. Its argument is JSON.
 *
 * @module
 */
import { openPrepared } from "../../src/launcher/python.ts";
import { prepare } from "../../src/launcher/prepare.ts";
import type { SpawnOptions } from "../../src/launcher/spawn.ts";
import { print } from "../../src/log.ts";
import { DEFAULTS, type Settings } from "../../src/settings.ts";
import { probe, type Probed, type ProbeOrder } from "./probe.ts";

/** What to serve, and what to try. */
export interface LauncherOrder extends ProbeOrder {
  settings: Partial<Settings> & Pick<Settings, "cacheDir">;
  /** Whether the server is started before its packages are there, and maybe never gets them. */
  installs: "first" | "late" | "in vain";
}

/** What the launcher may do, and how it starts a sandbox process. */
export interface ProbedLauncher {
  probed: Probed;
  name: string;
  options: SpawnOptions;
}

if (import.meta.main) {
  const order: LauncherOrder = JSON.parse(Deno.args[0] ?? "");
  const found = Promise.withResolvers<ProbedLauncher>();
  const prepared = await prepare({
    ...DEFAULTS,
    ...order.settings,
  });
  const late = { ...prepared, environment: undefined };
  const inVain = {
    ...late,
    install: () => Promise.reject(new Error("No index answers.")),
    installBare: prepared.install,
  };
  const places = { first: prepared, late, "in vain": inVain };
  await using python = openPrepared(places[order.installs], {
    spawnSandbox(name, options) {
      found.resolve(
        probe(order).then((probed) => ({ probed, name, options })),
      );
      throw new Error("The probe stands in the place of sandbox processes");
    },
  });
  await python.client.run({ type: "run", code: "1" });
  print(JSON.stringify(await found.promise));
  Deno.exit(0);
}
