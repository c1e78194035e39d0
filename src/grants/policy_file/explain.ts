import type { Access, GuestGrants, PathGrant } from "../guest_grants.ts";

/**
 * Says in sentences what a guest may use, what is denied to it, what stays closed
 * whatever a policy says, and its limits.
 *
 * @param guest Its name at the start of a sentence, such as `Python`.
 */
export function explainGrants(grants: GuestGrants, guest: string): string[] {
  const { hosts, deniedHosts, paths, deniedPaths, variables } = grants;
  const names = Object.keys(variables);
  return [
    hosts.length === 0
      ? `${guest} reaches no host.`
      : `${guest} reaches ${hosts.map(toHostWords).join(", ")}.`,
    ...(hosts.length > 0 && deniedHosts.length > 0
      ? [`It never reaches ${deniedHosts.join(", ")}.`]
      : []),
    ...(hosts.length > 0
      ? [
        "Addresses outside the internet stay closed unless they are named here, even if a name leads to them.",
      ]
      : []),
    ...(paths.length === 0
      ? [`${guest} sees no file of this machine.`]
      : paths.map((path) => `${guest} ${toPathWords(path)}.`)),
    ...(paths.length === 0
      ? []
      : deniedPaths.map(({ host, access }) =>
        `It may not ${access.join(" or ")} ${host}, nor anything below it.`
      )),
    names.length === 0
      ? `${guest} finds no variable of this machine.`
      : `${guest} finds the variables ${names.join(", ")}.`,
    ...toLimitWords(grants),
  ];
}

function toHostWords(host: string): string {
  return host.startsWith("*.")
    ? `${host} (each host below ${host.slice(2)})`
    : host;
}

function toPathWords({ host, guest, access, isFile }: PathGrant): string {
  const thing = isFile
    ? `the file ${host}`
    : `the folder ${host} and all below it`;
  const at = guest === host ? "" : `, as ${guest}`;
  return `may ${access.join(" and ")} ${thing}${at}`;
}

function toLimitWords({ limits, instance }: GuestGrants): string[] {
  const { timeoutMs, memoryMiB, maxOutput, cpuSeconds } = limits;
  const all = [
    timeoutMs !== undefined && `${timeoutMs / 1000} s of time`,
    cpuSeconds !== undefined && `${cpuSeconds} s of CPU time`,
    memoryMiB !== undefined && `${memoryMiB} MiB of memory`,
    maxOutput !== undefined && `${maxOutput} characters of output`,
  ].filter((one) => one !== false);
  return [
    all.length === 0
      ? "It has the usual limits."
      : `It has at most ${all.join(", ")}.`,
    ...(instance === undefined ? [] : [
      instance === "fresh"
        ? "A component is started anew for each call."
        : "A component lives on for the next call of its caller.",
    ]),
  ];
}

/** The grants of a guest in a line for its clients: paths are those that it sees. */
export function summarizeGrants(
  { hosts, paths, variables }: GuestGrants,
): string {
  const seen = (access: Access) =>
    paths.filter((path) => path.access.includes(access))
      .map(({ guest }) => guest);
  const parts = Object.entries({
    hosts,
    reads: seen("read"),
    writes: seen("write"),
    variables: Object.keys(variables),
  }).filter(([, items]) => items.length > 0)
    .map(([what, items]) => `${what} ${items.join(", ")}`);
  return parts.join("; ") || "nothing";
}
