/**
 * The words of errors of an install. Those of the resolver are in its own files in
 * `installer/resolver/`: `explain.py` has those of demands that cannot be met.
 *
 * @module
 */

/** A fault of the installer. */
export const failed = (reason: string): string => `Cannot install: ${reason}`;

/** An installer that ends without an answer. */
export const installerEnded = (how: string): string =>
  failed(
    `the installer ${how}. Run again with --log-level debug to see why.`,
  );

/** @param label The engine's. */
export const takesNoPackages = (
  what: string,
  label: string,
  remedy = "Leave them out.",
): string =>
  `Cannot install ${what} for ${label}: it takes no packages. ${remedy}`;

/** What the launcher refuses, of the installs that calls ask for. */
export const FOR_CALLS = {
  there: "Cannot install what is there",
  early: "Cannot install for a call before the server's own packages are there",
  tooMany: (most: number) => `Cannot install more than ${most} at once`,
  notAllowed: (text: unknown) =>
    `Cannot install ${JSON.stringify(text)} for a call`,
  allMade: (made: number) =>
    `Cannot install for a call: ${made} environments were made for calls within 24 hours, which is all that may be. Use packages that calls have asked for before, or ask the user to start the server with them in --deps.`,
};

/** Code asks for something else than a name with versions. */
export const notByName = (text: string): string =>
  `Cannot install "${text}" as code may ask for packages by name only, such as "rich>=14".`;

/** Code asks for a package that the user has not allowed. */
export function denied(
  text: string,
  name: string,
  allowed: readonly string[],
): string {
  const which = allowed.length > 0
    ? `only ${allowed.join(", ")} may be installed for a call`
    : "nothing may be installed for a call";
  return `Cannot install "${text}" as ${which}. Ask the user to start the server with --deps ${name}, or with --allow-install ${name}.`;
}

/** A call has waited for as long as it may. */
export function late(now: string | undefined): string {
  const step = now === undefined ? "" : ` Now: ${now}.`;
  return `Cannot run this yet as packages are being installed.${step} The install goes on: call again in a minute.`;
}

/** As many calls wait as may. */
export const crowded = (waiting: number): string =>
  `Cannot run this now as ${waiting} calls wait for packages already. Try again in a minute.`;
