import { join } from "node:path";
import type { FoundRuntime } from "../../engines/engine.ts";
import { maybe } from "../../errors.ts";
import type { PackageSettings } from "../../settings.ts";
import { maybeNamed } from "../../requirements/allowed.ts";
import {
  maskRequirement,
  withoutCredentials,
} from "../../requirements/credentials.ts";
import { ENVIRONMENT_FORMAT, toId } from "../../environments/environment.ts";
import {
  type Caches,
  readable,
  type WantedEnvironment,
} from "../../environments/wanted_environment.ts";

/** The settings that an environment depends on. */
export type Wanted = PackageSettings & Caches;

/** Reads now which wheels of this machine a request is for. */
export async function findWanted(settings: Wanted): Promise<WantedEnvironment> {
  const runtime = await settings.engine.findRuntime(settings.runtimeFolder);
  return toWantedEnvironment(settings, runtime);
}

export function toWantedEnvironment(
  settings: Wanted,
  runtime: FoundRuntime,
): WantedEnvironment {
  const { dependencies, locked } = settings;
  const baseId = toBaseId(runtime);
  const base = { ...readable(settings), baseId };
  if (dependencies.length === 0 && !locked) return base;
  const request = toId([
    baseId,
    dependencies.map((one) => withStamp(canonical(maskRequirement(one).text)))
      .sort(),
    [...settings.constraints].sort(),
    locked?.text ?? null,
    settings.findLinks.map(withStamps),
    withoutCredentials(settings.dist ?? "").url,
    [settings.indexUrl ?? "", ...settings.extraIndexUrls]
      .map((url) => withoutCredentials(url).url),
  ]);
  return { ...base, request };
}

/**
 * The id of the environment without packages, from which all others are made. The
 * program's version is not in it: stored sessions outlast an upgrade.
 */
export function toBaseId({ identity }: FoundRuntime): string {
  return toId([ENVIRONMENT_FORMAT, ...identity]);
}

/** The id of a request for more packages than an order's. */
export function requestBeside(
  { baseId, request = baseId }: WantedEnvironment,
  requirements: string[],
): string {
  return toId([request, requirements]);
}

/** The same text for the spellings of a requirement. */
function canonical(requirement: string): string {
  return maybeNamed(requirement)?.text ?? requirement;
}

/** A requirement with the time of its file: a local wheel may be rebuilt under its
 * name. */
function withStamp(requirement: string): string {
  const [url] = /\bfile:\S+?\.whl/.exec(requirement) ?? [];
  return url ? `${requirement} ${stampOf(new URL(url))}` : requirement;
}

/** A folder with the times of its wheels. */
function withStamps(folder: string): string[] {
  // The installer explains the trouble with files that cannot be read.
  const names = maybe(() => [...Deno.readDirSync(folder)]) ?? [];
  const wheels = names.map(({ name }) => name)
    .filter((name) => name.endsWith(".whl")).sort();
  return [
    folder,
    ...wheels.map((name) => `${name} ${stampOf(join(folder, name))}`),
  ];
}

function stampOf(file: string | URL): string {
  const stat = maybe(() => Deno.statSync(file));
  return `${stat?.size} ${stat?.mtime?.getTime()}`;
}
