// YAML 1.2 for policies: typed, without dependencies, and it says where each key stands.
import { isMap, isNode, isScalar, LineCounter, parseDocument } from "yaml";

/** A document, and the line of each of its places. */
export interface Yaml {
  value: unknown;
  /** The line of a value, or of the key that it stands behind; else of what is around it. */
  lineOf(path: readonly PropertyKey[]): number;
}

/** More than a policy repeats; a bomb of aliases has thousands. */
const MOST_ALIASES = 10;

/**
 * Reads one document, whose values are those of JSON: tags of its own are errors, as
 * are keys that stand twice.
 *
 * @throws {SyntaxError} If it is not such a document. The message names a line.
 */
export function parseYaml(text: string): Yaml {
  const lines = new LineCounter();
  const document = parseDocument(text.replace(/^\uFEFF/, ""), {
    ...{ lineCounter: lines, prettyErrors: false },
    ...{ schema: "core", merge: false, uniqueKeys: true, logLevel: "error" },
  });
  const [fault] = [...document.errors, ...document.warnings];
  if (fault) {
    const { line } = lines.linePos(fault.pos[0]);
    throw new SyntaxError(`line ${line} is not YAML: ${fault.message}`);
  }
  return {
    value: toValue(),
    lineOf,
  };

  function lineOf(path: readonly PropertyKey[]): number {
    const [last] = path.slice(-1);
    const above = path.length === 0
      ? undefined
      : document.getIn(path.slice(0, -1), true);
    const key = isMap(above)
      ? above.items.map(({ key }) => key)
        .find((key) => isScalar(key) && key.value === last)
      : undefined;
    const found = key ?? document.getIn([...path], true);
    const [start] = isNode(found) ? found.range ?? [] : [];
    if (start !== undefined) return lines.linePos(start).line;
    return path.length === 0 ? 1 : lineOf(path.slice(0, -1));
  }

  function toValue(): unknown {
    try {
      return document.toJS({ maxAliasCount: MOST_ALIASES });
    } catch (error) {
      if (!(error instanceof ReferenceError)) throw error;
      throw new SyntaxError(
        `it repeats more by aliases than the ${MOST_ALIASES} that are read`,
      );
    }
  }
}
