/** What a script says of itself. */
export interface ScriptMetadata {
  /** Requirements, as they are written. */
  dependencies: string[];
  /** Versions of Python that it runs with, such as `>=3.11`. */
  requiresPython?: string;
}

/** A longer block is not a list of packages, and TOML's parser is slow. */
const MOST_BYTES = 64 * 1024;

/**
 * Reads the `# /// script` block of a script (inline script metadata, PEP 723).
 * It needs no permission, and time in proportion to the code.
 *
 * @example
 * ```ts
 * import { parseScriptMetadata } from "./script_metadata.ts";
 * import { deepStrictEqual } from "node:assert/strict";
 *
 * deepStrictEqual(
 *   await parseScriptMetadata(
 *     '# /// script\n# dependencies = ["rich"]\n# ///\nimport rich',
 *   ),
 *   { dependencies: ["rich"] },
 * );
 * ```
 *
 * @returns Undefined if there is no such block.
 * @throws {SyntaxError} If there are two, or it is malformed or too long.
 */
export async function parseScriptMetadata(
  code: string,
): Promise<ScriptMetadata | undefined> {
  const [toml, another] = blocks(code);
  if (toml === undefined) return undefined;
  if (another !== undefined) {
    throw new SyntaxError("there are two script blocks, and one is allowed");
  }
  const { length } = new TextEncoder().encode(toml);
  if (length > MOST_BYTES) {
    throw new SyntaxError(
      `its script block has ${length} bytes, and may have ${MOST_BYTES}`,
    );
  }
  const table = await parseTable(toml);
  return { ...toDependencies(table), ...toRequiresPython(table) };
}

/**
 * Finds the script blocks.
 *
 * The same as the pattern of the PEP finds, which is
 * `^# /// (?P<type>[a-zA-Z0-9-]+)$\s(?P<content>(^#(| .*)$\s)+)^# ///$`, but
 * once over the code: the pattern can look from each line to the end.
 */
function* blocks(code: string): Generator<string> {
  if (!code.includes("# /// script")) return;
  let type: string | undefined;
  let content: string[] = [];
  let end = 0;
  for (const line of code.replace(/\r\n?/g, "\n").concat("\n").split("\n")) {
    if (line === "#" || line.startsWith("# ")) {
      if (type === undefined) type = /^# \/\/\/ ([a-z\d-]+)$/i.exec(line)?.[1];
      else {
        // The last end counts, if anything is before it.
        if (line === "# ///" && content.length > 0) end = content.length;
        content.push(line.slice(2));
      }
      continue;
    }
    if (type === "script" && end > 0) yield content.slice(0, end).join("\n");
    type = undefined;
    content = [];
    end = 0;
  }
}

async function parseTable(toml: string): Promise<Record<string, unknown>> {
  // Most code has no such block.
  const { parseToml } = await import("../../deps/toml.ts");
  try {
    return parseToml(toml);
  } catch (error) {
    const [line] = String(Error.isError(error) ? error.message : error)
      .replace(/^Invalid TOML document: /, "").split("\n");
    throw new SyntaxError(`its script block is no TOML: ${line}`);
  }
}

function toDependencies(
  { dependencies = [] }: Record<string, unknown>,
): { dependencies: string[] } {
  if (
    Array.isArray(dependencies) &&
    dependencies.every((one) => typeof one === "string")
  ) return { dependencies };
  throw new SyntaxError(
    'dependencies in its script block must be texts, as in ["rich"]',
  );
}

function toRequiresPython(
  { "requires-python": range }: Record<string, unknown>,
): { requiresPython?: string } {
  if (range === undefined) return {};
  if (typeof range === "string") return { requiresPython: range };
  throw new SyntaxError(
    'requires-python in its script block must be a text, as in ">=3.11"',
  );
}
