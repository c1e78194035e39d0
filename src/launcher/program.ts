// The server starts once this file is loaded: it imports no module of Node, which
// would take 20 ms.
import config from "../../deno.json" with { type: "json" };
import { ENGINE, ENGINES } from "../engines/index.ts";
import { maybe, UserError } from "../errors.ts";

export const ENTRIES = {
  installer: new URL("../installer/main.ts", import.meta.url),
  offlineInstaller: new URL("../installer/main.ts", import.meta.url),
  preloader: new URL("../preloader/main.ts", import.meta.url),
  pythonWorker: new URL("../environments/phase_1/worker.ts", import.meta.url),
  server: new URL("../server/main.ts", import.meta.url),
  keeper: new URL("../keeper/main.ts", import.meta.url),
  bridge: new URL("../bridge/main.ts", import.meta.url),
  sandbox: new URL("../sandbox/main.ts", import.meta.url),
  component: new URL("../component/main.ts", import.meta.url),
} as const;

/** Deno's folder of npm packages: a folder per package, in it a folder per version. */
export const REGISTRY: URL = new URL("../../", ENGINE.npm);

/** Workers of the process of a component. */
const COMPONENT_WORKERS = ["worker/worker.ts", "translate_worker.ts"]
  .map((path) => new URL(`../component/${path}`, import.meta.url));

/** Doors that this process imports only when it needs them. */
export const LATER = ["toml", "pep440", "jsonc", "yaml"].map((door) =>
  new URL(`../../deps/${door}.ts`, import.meta.url)
);

/** All modules that a process or worker of this program starts with. */
export const MODULES: readonly URL[] = [
  ...Object.values(ENTRIES),
  ...ENGINES.flatMap(({ host, workers }) => [host, ...workers]),
  ...COMPONENT_WORKERS,
  ...LATER,
];

/** npm packages of these, none of which this process imports at its start. */
const PACKAGES = [
  "@modelcontextprotocol/client",
  "@modelcontextprotocol/server",
  "@opentelemetry/api",
  "@renovatebot/pep440",
  "@toon-format/toon",
  "jose",
  "jsonc-parser",
  "minisearch",
  "smol-toml",
  "yaml",
  "zod",
] as const;

/** The remedy of a start without them. */
export const FIRST_START =
  "The first start fetches npm packages. It needs the network, or the proxy that HTTPS_PROXY names, the file of an authority of your own in DENO_CERT, and a cache that can be written: DENO_DIR names another one.";

export function isProgramReady(): boolean {
  return missingPackages().length === 0;
}

/**
 * Has Deno download the packages that the other processes import, as they run
 * with `--cached-only`, and those that this process may need without a network.
 *
 * @throws {UserError} If Deno cannot download them.
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
    args: ["cache", "--quiet", ...MODULES].map(String),
    stdout: "null",
    stderr: "piped",
  }).output();
  if (success) return;
  throw new UserError(
    `Cannot download ${missing.join(", ")}: ${
      new TextDecoder().decode(stderr).trim()
    }\n${FIRST_START}`,
  );
}

function missingPackages(): string[] {
  return PACKAGES.filter((name) => {
    const version = config.imports[name].split("@").at(-1) ?? "";
    const folder = new URL(`${name}/${version}`, REGISTRY);
    return !maybe(() => Deno.statSync(folder).isDirectory);
  });
}
