// TOML 1.0 for metadata of scripts (PEP 723) and lock files (PEP 751): small, typed, without dependencies.
import { parse } from "smol-toml";
export { stringify as stringifyToml } from "smol-toml";

/**
 * Reads a document; a byte order mark may stand before it.
 *
 * @param where Names a part of a file, behind its line: " of its script block".
 * @throws {SyntaxError} If it is not TOML. The message quotes nothing of the
 * document, which may hold secrets.
 */
export function parseToml(text: string, where = ""): Record<string, unknown> {
  try {
    return parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    const { line, message } = Object(error);
    const [reason = ""] = String(message)
      .replace(/^Invalid TOML document: /, "").split("\n");
    throw new SyntaxError(`line ${line}${where} is not TOML: ${reason}`);
  }
}
