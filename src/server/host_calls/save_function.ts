import { isKeyword } from "../../catalog/identifiers.ts";
import { CODE_MODE_NAMES } from "../../protocol/code_mode.ts";
import { MOST_SOURCES } from "../code_mode/saved_functions.ts";
import { head } from "../../results/cut.ts";
import { type HostCall, hostCall } from "./host_call.ts";
import { withKept } from "./kept_calls.ts";
import type { Kept } from "../keeper.ts";

/** Characters of a function's source; `runner/mcp_saved.py` has the same bound. */
export const MOST_SOURCE = 64 * 1024;
const LONGEST_NAME = 100;

const OWN_NAMES = new Set(CODE_MODE_NAMES);

interface Order {
  name: string;
  /** Null deletes the function. */
  source: string | null;
}

/** `save_tool()`: keeps the source of a function, which no host executes. */
export function openSaveFunction(kept: Kept): HostCall {
  return hostCall({
    name: "save_function",
    parse: parseOrder,
    answer: ({ name, source }, caller) =>
      withKept(caller, kept, async (owner, kept) => {
        if (source === null) {
          return { existed: await kept.delete("tools", owner, name) };
        }
        const others = (await kept.list("tools", owner))
          .filter(({ key }) => key !== name);
        const bytes = others.reduce((sum, { bytes }) => sum + bytes, 0) +
          new TextEncoder().encode(source).length;
        if (bytes > MOST_SOURCES) {
          throw new RangeError(
            `Cannot save the tool "${name}": all saved tools would have ${bytes} bytes, and may have ${MOST_SOURCES}. delete_saved_tool(name) removes one.`,
          );
        }
        await kept.put("tools", owner, name, { text: source });
        return {};
      }),
  });
}

function parseOrder(data: unknown): Order {
  const { name, source } = { ...Object(data) };
  if (typeof name !== "string") throw new TypeError("name must be a string");
  const reason = refuseName(name);
  if (reason !== undefined) {
    throw new RangeError(
      `Cannot save a tool as ${JSON.stringify(head(name, 100))}: ${reason}.`,
    );
  }
  if (source === null) return { name, source };
  if (typeof source !== "string") {
    throw new TypeError("source must be a string");
  }
  if (!source.isWellFormed()) {
    throw new RangeError(
      `Cannot save the tool "${name}": its source has half of a surrogate pair.`,
    );
  }
  if (source.length <= MOST_SOURCE) return { name, source };
  throw new RangeError(
    `Cannot save the tool "${name}": its source has ${source.length} characters, and may have ${MOST_SOURCE}. Split the function into several.`,
  );
}

function refuseName(name: string): string | undefined {
  if (
    name.length > LONGEST_NAME ||
    !/^[\p{XID_Start}_][\p{XID_Continue}]*$/u.test(name) ||
    name.normalize("NFKC") !== name
  ) {
    return `it is not a Python identifier of at most ${LONGEST_NAME} characters`;
  }
  if (isKeyword(name)) return "it is a keyword of Python";
  if (OWN_NAMES.has(name) || name.startsWith("mcp_") || name === "mcp") {
    return "it is a name of code mode itself";
  }
  if (/^__.*__$/.test(name)) return "it is a name of Python itself";
}
