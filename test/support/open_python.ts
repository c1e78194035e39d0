/**
 * Python for programs of this repository, within their own process: its tests, and
 * what measures it. `mod.ts` is the library.
 *
 * @module
 */
import { resolve } from "node:path";
import { findCaches } from "../../src/cli/cache_dir.ts";
import { thisMachine } from "../../src/cli/context.ts";
import { PERMISSION_KINDS } from "../../src/grants/permissions.ts";
import { openPrepared, type Python } from "../../src/launcher/python.ts";
import { prepare } from "../../src/launcher/prepare.ts";
import {
  DEFAULTS,
  SETTINGS,
  type Settings,
  toLogLevel,
  toRows,
} from "../../src/settings.ts";
import type { NumberKind } from "../../src/settings/kind.ts";
import { didYouMean } from "../../src/cli/did_you_mean.ts";

/**
 * Opens Python: installs the packages of the settings if they are not in the
 * cache, and makes ready to run code.
 *
 * The program needs the permissions of `deno run -A`, and keeps them; its server
 * and sandbox processes get only those of their rows in docs/security.md.
 *
 * @param settings Settings that differ from the command's defaults: those of
 * docs/configuration.md, under the names of `Settings`. Mounts are taken as they
 * are, but for folders that this program itself runs from. If `maxOutput` is
 * undefined, only answers to clients of MCP are cut to its default.
 * @throws {TypeError | RangeError} If a setting is unknown, or outside its limits.
 * @throws {UserError} If the environment cannot be had; with the remedy.
 */
export async function openPython(
  settings: Partial<Settings> = {},
): Promise<Python> {
  const given = Object.entries(settings).filter(([, value]) =>
    value !== undefined
  );
  given.forEach(refuseWrong);
  const all: Settings = {
    ...DEFAULTS,
    ...Object.fromEntries(given),
    logLevel: toLogLevel(settings),
    ...(settings.cacheDir === undefined
      ? findCaches(Deno.env.toObject(), thisMachine())
      : { cacheDir: resolve(settings.cacheDir) }),
    ...(settings.sessionStore === undefined
      ? {}
      : { sessionStore: resolve(settings.sessionStore) }),
  };
  return openPrepared(await prepare(all), {
    keptPermissions: PERMISSION_KINDS,
  });
}

function refuseWrong([name, value]: [string, unknown]): void {
  const [, row] = toRows().find(([key]) => key === name) ?? [];
  // Constants are settings of tests alone.
  if (!row && name in DEFAULTS) return;
  if (!row) {
    const known = Object.keys(SETTINGS);
    throw new TypeError(
      `Cannot open Python as there is no setting "${name}".` +
        didYouMean(name, known),
    );
  }
  const { toml, wants, parse } = row.kind as NumberKind;
  if (toml !== "number" || value === row.spec.default) return;
  if (typeof value === "number" && parse(`${value}`) !== undefined) return;
  throw new RangeError(
    `Cannot use ${JSON.stringify(value)} for ${name} as it must be ${wants}.`,
  );
}
