import type { Ended } from "./command.ts";

/** What a command told beside its progress, a line each. */
export function told({ stderr }: Ended): string[] {
  return stderr.trim().split("\n").filter((line) =>
    line !== "" &&
    !/^(Resolving|Downloaded|Copied|Compiling$|Importing|Installed) ?/.test(
      line,
    )
  );
}

/** Versions that `install` or `install --dry-run` printed, by name. */
export function versions({ stdout }: Ended): Record<string, string> {
  return Object.fromEntries(
    [...stdout.matchAll(/^(mrp-fixture-\S+) +(\S+)/gm)]
      .map(([, name, version]) => [name, version]),
  );
}
