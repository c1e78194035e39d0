import { maybe } from "../launcher/maybe.ts";
import { VERSION } from "../version.ts";
import type { CliContext } from "./context.ts";

export function thisMachine(): CliContext {
  const home = Deno.env.get("HOME") ?? Deno.env.get("USERPROFILE");
  return {
    version: VERSION,
    cwd: Deno.cwd(),
    home: home && (realPath(home) ?? home),
    os: Deno.build.os,
    exists: (path) => realPath(path) !== undefined,
    isFile: (path) => maybe(() => Deno.statSync(path))?.isFile ?? false,
    isFolder: (path) => maybe(() => Deno.statSync(path))?.isDirectory ?? false,
    realPath,
    readTextFile: (path) => Deno.readTextFileSync(path),
  };
}

const realPath = (path: string) => maybe(() => Deno.realPathSync(path));
