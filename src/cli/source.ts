import { EXIT, reasonOf, UserError } from "../errors.ts";
import type { Source } from "./arguments.ts";

/** The name of a source in errors. */
export function nameOf(source: Source): string {
  if (source.kind === "file") return source.path;
  return source.kind === "code" ? "--code" : "standard input";
}

/** @throws {UserError} If the code cannot be read as UTF-8. */
export async function readSource(source: Source): Promise<string> {
  if (source.kind === "code") return source.code;
  const bytes = source.kind === "file"
    ? await readFile(source.path)
    : await new Response(Deno.stdin.readable).bytes();
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new UserError(
      `Cannot run ${nameOf(source)} as it is not UTF-8 text; save it as UTF-8.`,
      EXIT.usage,
    );
  }
}

async function readFile(path: string): Promise<Uint8Array> {
  try {
    return await Deno.readFile(path);
  } catch (error) {
    throw new UserError(
      `Cannot read ${path}: ${reasonOf(error)}. Name a file of Python code.`,
      EXIT.usage,
    );
  }
}
