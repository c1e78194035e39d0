import { ENGINE, ENGINES } from "../engines/index.ts";
import type { EngineRow } from "../engines/engine.ts";
import { usageError } from "../errors.ts";
import { OTHER_OPTIONS, SETTINGS, type Settings } from "../settings.ts";
import { didYouMean } from "../did_you_mean.ts";

const { flag } = OTHER_OPTIONS.engine;

/**
 * Finds the engines that a user names, in their order.
 *
 * @throws {UserError} If a name is unknown or comes twice, or if an engine that has
 * packages is not the first.
 */
export function toEngines(
  names: readonly string[],
  known: readonly EngineRow[] = ENGINES,
): Pick<Settings, "engine" | "otherEngines"> {
  const rows = names.map((name, at) => {
    const row = known.find(({ profile }) => profile.name === name);
    const all = known.map(({ profile }) => profile.name);
    if (!row) {
      throw usageError(
        `Cannot use "${name}" for ${flag} as it must be one of ${
          all.join(", ")
        }.${didYouMean(name, all)}`,
      );
    }
    if (names.indexOf(name) < at) {
      throw usageError(
        `Cannot use "${name}" twice for ${flag}: name each of ${
          all.join(", ")
        } at most once.`,
      );
    }
    if (at > 0 && row.environmentFiles) {
      const others = names.filter((other) => other !== name);
      throw usageError(
        `Cannot use "${name}" for ${flag} behind another engine as the first alone has packages. Write ${flag} ${
          [name, ...others].join(",")
        }.`,
      );
    }
    return row;
  });
  const [engine = ENGINE, ...otherEngines] = rows;
  return { engine, otherEngines };
}

/** Rows that choose packages, where they come from, or the files that they are for. */
const OF_PACKAGES = Object.entries(SETTINGS).filter(([key, { spec }]) =>
  ["Packages", "Sources, in their order"].includes(spec.group) ||
  key === "runtimeFolder"
);

/** @throws {UserError} If an option is about packages, and the engine takes none. */
export function refusePackages(settings: Settings): void {
  const { engine: { environmentFiles, profile } } = settings;
  if (environmentFiles) return;
  const values = new Map(Object.entries(settings));
  const given = OF_PACKAGES.find(([key]) => {
    const value = values.get(key);
    return Array.isArray(value) ? value.length > 0 : value !== undefined;
  });
  if (!given) return;
  const [, { flag: other }] = given;
  throw usageError(
    `Cannot use ${other} with ${flag} ${profile.name} as ${profile.label} takes no packages. Leave it out, or name an engine with packages first: ${flag} ${ENGINE.profile.name},${profile.name}.`,
  );
}
