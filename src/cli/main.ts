import { UserError } from "../errors.ts";
import { log, print } from "../log.ts";
import { VERSION } from "../version.ts";
import { type Invocation, parseArguments } from "./arguments.ts";
import type { Places } from "./places.ts";

/**
 * The command: reads the command line and does what it says.
 *
 * @param server The server process, if it was started already.
 * @returns The exit code.
 */
export async function main(
  argv: readonly string[],
  server?: Deno.ChildProcess,
): Promise<number> {
  try {
    const invocation = parseArguments(argv, Deno.env.toObject(), thisMachine());
    if ("warnings" in invocation) invocation.warnings.forEach(log);
    return await obey(invocation, server);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    log(`error: ${error.message}`);
    return error.exitCode;
  }
}

/** Each command is loaded only when it is asked for: that is start time. */
async function obey(
  invocation: Invocation,
  server?: Deno.ChildProcess,
): Promise<number> {
  switch (invocation.command) {
    case "print":
      print(`${invocation.text}\n`);
      return invocation.exitCode;
    case "stdio": {
      const { stdio } = await import("./stdio.ts");
      return await stdio(invocation.settings, server);
    }
    case "run": {
      const { settings, source } = invocation;
      return await (await import("./run.ts")).run(settings, source);
    }
    case "install":
      return await (await import("./install.ts")).install(invocation.settings);
    case "example":
      return await (await import("./example.ts")).example(invocation.settings);
    case "doctor":
      return await (await import("./doctor.ts")).doctor(invocation.settings);
  }
}

function thisMachine(): Places {
  const home = Deno.env.get("HOME") ?? Deno.env.get("USERPROFILE");
  return {
    version: VERSION,
    cwd: Deno.cwd(),
    home: home && (maybeRealPath(home) ?? home),
    os: Deno.build.os,
    exists: (path) => maybeRealPath(path) !== undefined,
    readTextFile: (path) => Deno.readTextFileSync(path),
  };
}

function maybeRealPath(path: string): string | undefined {
  try {
    return Deno.realPathSync(path);
  } catch {
    return undefined;
  }
}
