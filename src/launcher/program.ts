import { dirname, join } from "node:path";
import config from "../../deno.json" with { type: "json" };
import { UserError } from "../errors.ts";
import { NPM_PYODIDE } from "./find_pyodide.ts";

/** What the other processes are started from, workers included. */
export const ENTRIES = {
  installer: new URL("../installer/main.ts", import.meta.url),
  offlineInstaller: new URL("../installer/main.ts", import.meta.url),
  installWorker: new URL("../installer/worker.ts", import.meta.url),
  preloader: new URL("../preloader/main.ts", import.meta.url),
  preloadWorker: new URL("../preloader/worker.ts", import.meta.url),
  server: new URL("../server/main.ts", import.meta.url),
  sandbox: new URL("../sandbox/main.ts", import.meta.url),
  pythonWorker: new URL(
    "../engines/pyodide/worker/worker.ts",
    import.meta.url,
  ),
} as const;

/** What this process imports only if it is needed. */
const LATER = ["toml", "pep440"].map((door) =>
  new URL(`../../deps/${door}.ts`, import.meta.url)
);

/** npm packages of both, which the start of this process does not import. */
const PACKAGES = [
  "@modelcontextprotocol/server",
  "@renovatebot/pep440",
  "smol-toml",
  "zod",
] as const;

/** Whether Deno has what the other processes import. */
export function isProgramReady(): boolean {
  return missingPackages().length === 0;
}

/**
 * Has Deno download what the other processes import, as they run with
 * `--cached-only`, and what this one may need without a network.
 *
 * @throws {UserError} If it cannot be had.
 */
export async function ensureProgram(
  offline: boolean,
  progress: (text: string) => void,
): Promise<void> {
  const missing = missingPackages();
  if (missing.length === 0) return;
  if (offline) {
    throw new UserError(
      `Cannot start offline: Deno has not yet downloaded ${
        missing.join(", ")
      }. Start once without --offline.`,
    );
  }
  progress(`Downloading ${missing.join(", ")} (once)`);
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["cache", "--quiet", ...Object.values(ENTRIES), ...LATER].map(String),
    stdout: "null",
    stderr: "piped",
  }).output();
  if (success) return;
  throw new UserError(
    `Cannot download ${missing.join(", ")}: ${
      new TextDecoder().decode(stderr).trim()
    }`,
  );
}

function missingPackages(): string[] {
  return PACKAGES.filter((name) => !exists(npmFolder(name)));
}

/** Where Deno keeps a package: beside Pyodide, a folder a version. */
function npmFolder(name: typeof PACKAGES[number]): string {
  const version = config.imports[name].split("@").at(-1) ?? "";
  return join(dirname(dirname(NPM_PYODIDE.folder)), name, version);
}

// `node:fs` would cost 20 ms of each start.
function exists(path: string): boolean {
  try {
    return Deno.statSync(path).isDirectory;
  } catch {
    return false;
  }
}
