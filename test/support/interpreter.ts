import type { Mount } from "../../src/grants/mounts.ts";
import { findPyodide, NPM_PYODIDE } from "../../src/engines/pyodide/runtime.ts";
import type { Ending } from "../../src/protocol/run_messages.ts";
import type { Interpreter } from "../../src/engines/engine.ts";
import {
  readEnvironment,
  readRuntimeFor,
} from "../../src/engines/pyodide/stored_files.ts";
import {
  type InterpreterFiles,
  type InterpreterOptions,
  startInterpreter,
} from "../../src/engines/pyodide/host.ts";
import { baseFolder, ensurePython } from "./cache.ts";
import { CACHE, command } from "./command.ts";
import { serveNetwork } from "../../src/sandbox/http_sender.ts";

/**
 * Reads the files of a Python without packages, once for many interpreters:
 * these share them, as those of a sandbox process do.
 *
 * @param options.packages Files of packages to put in their place, by path.
 * @param options.pyodide Folder of another Pyodide than that of npm.
 * @param options.install Options of the command that choose the packages.
 */
export async function readFiles(
  { packages = {}, mounts = [], pyodide, install = [] }: {
    packages?: Record<string, string>;
    mounts?: readonly Mount[];
    pyodide?: string;
    install?: readonly string[];
  } = {},
): Promise<InterpreterFiles> {
  const folder = pyodide || install.length > 0
    ? await installed([...pyodide ? ["--pyodide", pyodide] : [], ...install])
    : await npmFolder();
  const [runtime, environment] = await Promise.all([
    readRuntimeFor(folder, pyodide ? findPyodide(pyodide) : NPM_PYODIDE),
    readEnvironment(folder),
  ]);
  return {
    ...runtime,
    ...environment,
    packages: addPackages(environment.packages, packages),
    memoryBytes: 512 * MIB,
    fileLimits: { bytes: 64 * MIB, nodes: 10_000 },
    mounts,
  };
}

const MIB = 1 << 20;

async function npmFolder(): Promise<string> {
  await ensurePython();
  return baseFolder(CACHE);
}

/** Gives the environment of these options. */
async function installed(options: readonly string[]): Promise<string> {
  const { stdout, stderr } = await command([...options, "install"]);
  const [, folder] = /^in (.+)$/m.exec(stdout) ?? [];
  if (folder === undefined) throw new Error(`${stdout}${stderr}`);
  return folder;
}

/**
 * Runs code in a fresh interpreter of this process; gives its value.
 *
 * @param options.hosts What this process reaches for the run.
 * @param options.onPrint Told each piece of what it prints.
 */
export async function runIn(
  files: InterpreterFiles,
  code: string,
  { hosts = [], onPrint = ignore }: {
    hosts?: readonly string[];
    onPrint?: (text: string) => Promise<void>;
  } = {},
): Promise<unknown> {
  const interpreter = await startInterpreter(files, networkOf(hosts));
  try {
    const ending = await runCode(interpreter, code, onPrint);
    if (ending.status !== "success") throw new Error(ending.error);
    return JSON.parse(ending.value);
  } finally {
    await interpreter.end();
  }
}

/** Runs code in an interpreter; what it shows is dropped. */
export function runCode(
  interpreter: Interpreter,
  code: string,
  onPrint: (text: string) => Promise<void> = ignore,
): Promise<Ending> {
  return interpreter.run(
    { request: { code, globals: "{}", timeoutMs: Infinity } },
    (message) =>
      message.type === "output" ? onPrint(message.text) : Promise.resolve(),
  );
}

async function ignore(): Promise<void> {}

/** Puts files behind those of an image, in memory that all workers share. */
function addPackages(
  { files, contents }: InterpreterFiles["packages"],
  packages: Record<string, string>,
): InterpreterFiles["packages"] {
  const more = Object.entries(packages).map(([path, text]) =>
    [path, new TextEncoder().encode(text)] as const
  );
  const length = more.reduce(
    (sum, [, bytes]) => sum + bytes.length,
    contents.length,
  );
  const all = new Uint8Array(new SharedArrayBuffer(length));
  all.set(contents);
  let at = contents.length;
  for (const [, bytes] of more) {
    all.set(bytes, at);
    at += bytes.length;
  }
  return {
    files: [
      ...files,
      ...more.map(([path, bytes]): [string, number] => [path, bytes.length]),
    ],
    contents: all,
  };
}

/** What an interpreter is given to reach hosts; nothing without hosts. */
export function networkOf(
  hosts: readonly string[],
): Pick<InterpreterOptions, "serveNetwork"> {
  if (hosts.length === 0) return {};
  return {
    serveNetwork: (port, events) =>
      serveNetwork(port, { hosts, ...events, onReached() {} }),
  };
}
