import { delimiter, join } from "node:path";
import { maybe, reasonOf, UserError } from "../errors.ts";
import { log } from "../log.ts";
import type { Isolation } from "../settings.ts";
import {
  type CommonView,
  toBwrapFlags,
  toView,
  type View,
} from "./bwrap_flags.ts";
import { DENO_DIR, programFiles } from "./program_files.ts";
import {
  certificateFiles,
  CERTIFICATES,
  REGISTRY_URL,
  USUAL,
} from "./variables.ts";
import type { ScopePaths } from "../grants/permissions.ts";

/** Gives the program and arguments that let a command see these places only. */
export type Wall = (
  places: ScopePaths,
  own?: Pick<View, "cwd" | "variables">,
) => string[];

/**
 * Finds the second wall around sandbox processes, and tests it; undefined if Deno's
 * permissions are the only wall.
 *
 * @throws {UserError} If the user asks for `bwrap` and it does not work.
 */
export function findWall(isolation: Isolation): Promise<Wall | undefined> {
  return walls[isolation] ??= find(isolation);
}

/** Each wall is tested once, and its absence reported once. */
const walls: Partial<Record<Isolation, Promise<Wall | undefined>>> = {};

async function find(isolation: Isolation): Promise<Wall | undefined> {
  if (isolation === "none") return undefined;
  const found = await tryBwrap();
  if ("wall" in found) return found.wall;
  if (isolation === "auto") {
    log(`No second wall around sandboxes: ${found.reason}`);
    return undefined;
  }
  throw new UserError(
    `Cannot use --isolation bwrap: ${found.reason}. ${found.remedy} ` +
      "Or leave --isolation out: Deno's permissions hold without it.",
  );
}

export type Found =
  | { wall: Wall; program: string }
  | { reason: string; remedy: string };

/** Finds bubblewrap, and starts Deno behind it as a test. */
export async function tryBwrap(): Promise<Found> {
  if (Deno.build.os !== "linux") {
    const reason = `bubblewrap is for Linux, and this is ${Deno.build.os}`;
    return { reason, remedy: "Run this program in a container instead." };
  }
  const program = findProgram("bwrap");
  if (program === undefined) {
    return {
      reason: "there is no bwrap on the PATH",
      remedy: "Install it: the package is called bubblewrap.",
    };
  }
  // Read now, as the broker has no permission to read.
  const common: CommonView = {
    paths: [...LIBRARIES.filter(isFolder), ...programFiles()],
    // Deno starts 150 ms later where it cannot write its own cache.
    folders: ["/tmp", DENO_DIR],
    links: libraryLinks(),
    variables: { DENO_DIR, ...REGISTRY_URL, ...USUAL },
    network: { paths: resolverFiles(), variables: CERTIFICATES },
  };
  const { network: _, ...alone } = common;
  const reason = await whyNot(
    [program, ...toBwrapFlags(alone), Deno.execPath(), "--version"],
  );
  if (reason !== undefined) {
    return {
      reason: `${program} does not work here: ${reason}`,
      remedy: "It needs user namespaces, which this system may forbid " +
        "(kernel.unprivileged_userns_clone, user.max_user_namespaces, " +
        "kernel.apparmor_restrict_unprivileged_userns, a container's profile).",
    };
  }
  return {
    program,
    wall(places, { cwd, variables } = { variables: {} }) {
      const view = toView(common, places);
      const all = { ...view.variables, ...variables };
      return [program, ...toBwrapFlags({ ...view, cwd, variables: all })];
    },
  };
}

/** Runs a command to its end; gives its error output if it fails. */
async function whyNot(
  [program = "", ...args]: string[],
): Promise<string | undefined> {
  try {
    const { success, stderr } = await new Deno.Command(program, {
      args,
      clearEnv: true,
      stdin: "null",
      stdout: "null",
      stderr: "piped",
    }).output();
    if (success) return undefined;
    return new TextDecoder().decode(stderr).trim() || "it says nothing";
  } catch (error) {
    return reasonOf(error);
  }
}

/** An absolute path, as the broker has no permission to read the PATH. */
export function findProgram(name: string): string | undefined {
  return (Deno.env.get("PATH") ?? "").split(delimiter)
    .filter((folder) => folder.startsWith("/"))
    .map((folder) => join(folder, name))
    .find((path) => maybe(() => Deno.statSync(path).isFile));
}

/** Files by which names are resolved and certificates checked. */
function resolverFiles(): string[] {
  const names = ["resolv.conf", "hosts", "nsswitch.conf", "gai.conf"];
  return [...names.map((name) => `/etc/${name}`), ...certificateFiles()]
    .filter((path) => maybe(() => Deno.statSync(path).isFile));
}

/** Folders in which the loader finds the libraries that Deno is linked with. */
const LIBRARIES = ["/lib", "/lib64", "/usr/lib", "/usr/lib64"];

function isFolder(path: string): boolean {
  return maybe(() => Deno.lstatSync(path).isDirectory) ?? false;
}

function libraryLinks(): Record<string, string> {
  return Object.fromEntries(LIBRARIES.flatMap((path) => {
    const to = maybe(() => Deno.readLinkSync(path));
    return to === undefined ? [] : [[path, to]];
  }));
}
