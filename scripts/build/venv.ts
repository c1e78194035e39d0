import { join } from "node:path";

/** An environment of a CPython. */
export interface Venv {
  /** Folder of its programs. */
  bin: string;
  /** Runs its Python with these arguments; throws with what it says if it fails. */
  python(args: string[], cwd?: string): Promise<string>;
}

/**
 * Makes an environment of the system's CPython, with packages of PyPI.
 *
 * @param folder Where it is to be.
 * @param requirements With exact versions, or paths of wheels.
 */
export async function makeVenv(
  folder: string,
  requirements: string[],
): Promise<Venv> {
  await run("python3", ["-m", "venv", folder]);
  const bin = join(folder, Deno.build.os === "windows" ? "Scripts" : "bin");
  const python = (args: string[], cwd?: string) =>
    run(join(bin, "python"), args, cwd);
  if (requirements.length > 0) {
    await python([
      ...["-m", "pip", "install", "--quiet", "--disable-pip-version-check"],
      ...["--no-input", ...requirements],
    ]);
  }
  return { bin, python };
}

async function run(
  program: string,
  args: string[],
  cwd?: string,
): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(program, {
    ...{ args, stdin: "null" },
    ...(cwd === undefined ? {} : { cwd }),
  }).output();
  const decoder = new TextDecoder();
  if (success) return decoder.decode(stdout);
  throw new Error(
    `${program} ${args.join(" ")} failed:\n${decoder.decode(stdout)}${
      decoder.decode(stderr)
    }`,
  );
}
