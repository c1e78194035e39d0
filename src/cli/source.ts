import { EXIT, reasonOf, UserError } from "../errors.ts";
import type { Source } from "./arguments.ts";

/** The name of a source in errors. */
export function nameOf(source: Source): string {
  switch (source.kind) {
    case "code":
      return "--code";
    case "stdin":
      return "standard input";
    case "file":
      return source.path;
  }
}

/**
 * Reads the code of a source.
 *
 * @throws {UserError} If the code cannot be read as UTF-8.
 */
export async function readSource(source: Source): Promise<string> {
  switch (source.kind) {
    case "code":
      return source.code;
    case "stdin":
      return decode(
        await new Response(Deno.stdin.readable).bytes(),
        nameOf(source),
      );
    case "file":
      return decode(await read(source.path), nameOf(source));
  }
}

async function read(path: string): Promise<Uint8Array> {
  try {
    return await Deno.readFile(path);
  } catch (error) {
    throw new UserError(
      `Cannot read ${path}: ${reasonOf(error)}. Name a file of Python code.`,
      EXIT.usage,
    );
  }
}

function decode(bytes: Uint8Array, from: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new UserError(
      `Cannot run ${from} as it is not UTF-8 text; save it as UTF-8.`,
      EXIT.usage,
    );
  }
}
