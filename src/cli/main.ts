import { EXIT, UserError } from "../errors.ts";
import { log, print } from "../log.ts";
import { type Invocation, parseArguments } from "./arguments.ts";
import type { CliContext } from "./context.ts";
import { thisMachine } from "./this_machine.ts";

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
    const context = thisMachine();
    const invocation = parseArguments(argv, Deno.env.toObject(), context);
    if ("warnings" in invocation) invocation.warnings.forEach(log);
    return await obey(invocation, context, server);
  } catch (error) {
    // Whoever read this has seen enough, as `head` does.
    if (error instanceof Deno.errors.BrokenPipe) return EXIT.brokenPipe;
    if (!(error instanceof UserError)) throw error;
    log(`error: ${error.message}`);
    return error.exitCode;
  }
}

/** Each command is loaded only when it is asked for: that is start time. */
async function obey(
  invocation: Invocation,
  context: CliContext,
  server?: Deno.ChildProcess,
): Promise<number> {
  switch (invocation.command) {
    case "print":
      print(`${invocation.text}\n`);
      return invocation.exitCode;
    case "stdio": {
      const { stdio } = await import("./commands/stdio.ts");
      return await stdio(invocation.settings, server);
    }
    case "run": {
      const { run } = await import("./commands/run.ts");
      return await run(invocation.settings, invocation.source, context);
    }
    case "install": {
      const { dryRun, settings } = invocation;
      return await (await import("./commands/install.ts")).install(settings, {
        dryRun,
      });
    }
    case "lock": {
      const { path, settings } = invocation;
      return await (await import("./commands/lock.ts")).lock(settings, path);
    }
    case "cache": {
      const { action, settings } = invocation;
      return await (await import("./commands/cache.ts")).cache(
        settings,
        action,
      );
    }
    case "example":
      return await (await import("./commands/example.ts")).example(
        invocation.settings,
      );
    case "doctor":
      return await (await import("./commands/doctor.ts")).doctor(
        invocation.settings,
      );
  }
}
