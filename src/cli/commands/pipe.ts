import { EXIT } from "../../errors.ts";
import { servePipe } from "../../launcher/pipe.ts";
import { prepare } from "../../launcher/prepare.ts";
import { openPrepared } from "../../launcher/python.ts";
import { USUAL_OUTPUT } from "../../protocol/bounds.ts";
import type { ToProgram } from "../../protocol/pipe_messages.ts";
import { readStdin, writeStdout } from "../../protocol/standard_streams.ts";
import type { Settings } from "../../settings.ts";
import { VERSION } from "../../version.ts";
import { withProgress } from "../install_progress.ts";

/** Serves a program of the user, such as the library for Python, until it is gone. */
export async function pipe(
  settings: Settings,
  server?: Deno.ChildProcess,
): Promise<number> {
  // Ctrl-C in a terminal is for the program, which may go on.
  Deno.addSignalListener("SIGINT", () => {});
  const prepared = await prepare(settings, withProgress);
  await using python = openPrepared(prepared, server ? { server } : {});
  const { python: version, packages } = prepared.environment;
  const ready: ToProgram = {
    ...{ type: "ready", version: VERSION, python: version },
    packages: packages.map(({ name, version }) => `${name}==${version}`),
  };
  await writeStdout(new TextEncoder().encode(`${JSON.stringify(ready)}\n`));
  await servePipe(python, {
    ...{ input: readStdin(), write: writeStdout },
    maxOutput: settings.maxOutput ?? USUAL_OUTPUT,
  });
  return EXIT.ok;
}
