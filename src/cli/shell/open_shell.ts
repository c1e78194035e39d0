import { basename, dirname } from "node:path";
import type { ShellSide } from "../../launcher/python.ts";
import { MOST_OUTPUT } from "../../protocol/bounds.ts";
import type { ModuleFolder } from "../../protocol/run_setup.ts";
import type { ShellRun, Source } from "../arguments.ts";
import { listModules, shellCalls } from "./shell_calls.ts";

/** Makes this process's shell available to the code of a run. */
export async function openShell(
  { source, args }: Pick<ShellRun, "source" | "args">,
  wantsValue: boolean,
): Promise<ShellSide> {
  const beside = await maybeModules(source);
  // Else the code itself was read from there.
  const hasInput = source.kind !== "stdin";
  return {
    setup: {
      argv: [nameFor(source), ...args],
      isPrompt: false,
      maxValue: wantsValue ? MOST_OUTPUT : null,
      isTerminal: hasInput && Deno.stdin.isTerminal(),
      ...(beside ? { modules: beside.modules } : {}),
    },
    answer: shellCalls({
      readInput: async (buffer) =>
        hasInput ? await Deno.stdin.read(buffer) : null,
      folder: beside?.folder,
    }),
  };
}

/** The first of `sys.argv`, without the folders of this machine. */
function nameFor(source: Source): string {
  if (source.kind === "file") return basename(source.path);
  return source.kind === "code" ? "-c" : "-";
}

/** The script's folder; undefined if it cannot be read. */
async function maybeModules(
  source: Source,
): Promise<{ folder: string; modules: ModuleFolder } | undefined> {
  if (source.kind !== "file") return undefined;
  try {
    const folder = dirname(await Deno.realPath(source.path));
    return { folder, modules: await listModules(folder) };
  } catch {
    return undefined;
  }
}
