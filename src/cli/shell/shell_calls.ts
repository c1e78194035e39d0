import { basename, dirname, join } from "node:path";
import type { ShellSide } from "../../launcher/python.ts";
import { MOST_OUTPUT } from "../../protocol/bounds.ts";
import type { Json } from "../../protocol/run_result.ts";
import type { ModuleFolder } from "../../protocol/run_setup.ts";
import type { ShellRun, Source } from "../arguments.ts";

/** Bytes of standard input that go into one answer. */
const MOST_INPUT = 64 * 1024;
/** Bytes of a module: as base64 it is one answer. */
const MOST_MODULE = 700_000;
/** Names of a folder, of each kind. */
const MOST_NAMES = 10_000;

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
      async readInput(most) {
        const buffer = new Uint8Array(most);
        const length = hasInput ? await Deno.stdin.read(buffer) : null;
        return buffer.subarray(0, length ?? 0);
      },
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

/** The part of the shell that code may see. */
interface ShellSources {
  /** Reads at most so many bytes of standard input; none at its end. */
  readInput(most: number): Promise<Uint8Array>;
  /** The real path of the script's folder; undefined if the code has no folder. */
  folder?: string | undefined;
}

/**
 * Answers the calls of code of a shell, whose arguments are data of a hostile
 * guest: standard input, and modules below the script's folder, where a link
 * leads nowhere.
 */
export function shellCalls({ readInput, folder }: ShellSources) {
  return async function answer(name: string, args: unknown): Promise<Json> {
    switch (name) {
      case "read_input": {
        const most = typeof args === "number" && args > 0 ? args : 1;
        return (await readInput(Math.min(most, MOST_INPUT))).toBase64();
      }
      case "list_modules":
        return { ...await listModules(toPath(folder, args)) };
      case "read_module":
        return (await readModule(toPath(folder, args))).toBase64();
      default:
        throw new TypeError(`The shell answers no ${JSON.stringify(name)}`);
    }
  };
}

/** The names in a folder that can be imported. */
async function listModules(folder: string): Promise<ModuleFolder> {
  const names: ModuleFolder = { files: [], folders: [] };
  for await (const { name, isFile, isDirectory } of Deno.readDir(folder)) {
    const short = name.replace(/\.py$/, "");
    if (!IDENTIFIER.test(short)) continue;
    const kind = isDirectory ? names.folders : names.files;
    const isModule = isDirectory || isFile && short !== name;
    if (isModule && kind.length < MOST_NAMES) kind.push(short);
  }
  return names;
}

/** @throws {RangeError} If it is not a module, or is too large. */
async function readModule(path: string): Promise<Uint8Array> {
  const { isFile, size } = await Deno.lstat(path);
  if (!isFile || !path.endsWith(".py")) {
    throw new RangeError("Cannot import what is not a file of Python.");
  }
  if (size > MOST_MODULE) {
    throw new RangeError(
      `Cannot import a module of ${size} bytes, as it may have ${MOST_MODULE}.`,
    );
  }
  return await Deno.readFile(path);
}

/** @throws {RangeError} If it is not a path below the folder, or a link is on it. */
function toPath(folder: string | undefined, path: unknown): string {
  if (
    folder !== undefined && typeof path === "string" &&
    path.replace(/\.py$/, "").split("/").every((name) => IDENTIFIER.test(name))
  ) {
    const full = join(folder, path);
    if (Deno.realPathSync(full) === full) return full;
  }
  throw new RangeError("Cannot import what is not beside the script.");
}

/** A name that Python can import. */
const IDENTIFIER = /^[\p{L}_][\p{L}\p{N}\p{M}_]*$/u;
