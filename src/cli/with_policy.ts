// The settings with the grants of a policy, which are united with those of options.
import { usageError } from "../errors.ts";
import { maybeUnclear, notAllDenied } from "../grants/denied_hosts.ts";
import type { Access, GuestGrants } from "../grants/guest_grants.ts";
import { ANY_HOST, bareDomains, splitPort } from "../grants/hosts.ts";
import { isWithin, pathRules } from "../grants/paths.ts";
import { isDenied, type Mount } from "../grants/mounts.ts";
import type { ReadPolicy } from "../grants/policy_file/read_policy.ts";
import type { Settings } from "../settings.ts";
import type { CliContext } from "./context.ts";
import { checkMount } from "./mount_options.ts";

type Limit =
  | "timeoutSeconds"
  | "maxTimeoutSeconds"
  | "memoryMiB"
  | "maxOutput";

type Changed =
  & Pick<Settings, "allowNet" | "mounts" | "variables">
  & Pick<Partial<Settings>, Limit | "deniedHosts">;

/** The path at which Python sees a folder that names none. */
export function toPythonPath(host: string, context: CliContext): string {
  return `/mnt/${pathRules(context).basename(host)}`;
}

/**
 * The settings that a policy changes: what options or the policy grant is granted, but
 * for what the policy denies; of two limits, the narrower counts.
 *
 * @param given The settings that the user has chosen beside the policy.
 * @throws {UserError} If Python cannot have a folder at its place.
 */
export function withPolicy(
  given: Partial<Settings>,
  { grants }: ReadPolicy,
  context: CliContext,
): Changed {
  return {
    ...toHosts(given.allowNet ?? [], grants),
    mounts: toMounts(given.mounts ?? [], grants, context),
    variables: { ...grants.variables, ...given.variables },
    ...toLimits(given, grants),
  };
}

/** What a policy grants that Python does not get. */
export function notForPython({ paths }: GuestGrants): string[] {
  return paths.flatMap(({ host, access, isFile }) =>
    isFile
      ? [
        `Python does not see the file "${host}" of the policy, as it sees folders only: grant the folder, or pass the file with a call.`,
      ]
      : access.includes("read")
      ? []
      : [
        `Python does not see the folder "${host}" of the policy, as it may not read it: grant read as well.`,
      ]
  );
}

function toHosts(
  given: readonly string[],
  { hosts, deniedHosts }: GuestGrants,
): Pick<Changed, "allowNet" | "deniedHosts"> {
  // To `--allow-net`, the domain itself belongs to `*.example.com`.
  const isGiven = (host: string) =>
    [ANY_HOST, host, splitPort(host).name]
      .some((one) => given.includes(one) || given.includes(`*.${one}`));
  const wanted = {
    hosts: [...new Set([...given, ...hosts])],
    deniedHosts: [
      ...deniedHosts,
      ...bareDomains(hosts).filter((host) => !isGiven(host)),
    ],
  };
  const unclear = maybeUnclear(wanted);
  if (unclear) {
    throw usageError(
      `Cannot use --allow-net ${unclear.host} with a policy that denies ${unclear.denied}, which cannot be closed within it: name the hosts.`,
    );
  }
  return {
    allowNet: notAllDenied(wanted),
    deniedHosts: wanted.deniedHosts,
  };
}

function toMounts(
  given: readonly Mount[],
  { paths, deniedPaths }: GuestGrants,
  context: CliContext,
): Mount[] {
  const mounts = new Map(given.map((mount) => [keyOf(mount), mount]));
  for (const { host, guest, access, isFile } of paths) {
    if (isFile || !access.includes("read")) continue;
    checkMount(`${host}:${guest}`, { host, guest }, context);
    const isWritable = access.includes("write");
    const known = mounts.get(keyOf({ host, guest }));
    mounts.set(keyOf({ host, guest }), {
      ...{ host, guest },
      isWritable: isWritable || known?.isWritable === true,
    });
  }
  return [...mounts.values()].map((mount) => {
    const isClosed = (access: Access) =>
      isDenied(mount.host, access, deniedPaths, context);
    if (isClosed("read")) {
      throw usageError(
        `Cannot mount "${mount.host}" as the policy denies it in permissions.storage.deny: leave it out, or take the denial out.`,
      );
    }
    const denied = deniedPaths
      .filter(({ host }) => isWithin(host, mount.host, context));
    return {
      ...mount,
      isWritable: mount.isWritable && !isClosed("write"),
      ...(denied.length > 0 ? { denied } : {}),
    };
  });
}

function keyOf({ host, guest }: Pick<Mount, "host" | "guest">): string {
  return JSON.stringify([host, guest]);
}

/** The limit of a policy, or that of an option if it is narrower. */
function toLimits(
  given: Partial<Settings>,
  { limits: { timeoutMs, memoryMiB, maxOutput } }: GuestGrants,
): Pick<Partial<Settings>, Limit> {
  const seconds = timeoutMs === undefined ? undefined : timeoutMs / 1000;
  if (memoryMiB !== undefined && memoryMiB < LEAST_MIB) {
    throw usageError(
      `Cannot run Python in the ${memoryMiB} MiB of memory that the policy gives: it needs ${LEAST_MIB}Mi.`,
    );
  }
  const longest = given.maxTimeoutSeconds ?? Infinity;
  const bound: [Limit, number | undefined][] = [
    ["timeoutSeconds", seconds && Math.min(seconds, longest)],
    ["maxTimeoutSeconds", seconds],
    ["memoryMiB", memoryMiB],
    ["maxOutput", maxOutput],
  ];
  return Object.fromEntries(
    bound.filter(([, limit]) => limit !== undefined)
      .map(([key, limit = 0]) => [key, Math.min(given[key] ?? limit, limit)]),
  );
}

/** As `--memory` takes it. */
const LEAST_MIB = 128;
