import { posix, win32 } from "node:path";

interface Machine {
  os: string;
  /** Whether a path is a file that can be run. */
  isProgram(path: string): boolean;
}

interface Place {
  /** The variables that the program gets. */
  env: Readonly<Record<string, string>>;
  cwd: string;
}

/**
 * Finds the program that a command stands for, as a shell of the system does;
 * undefined if there is none. A permission names a program by its absolute path.
 */
export function resolveCommand(
  command: string,
  { env, cwd }: Place,
  { os, isProgram }: Machine,
): string | undefined {
  const isWindows = os === "windows";
  const rules = isWindows ? win32 : posix;
  const isPath = command.includes("/") || isWindows && command.includes("\\");
  const path = variable(env, "PATH", isWindows) ?? "";
  const folders = isPath
    ? [cwd]
    // An empty part would be the working folder, which is not searched.
    : path.split(rules.delimiter).filter((part) => part !== "");
  const names = isWindows ? withExtensions(command, env) : [command];
  return folders.flatMap((folder) =>
    names.map((name) => rules.resolve(cwd, folder, name))
  ).find(isProgram);
}

function withExtensions(
  command: string,
  env: Readonly<Record<string, string>>,
): string[] {
  const extensions = (variable(env, "PATHEXT", true) ?? ".COM;.EXE;.BAT;.CMD")
    .split(";")
    .filter((part) => part !== "").map((part) => part.toLowerCase());
  const own = win32.extname(command).toLowerCase();
  const names = extensions.map((extension) => command + extension);
  return extensions.includes(own) ? [command, ...names] : names;
}

/** Windows reads names of variables without regard to their case. */
function variable(
  env: Readonly<Record<string, string>>,
  name: string,
  isWindows: boolean,
): string | undefined {
  if (!isWindows) return env[name];
  return Object.entries(env).find(([key]) => key.toUpperCase() === name)?.[1];
}
