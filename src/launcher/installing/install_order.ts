import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { toScopePaths } from "../find_scope_paths.ts";
import { maybe } from "../../errors.ts";
import type { Settings } from "../../settings.ts";
import {
  type Credential,
  maskRequirement,
  parseNetrc,
  withoutCredentials,
} from "../../requirements/credentials.ts";
import { toWantedEnvironment, type Wanted } from "./request_id.ts";
import type { InstallOrder } from "../../environments/phase_1/messages.ts";
import { cachesOf } from "../../environments/wanted_environment.ts";
import type { ScopePaths } from "../../grants/permissions.ts";

export interface GrantedOrder {
  order: InstallOrder<unknown>;
  places: ScopePaths;
}

export async function toInstallOrder(
  task: InstallOrder["task"],
  settings: Wanted & Pick<Settings, "offline">,
): Promise<GrantedOrder> {
  const { dependencies, findLinks, dist, locked, engine } = settings;
  const runtime = await engine.findRuntime(settings.runtimeFolder);
  const wanted = toWantedEnvironment(settings, runtime);
  const addresses = [...settings.extraIndexUrls, settings.indexUrl ?? null]
    .map((url) => url === null ? { url } : withoutCredentials(url));
  const distribution = withoutCredentials(dist ?? "");
  const requirements = dependencies.map(maskRequirement);
  const order: InstallOrder<unknown> = {
    task,
    ...wanted,
    requirements: requirements.map(({ text }) => text),
    constraints: settings.constraints,
    ...(locked ? { locked } : {}),
    findLinks,
    ...(dist === undefined ? {} : { dist: distribution.url }),
    indexes: addresses.map(({ url }) => url),
    credentials: [
      ...[...addresses, ...requirements, distribution].flatMap((one) =>
        "credential" in one && one.credential ? [one.credential] : []
      ),
      ...readNetrc(),
    ],
    hashes: hashesIn([...dependencies, locked?.text ?? ""].join("\n")),
    offline: settings.offline,
    runtime: runtime.files,
    engine: `${engine.profile.label} ${runtime.version}`,
  };
  const [cacheDir = "", ...otherCaches] = cachesOf(wanted);
  const sources = [
    ...otherCaches,
    ...findLinks,
    ...(dist !== undefined && !/^https?:/.test(dist) ? [dist] : []),
    ...dependencies.flatMap(fileOf),
  ];
  return {
    order,
    places: { ...toScopePaths(cacheDir, runtime.places), sources },
  };
}

function hashesIn(text: string): string[] {
  const found = text.match(/\b[0-9a-f]{64}\b/gi) ?? [];
  return found.map((hash) => hash.toLowerCase());
}

function fileOf(requirement: string): string[] {
  const [url] = /\bfile:\S+?\.whl/.exec(requirement) ?? [];
  return url ? [fileURLToPath(url)] : [];
}

function readNetrc(): Credential[] {
  const name = Deno.build.os === "windows" ? "_netrc" : ".netrc";
  const path = Deno.env.get("NETRC") ?? join(homedir(), name);
  return maybe(() => parseNetrc(Deno.readTextFileSync(path))) ?? [];
}
