// Servers of JavaScript and TypeScript: Deno fetches them, and then runs them with the
// permissions of a policy.
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { maybe, reasonOf, usageError, UserError } from "../../errors.ts";
import type { GuestGrants } from "../../grants/guest_grants.ts";
import { isWithin, isWithinAny } from "../../grants/paths.ts";
import { PERMISSIONS } from "../../grants/permissions.ts";
import {
  type GuestPlaces,
  toGuestPlaces,
} from "../../grants/policy_file/guest_places.ts";
import { log } from "../../log.ts";
import { toDenoFlags } from "../flags.ts";
import { realPathOf } from "../find_scope_paths.ts";
import { CERTIFICATES, REGISTRY_URL, USUAL } from "../variables.ts";
import type { GuestCommand } from "./guest_command.ts";
import type { Guest } from "./run_guest.ts";

export type DenoCommand = GuestCommand & { kind: "npm" | "script" };

/** A server that Deno has fetched. */
export interface Fetched {
  /** What `deno run` starts. */
  target: string;
  /** Files and folders of its own packages, which it may read. */
  own: string[];
  /** The flags by which Deno finds its modules. */
  flags: string[];
  /** The folder of a file's project, in which its imports stay. */
  project?: string | undefined;
  /** Its own modules on this machine, beside those of npm. */
  modules: string[];
  /** Deno's folder of npm packages. */
  packages: string;
  denoDir: string;
}

/**
 * Fetches a server with its packages. The network is used for this alone, and nothing
 * of the server runs: Deno runs no lifecycle script of npm.
 *
 * @throws {UserError} If it cannot be had.
 */
export async function fetchGuest(command: DenoCommand): Promise<Fetched> {
  const target = command.kind === "npm"
    ? `npm:${command.name}`
    : realPathOf(resolve(command.path));
  const project = command.kind === "npm" ? undefined : projectOf(target);
  const flags = ["--no-remote", "--no-lock", ...toModuleFlags(project, target)];
  // A line for each package is a bar on a terminal, and a flood in a client's log.
  const quiet = Deno.stderr.isTerminal() ? [] : ["--quiet"];
  if (command.kind === "npm") {
    log(`Fetching "${target}" with its packages, unless they are there.`);
  }
  const { success } = await deno(
    ["cache", ...quiet, ...flags, target],
    "inherit",
  );
  if (!success) {
    throw new UserError(
      `Cannot fetch "${target}": Deno says why above. The first start needs the network, and a name and a version that there are; only packages of npm and files are imported.`,
    );
  }
  const place = JSON.parse(await deno(["info", "--json"]).then(textOf));
  const graph = JSON.parse(
    await deno(["info", "--json", ...flags, target]).then(textOf),
  ) as {
    modules: { specifier: string }[];
    npmPackages?: Record<string, { localPath?: string }>;
  };
  const modules = graph.modules.map(({ specifier }) => specifier);
  return {
    target,
    ...{ project, flags },
    own: Object.values(graph.npmPackages ?? {})
      .flatMap(({ localPath }) => localPath ?? []),
    modules: modules.filter((one) => one.startsWith("file:"))
      .map((url) => realPathOf(fileURLToPath(url))),
    packages: realPathOf(place.npmCache),
    denoDir: realPathOf(place.denoDir),
  };
}

/**
 * Deno runs lifecycle scripts of packages, if a configuration says so, where it fills
 * `node_modules`: it does not, and uses one that is there for a file of that project.
 */
function toModuleFlags(project: string | undefined, target: string): string[] {
  if (target.startsWith("npm:")) {
    return ["--no-config", "--node-modules-dir=none"];
  }
  const modules = project &&
    maybe(() => Deno.statSync(join(project, "node_modules")).isDirectory);
  return [`--node-modules-dir=${modules ? "manual" : "none"}`];
}

function deno(args: string[], stderr: "inherit" | "piped" = "piped") {
  return new Deno.Command(Deno.execPath(), {
    args,
    // The client's bytes are the server's.
    ...{ stdin: "null", stdout: "piped", stderr },
  }).output();
}

function textOf({ success, stdout, stderr }: Deno.CommandOutput): string {
  const [text, fault] = [stdout, stderr]
    .map((bytes) => new TextDecoder().decode(bytes));
  if (success) return text!;
  throw new UserError(`Cannot look into the server: ${fault!.trim()}`);
}

/**
 * The places of a server's grants.
 *
 * @throws {UserError} If its own code is beyond its grants, or could be changed.
 */
export function placeGuest(
  grants: GuestGrants,
  fetched: Fetched,
): GuestPlaces & { ownAddresses: string[] } {
  const granted = toGuestPlaces(grants);
  const places = {
    ...granted,
    // No granted name may lead to them.
    ownAddresses: granted.hosts.length === 0
      ? []
      : Deno.networkInterfaces().map(({ address }) => address),
  };
  const { denoDir, modules } = fetched;
  const code = [denoDir, Deno.execPath(), ...modules];
  for (const folder of places.writableMounts) {
    const file = code.find((path) =>
      isWithin(path, folder, Deno.build) || isWithin(folder, path, Deno.build)
    );
    if (file !== undefined) {
      throw new UserError(
        `Cannot let the server write to "${folder}", as "${file}", which it runs from, is there: keep its files in another folder.`,
      );
    }
  }
  refuseOuterModules(fetched, places);
  return places;
}

/**
 * Deno reads what a module imports by its name without a permission, be it JSON or
 * text: so imports stay in the project's folder, unless they are granted.
 */
function refuseOuterModules(
  { target, project, modules }: Fetched,
  { mounts, deniedReads }: GuestPlaces,
): void {
  const open = [target, project ?? target, ...mounts];
  const outer = modules.find((path) =>
    !isWithinAny(path, open) || isWithinAny(path, deniedReads)
  );
  if (outer === undefined) return;
  throw new UserError(
    `Cannot wrap "${target}" as it imports "${outer}", outside its project "${
      project ?? target
    }": move the file there, or let the policy grant to read it.`,
  );
}

/** The folder of a file's project, or the file's own; none in a home folder or a root. */
function projectOf(file: string): string | undefined {
  const home = Deno.env.get("HOME") ?? Deno.env.get("USERPROFILE");
  const isProject = (folder: string) =>
    folder !== dirname(folder) &&
    (home === undefined || !isWithin(realPathOf(home), folder, Deno.build));
  const own = dirname(file);
  for (let folder = own; isProject(folder); folder = dirname(folder)) {
    const marks = ["package.json", "deno.json", "deno.jsonc"];
    if (marks.some((mark) => maybe(() => Deno.statSync(join(folder, mark))))) {
      return folder;
    }
  }
  return isProject(own) ? own : undefined;
}

/** Variables by which a policy would change Deno, or what it loads. */
const OWN_VARIABLES = /^(DENO_|LD_|DYLD_|NODE_OPTIONS$|GLIBC_TUNABLES$)/;

/** The command that runs a fetched server; `DENO_DIR` is not among its variables. */
export function toDenoGuest(
  command: DenoCommand,
  { target, own, flags }: Fetched,
  { variables, limits }: GuestGrants,
  places: GuestPlaces,
): Guest {
  const names = Object.keys(variables);
  const owned = names.find((name) => OWN_VARIABLES.test(name));
  if (owned !== undefined) {
    throw usageError(
      `Cannot grant the variable ${owned} to a wrapped server, as it changes how Deno runs: leave it out of permissions.environment.`,
    );
  }
  const { memoryMiB, ...others } = limits;
  if (Object.keys(others).length > 0) {
    log("A wrapped server has no limits of time and output: its client has.");
  }
  try {
    return {
      words: [
        ...[Deno.execPath(), "run", "--quiet", "--cached-only", ...flags],
        ...["--deny-import", "--no-check"],
        // A variable that is not granted is undefined: few servers expect an error.
        "--ignore-env",
        ...(names.length > 0 ? [`--allow-env=${names.join(",")}`] : []),
        ...(memoryMiB === undefined
          ? []
          : [`--v8-flags=--max-old-space-size=${memoryMiB}`]),
        ...toDenoFlags(PERMISSIONS.wrapped, { ...places, ownPackages: own }),
        ...[target, ...command.args],
      ],
      variables: {
        ...variables,
        ...USUAL,
        ...REGISTRY_URL,
        ...(places.hosts.length > 0 ? CERTIFICATES : {}),
      },
    };
  } catch (error) {
    throw new UserError(reasonOf(error));
  }
}
