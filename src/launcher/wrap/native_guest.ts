// Any other program: it runs behind bubblewrap alone, or not at all.
import { maybe, usageError, UserError } from "../../errors.ts";
import type { GuestGrants } from "../../grants/guest_grants.ts";
import { isWithinAny } from "../../grants/paths.ts";
import { denialRemedy } from "../../grants/policy_file/denial.ts";
import { toGuestPlaces } from "../../grants/policy_file/guest_places.ts";
import { toBwrapFlags } from "../bwrap_flags.ts";
import { findProgram, tryBwrap } from "../isolation.ts";
import { memoryWall } from "../memory_wall.ts";
import type { GuestCommand } from "./guest_command.ts";
import type { Guest } from "./run_guest.ts";
import { realPathOf } from "../find_scope_paths.ts";
import { dirname, resolve } from "node:path";

/** What programs of the system are made of; a folder or a link each. */
const SYSTEM = ["/usr", "/bin", "/sbin", "/lib", "/lib64", "/lib32"];
/** Settings of the loader and of Debian's programs, without a secret. */
const SETTINGS = ["/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d"]
  .concat(["/etc/alternatives", "/etc/localtime", "/etc/mime.types"]);
const HOME = "/home/wrapped";

/**
 * Puts bubblewrap around a program: the system's programs and libraries, the policy's
 * files, an empty home and no network.
 *
 * @throws {UserError} If the walls cannot be had, or do not hold what the policy says.
 */
export async function wrapNative(
  { program, args }: GuestCommand & { kind: "native" },
  grants: GuestGrants,
): Promise<Guest> {
  const found = await tryBwrap();
  if ("reason" in found) {
    throw new UserError(
      `Cannot wrap "${program}", which is not JavaScript: ${found.reason}. ${found.remedy} Without it, nothing would keep the program from files and the network.`,
    );
  }
  if (grants.hosts.length > 0) {
    throw usageError(
      `Cannot wrap "${program}" with hosts (${
        grants.hosts.join(", ")
      }): bubblewrap cuts off the network as a whole, and cannot tell hosts apart. Leave permissions.network out of the policy.`,
    );
  }
  const { mounts, writableMounts, covers } = toGuestPlaces(grants);
  const open = [...mounts, ...writableMounts];
  const blind = writableMounts.find((path) => !isWithinAny(path, mounts));
  if (blind !== undefined) {
    throw usageError(
      `Cannot let "${program}" write to "${blind}" without reading it, as bubblewrap cannot tell these apart: ${
        denialRemedy({ kind: "read", path: blind })
      }.`,
    );
  }
  const absent = grants.deniedPaths.find(({ host, kind }) =>
    kind === undefined && isWithinAny(host, open)
  );
  if (absent) {
    throw usageError(
      `Cannot keep "${absent.host}" from "${program}", as it is not there, and bubblewrap covers what there is: make it, or grant folders beside it.`,
    );
  }
  const path = find(program);
  const seen = [...SYSTEM, ...open];
  for (const needed of [path, realPathOf(path)]) {
    if (isWithinAny(needed, seen)) continue;
    throw usageError(
      `Cannot wrap "${program}" as its file "${needed}" is not among those that it sees. For it and what it loads, ${
        denialRemedy({ kind: "read", path: dirname(needed) })
      }.`,
    );
  }
  const system = SYSTEM.map((path) =>
    [path, maybe(() => Deno.readLinkSync(path))] as const
  );
  const flags = toBwrapFlags({
    paths: [
      ...system.filter(([path, to]) => to === undefined && isThere(path))
        .map(([path]) => path),
      ...SETTINGS.filter(isThere),
      ...mounts.filter((path) => !writableMounts.includes(path)),
    ],
    writable: writableMounts,
    covers,
    folders: ["/tmp", HOME],
    links: Object.fromEntries(
      system.filter((pair): pair is [string, string] => pair[1] !== undefined),
    ),
    cwd: isWithinAny(Deno.cwd(), mounts) ? Deno.cwd() : undefined,
    variables: {
      ...{ HOME, LANG: "C.UTF-8", PATH: "/usr/local/bin:/usr/bin:/bin" },
      ...grants.variables,
    },
  });
  const { memoryMiB } = grants.limits;
  const bound = memoryMiB === undefined ? [] : memoryWall(memoryMiB);
  return {
    words: [...bound, found.program, ...flags, path, ...args],
    variables: {},
  };
}

function find(program: string): string {
  const path = program.includes("/") ? resolve(program) : findProgram(program);
  if (path !== undefined && isThere(path)) return path;
  throw usageError(
    `Cannot wrap "${program}" as there is no such program on the PATH: name one that there is, by its path.`,
  );
}

function isThere(path: string): boolean {
  return maybe(() => Deno.statSync(path)) !== undefined;
}
