/**
 * The files of the program alone: what a package of any registry carries, and
 * Deno runs from a folder.
 *
 * @module
 */
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { JCO_CORES, JCO_LICENSE } from "../../../deps/jco_cores.ts";
import { MICROPIP } from "../../../deps/micropip.ts";
import { PACKAGING } from "../../../deps/packaging.ts";
import { RESOLVELIB } from "../../../deps/resolvelib.ts";
import { TZDATA } from "../../../deps/tzdata.ts";
import { ENGINES } from "../../engines/index.ts";
import { MODULES } from "../program.ts";

/** The repository, or the folder of a packaged program. */
export const ROOT: string = fileURLToPath(import.meta.resolve("../../../"));
const CLI = new URL("../../../cli.ts", import.meta.url);
/** Read by their paths. */
const BY_PATH = [
  ...[MICROPIP.url, PACKAGING.url, RESOLVELIB.url, TZDATA.url],
  ...[...JCO_CORES, JCO_LICENSE],
].map((url) => fileURLToPath(url)).concat(join(ROOT, "LICENSE"));
/** Written anew. */
const OWN = ["deno.json", "deno.lock"];
/** Fields of `deno.json` for those that run the program. */
const CONFIG = ["version", "license", "unstable"];

/**
 * Writes the program into a folder, with the versions and hashes of the npm
 * packages that it uses.
 *
 * @param folder An empty folder.
 * @returns The paths of the files in it, sorted, with `/` between the names.
 */
export async function writeProgram(folder: string): Promise<string[]> {
  const graph = await readGraph([CLI, ...MODULES]);
  const configPath = join(ROOT, "deno.json");
  const files = [...graph.files, ...BY_PATH, ...await engineFiles()]
    .filter((path) => path !== configPath);
  await copyFiles(files, { from: ROOT, to: folder });
  const config = JSON.parse(await Deno.readTextFile(configPath));
  await writeJson(join(folder, "deno.json"), {
    ...Object.fromEntries(CONFIG.map((name) => [name, config[name]])),
    // Else a deno.json above, where others may write, says what modules are.
    workspace: [],
    imports: Object.fromEntries(
      Object.entries(config.imports)
        .filter(([, target]) => graph.packages.has(`${target}`)),
    ),
  });
  await writeLock(folder);
  return [...files.map((path) => relative(ROOT, path)), ...OWN]
    .map((path) => path.replaceAll(sep, "/")).sort();
}

/** Interpreters that come with the program, and not from npm. */
async function engineFiles(): Promise<string[]> {
  const own = ENGINES.filter(({ npm }) => npm === undefined);
  const runtimes = own.map(({ findRuntime }) => findRuntime());
  return (await Promise.all(runtimes)).flatMap(({ places }) => places);
}

/** The lock file of the repository, without the packages of development. */
async function writeLock(folder: string): Promise<void> {
  await Deno.copyFile(join(ROOT, "deno.lock"), join(folder, "deno.lock"));
  // Deno leaves out what deno.json no longer names.
  await run(Deno.execPath(), ["install", "--quiet", "--lockfile-only"], {
    cwd: folder,
  });
}

/**
 * Reads which modules some modules need, themselves among them, types included: the
 * paths of files, and the specifiers of npm packages, with their versions.
 */
export async function readGraph(entries: URL[]) {
  const files = new Set<string>();
  const packages = new Set<string>();
  for (const entry of entries) {
    const args = ["info", "--json", entry.href];
    const text = await run(Deno.execPath(), args, { cwd: ROOT });
    const { modules } = JSON.parse(text);
    for (const { specifier } of modules) {
      if (specifier.startsWith("file:")) files.add(fileURLToPath(specifier));
      const [, name] = /^npm:\/?((?:@[^/]+\/)?[^/]+)/.exec(specifier) ?? [];
      if (name) packages.add(`npm:${name}`);
    }
  }
  return { files, packages };
}

/** Writes a file of JSON. */
export async function writeJson(path: string, value: unknown): Promise<void> {
  await Deno.writeTextFile(path, `${JSON.stringify(value, null, 2)}\n`);
}

/** Copies files below one folder to the same places below another. */
export async function copyFiles(
  paths: Iterable<string>,
  { from, to }: { from: string; to: string },
): Promise<void> {
  for (const path of paths) {
    const copy = join(to, relative(from, path));
    await Deno.mkdir(dirname(copy), { recursive: true });
    await Deno.copyFile(path, copy);
  }
}

/** Runs a program without input; gives its output, or throws an error with that output.
 */
export async function run(
  program: string,
  args: string[],
  options: Pick<Deno.CommandOptions, "cwd" | "env" | "clearEnv"> = {},
): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(program, {
    ...options,
    args,
    stdin: "null",
  }).output();
  const decoder = new TextDecoder();
  if (success) return decoder.decode(stdout);
  throw new Error(
    `${program} ${args.join(" ")} failed:\n${decoder.decode(stdout)}${
      decoder.decode(stderr)
    }`,
  );
}
