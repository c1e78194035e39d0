import { VERSION } from "../version.ts";
import type { CliContext } from "./context.ts";

export function thisMachine(): CliContext {
  const home = Deno.env.get("HOME") ?? Deno.env.get("USERPROFILE");
  return {
    version: VERSION,
    cwd: Deno.cwd(),
    home: home && (maybeRealPath(home) ?? home),
    os: Deno.build.os,
    exists: (path) => maybeRealPath(path) !== undefined,
    isFile: (path) => maybeStat(path)?.isFile ?? false,
    isFolder: (path) => maybeStat(path)?.isDirectory ?? false,
    realPath: maybeRealPath,
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

function maybeStat(path: string): Deno.FileInfo | undefined {
  try {
    return Deno.statSync(path);
  } catch {
    return undefined;
  }
}
