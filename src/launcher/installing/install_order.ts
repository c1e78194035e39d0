import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Credential } from "../../requirements/credentials.ts";
import type { ScopePaths } from "../../grants/scope_paths.ts";
import { toScopePaths } from "../scope_paths.ts";
import { findPyodide } from "../find_pyodide.ts";
import type { PackageSettings, Settings } from "../../settings.ts";
import {
  maskRequirement,
  parseNetrc,
  withoutCredentials,
} from "../../requirements/credentials.ts";
import { baseFolderFor, folderFor } from "./environment_id.ts";
import type { InstallOrder } from "../../environments/installer_messages.ts";

/** An order for the installer, and the paths that it may read. */
export interface GrantedOrder {
  order: InstallOrder;
  places: ScopePaths;
}

/** Makes an order from the user's settings. */
export function toInstallOrder(
  task: InstallOrder["task"],
  settings: PackageSettings & Pick<Settings, "cacheDir" | "offline">,
): GrantedOrder {
  const { cacheDir, dependencies, findLinks, dist, locked } = settings;
  const folder = folderFor(settings);
  const pyodide = findPyodide(settings.pyodide);
  const addresses = [...settings.extraIndexUrls, settings.indexUrl ?? null]
    .map((url) => url === null ? { url } : withoutCredentials(url));
  const distribution = dist === undefined
    ? undefined
    : withoutCredentials(dist);
  const requirements = dependencies.map(maskRequirement);
  const order: InstallOrder = {
    task,
    cacheDir,
    folder,
    baseFolder: baseFolderFor(settings),
    requirements: requirements.map(({ text }) => text),
    constraints: settings.constraints,
    ...(locked ? { locked } : {}),
    findLinks,
    ...(distribution ? { dist: distribution.url } : {}),
    indexes: addresses.map(({ url }) => url),
    credentials: [
      ...[
        ...addresses,
        ...requirements,
        ...(distribution ? [distribution] : []),
      ]
        .flatMap((one) =>
          "credential" in one && one.credential ? [one.credential] : []
        ),
      ...readNetrc(),
    ],
    hashes: hashesIn([...dependencies, locked?.text ?? ""].join("\n")),
    offline: settings.offline,
    pyodide,
    pyodideVersion: pyodide.version,
  };
  const sources = [
    ...findLinks,
    ...(dist !== undefined && !/^https?:/.test(dist) ? [dist] : []),
    ...dependencies.flatMap(fileOf),
  ];
  return {
    order,
    places: { ...toScopePaths(cacheDir, folder, pyodide.folder), sources },
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
  try {
    const path = Deno.env.get("NETRC") ?? join(homedir(), name);
    return parseNetrc(Deno.readTextFileSync(path));
  } catch {
    // The file does not exist, or this user may not read it.
    return [];
  }
}
