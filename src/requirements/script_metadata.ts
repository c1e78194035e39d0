export interface ScriptMetadata {
  dependencies: string[];
  /** Versions of Python that the script runs with, such as `>=3.11`. */
  requiresPython?: string;
}

/** A longer block is not a list of packages, and the TOML parser is slow. */
const MOST_BYTES = 64 * 1024;

/**
 * Reads the `# /// script` block of a script (inline script metadata, PEP 723).
 * Reading needs no permission, and time in proportion to the code.
 *
 * @returns Undefined if the code has no such block.
 * @throws {SyntaxError} If the code has two blocks, or its block is malformed
 * or too long.
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
  // Loaded here, as most code has no such block.
  const { parseToml } = await import("../../deps/toml.ts");
  const { dependencies = [], "requires-python": requiresPython } = parseToml(
    toml,
    " of its script block",
  );
  if (
    !Array.isArray(dependencies) ||
    !dependencies.every((one) => typeof one === "string")
  ) {
    throw new SyntaxError(
      'dependencies in its script block must be texts, as in ["rich"]',
    );
  }
  if (requiresPython === undefined) return { dependencies };
  if (typeof requiresPython === "string") {
    return { dependencies, requiresPython };
  }
  throw new SyntaxError(
    'requires-python in its script block must be a text, as in ">=3.11"',
  );
}

/**
 * Finds the script blocks as the PEP's pattern does. But that can search from
 * each line to the end, and this function reads the code once.
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
        // The last end counts, unless nothing is before it.
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
