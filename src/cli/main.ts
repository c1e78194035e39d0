import { EXIT, UserError } from "../errors.ts";
import { log, logError, print } from "../log.ts";
import { type Invocation, parseArguments } from "./arguments.ts";
import type { Settings } from "../settings.ts";
import { OVER_HTTP } from "../settings/option.ts";
import { type CliContext, thisMachine } from "./context.ts";

/**
 * Reads the command line and obeys it; resolves with the exit code.
 *
 * @param server The server process, if it has already started.
 */
export async function main(
  argv: readonly string[],
  server?: Deno.ChildProcess,
): Promise<number> {
  try {
    const context = thisMachine();
    const env = Deno.env.toObject();
    const invocation = await parseArguments(argv, env, context);
    if (invocation.command === "print") {
      print(`${invocation.text}\n`);
      return EXIT.ok;
    }
    invocation.warnings.forEach(log);
    const reread = async () => {
      const again = await parseArguments(argv, env, context);
      return again.command === "print" ? invocation.settings : again.settings;
    };
    // npx or uvx has started it, or a program that did.
    if (env.npm_lifecycle_event === "npx" || env.UV !== undefined) {
      const { endWithWrapper } = await import("../launcher/wrapper.ts");
      endWithWrapper({
        staysAtHangup: OVER_HTTP.some((name) => name === invocation.command),
      });
    }
    return await obey(invocation, context, { server, reread });
  } catch (error) {
    // The reader of stdout has seen enough, as `head` does.
    if (error instanceof Deno.errors.BrokenPipe) return EXIT.brokenPipe;
    if (!(error instanceof UserError)) throw error;
    logError(error.message);
    return error.exitCode;
  }
}

/** Runs a command. Each is loaded only when it is asked for, to start fast. */
async function obey(
  invocation: Invocation,
  context: CliContext,
  { server, reread }: {
    server: Deno.ChildProcess | undefined;
    reread(): Promise<Settings>;
  },
): Promise<number> {
  const { settings } = invocation;
  switch (invocation.command) {
    case "stdio":
      return await (await import("./commands/stdio.ts")).stdio(
        settings,
        server,
      );
    case "pipe":
      return await (await import("./commands/stdio.ts")).pipe(settings, server);
    case "streamable-http":
    case "streamable-http-stateless": {
      const { streamableHttp } = await import("./commands/streamable_http.ts");
      return await streamableHttp(settings, invocation.command, reread);
    }
    case "run": {
      const { run } = await import("./commands/run.ts");
      return await run(settings, invocation, context);
    }
    case "repl": {
      const { repl } = await import("./commands/repl.ts");
      return await repl(settings, invocation, context);
    }
    case "install": {
      const { install } = await import("./commands/install.ts");
      return await install(settings, invocation);
    }
    case "lock": {
      const { lock } = await import("./commands/lock.ts");
      return await lock(settings, invocation.path);
    }
    case "bundle": {
      const { bundle } = await import("./commands/bundle.ts");
      return await bundle(settings, invocation);
    }
    case "cache": {
      const { cache } = await import("./commands/cache.ts");
      return await cache(settings, invocation.order);
    }
    case "servers": {
      const { servers } = await import("./commands/servers.ts");
      return await servers(settings, invocation);
    }
    case "components": {
      const { components } = await import("./commands/components.ts");
      return await components(settings, invocation);
    }
    case "policy": {
      const { policy } = await import("./commands/policy.ts");
      return policy(invocation.path, context);
    }
    case "wrap": {
      const { wrap } = await import("../launcher/wrap/wrap.ts");
      return await wrap({ ...invocation, isolation: settings.isolation });
    }
    case "example":
      return await (await import("./commands/example.ts")).example(settings);
    case "doctor": {
      const { doctor } = await import("./commands/doctor.ts");
      return await doctor(settings, invocation);
    }
  }
}
