/**
 * Tools for clients that know nothing of resources (`--file-tools`).
 *
 * @module
 */
import { MIB } from "../../units.ts";
import type { CallToolResult, Tool } from "../../../deps/mcp_server.ts";
import { toWorkspacePath } from "../../protocol/workspace_path.ts";
import type { Json } from "../../protocol/run_result.ts";
import type { RunFile } from "../../protocol/run_files.ts";
import { head } from "../../results/cut.ts";
import { firstOf, maybeText } from "../../results/result_files.ts";
import { maybePicture, mimeTypeOf } from "../../results/mime_types.ts";
import { parseFile } from "./files_argument.ts";
import type { FileStore } from "../files/file_store.ts";
import type { Folder } from "../files/folder.ts";

/** Files in one list, and bytes of their names. */
const PAGE = { count: 1000, room: 2 * MIB };
/** Bytes of one answer, and without a wish. */
const MOST_BYTES = MIB;
const USUAL_BYTES = 100_000;
/** A text that is longer as JSON is given as base64. */
const LONGEST_TEXT = 2 * MOST_BYTES;

/** The tools, and how they are called. */
export interface FileTools {
  tools: Tool[];
  /** Answers a call; undefined if the tool is none of these. */
  call(name: string, args: unknown): CallToolResult | undefined;
}

/** Opens the tools over a connection's folder. */
export function openFileTools(store: FileStore, folder: Folder): FileTools {
  const calls: Record<string, (args: Record<string, unknown>) => Answer> = {
    "write_file": (args) => writeFile(args, folder),
    "read_file": (args) => readFile(args, store, folder),
    "list_files": (args) => listFiles(args, folder),
  };
  return {
    tools: TOOLS,
    call(name, args) {
      if (!Object.hasOwn(calls, name)) return undefined;
      try {
        const { value, picture } = calls[name]?.({ ...Object(args) }) ?? {};
        const shown: CallToolResult["content"] = picture
          ? [{ type: "image", ...picture }]
          : [{ type: "text", text: JSON.stringify(value) }];
        return { content: shown, structuredContent: { ...value } };
      } catch (error) {
        const isTheirs = error instanceof TypeError ||
          error instanceof RangeError;
        if (!isTheirs) throw error;
        return {
          content: [{ type: "text", text: error.message }],
          isError: true,
        };
      }
    },
  };
}

const PATH = {
  type: "string",
  description: "Below /workspace.",
} as const;

const TOOLS: Tool[] = [
  {
    name: "write_file",
    title: "Write a file",
    description:
      "Writes a file that Python finds in /workspace from the next call on: text, or base64.",
    inputSchema: {
      type: "object",
      properties: {
        path: PATH,
        text: { type: "string" },
        base64: { type: "string" },
      },
      required: ["path"],
      additionalProperties: false,
    },
    annotations: { destructiveHint: true, openWorldHint: false },
  },
  {
    name: "read_file",
    title: "Read a file",
    description:
      `Reads a file of /workspace by its path, or one that a run wrote by its run-python:// address: text, a picture, or base64. Of a large file it gives a part, and next_offset where the next one begins.`,
    inputSchema: {
      type: "object",
      properties: {
        path: PATH,
        uri: { type: "string", description: "In place of the path." },
        offset: { type: "integer", minimum: 0, description: "In bytes." },
        limit: {
          type: "integer",
          minimum: 1,
          maximum: MOST_BYTES,
          description: `Bytes to read; ${USUAL_BYTES} if not said.`,
        },
      },
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  {
    name: "list_files",
    title: "List files",
    description: "Lists the files of /workspace, with their sizes.",
    inputSchema: {
      type: "object",
      properties: {
        after: {
          type: "string",
          description: "Go on after this path, of an earlier list.",
        },
      },
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
];

interface Answer {
  value: Record<string, Json>;
  picture?: { data: string; mimeType: string };
}

function writeFile(args: Record<string, unknown>, folder: Folder): Answer {
  const { bounds } = folder;
  const file = parseFile(args, {
    what: "write_file",
    left: bounds.bytes,
    bounds,
  });
  folder.write(file);
  return { value: describe(file) };
}

function readFile(
  args: Record<string, unknown>,
  store: FileStore,
  folder: Folder,
): Answer {
  refuseOthers(args, ["path", "uri", "offset", "limit"]);
  const file = find(args, store, folder);
  const { bytes, path } = file;
  const offset = readNumber(args, "offset", { least: 0, otherwise: 0 });
  const limit = readNumber(args, "limit", {
    ...{ least: 1, most: MOST_BYTES, otherwise: USUAL_BYTES },
  });
  if (offset > bytes.length) {
    throw new RangeError(
      `offset is ${offset}, and "${path}" has ${bytes.length} bytes`,
    );
  }
  const mimeType = maybePicture(bytes);
  const isAsked = args.offset !== undefined || args.limit !== undefined;
  if (mimeType && !isAsked && bytes.length <= MOST_BYTES) {
    const picture = { data: bytes.toBase64(), mimeType };
    return { value: describe(file), picture };
  }
  const part = wholeCharacters(bytes, offset, offset + limit);
  const next = offset + part.length;
  const text = maybeText(part, LONGEST_TEXT);
  return {
    value: {
      ...describe(file),
      offset,
      ...(next < bytes.length ? { next_offset: next } : {}),
      ...(text === undefined ? { base64: part.toBase64() } : { text }),
    },
  };
}

function listFiles(args: Record<string, unknown>, folder: Folder): Answer {
  refuseOthers(args, ["after"]);
  const { after = "" } = args;
  if (typeof after !== "string") {
    throw new TypeError("after must be a path of an earlier list");
  }
  const all = folder.list();
  const rest = all.filter(({ path }) => path > after);
  const files = firstOf(rest, PAGE);
  return {
    value: {
      files: files.map(describe),
      total: all.length,
      ...(files.length < rest.length
        ? { next_after: files.at(-1)?.path ?? "" }
        : {}),
    },
  };
}

function describe({ path, bytes }: RunFile): Record<string, Json> {
  return { path, size: bytes.length, mimeType: mimeTypeOf(path) };
}

function find(
  { path, uri }: Record<string, unknown>,
  store: FileStore,
  folder: Folder,
): RunFile {
  if (typeof uri === "string" && path === undefined) {
    const file = store.get(uri);
    if (file) return file;
    throw new RangeError(
      `There is no file at ${
        uri.slice(0, 300)
      }: it may have been dropped for those of later runs (--max-stored-files). list_files shows what is in /workspace.`,
    );
  }
  if (typeof path !== "string" || uri !== undefined) {
    throw new TypeError("read_file takes a path or a uri, one of them");
  }
  const file = folder.get(toWorkspacePath(path));
  if (file) return file;
  throw new RangeError(
    `There is no file "${path}" in /workspace: list_files shows what there is.`,
  );
}

function readNumber(
  args: Record<string, unknown>,
  name: string,
  { least, most = Number.MAX_SAFE_INTEGER, otherwise }: {
    least: number;
    most?: number;
    otherwise: number;
  },
): number {
  const value = args[name] ?? otherwise;
  if (
    typeof value === "number" && Number.isInteger(value) && value >= least &&
    value <= most
  ) return value;
  throw new RangeError(
    `${name} must be a whole number of bytes from ${least} to ${most}`,
  );
}

function refuseOthers(args: Record<string, unknown>, known: string[]): void {
  const other = Object.keys(args).find((name) => !known.includes(name));
  if (other === undefined) return;
  throw new TypeError(
    `Unknown argument "${head(other, 100)}": it takes ${known.join(", ")}`,
  );
}

/** A part that does not end within a character of UTF-8, if it can be had. */
function wholeCharacters(
  bytes: Uint8Array<ArrayBuffer>,
  start: number,
  end: number,
): Uint8Array<ArrayBuffer> {
  const part = bytes.subarray(start, end);
  if (end >= bytes.length) return part;
  for (let back = 0; back < 4; back++) {
    const cut = part.length - back;
    const isStart = ((bytes[start + cut] ?? 0) & 0xc0) !== 0x80;
    if (isStart && cut > 0) return part.subarray(0, cut);
  }
  return part;
}
