import { z } from "../../../deps/zod.ts";
import { toWorkspacePath } from "../../protocol/workspace_path.ts";
import { maybePicture } from "../../results/mime_types.ts";
import { describeFile, maybeText } from "../../results/result_files.ts";
import { MIB } from "../../units.ts";
import type { ConnectionFiles } from "../files/connection_files.ts";
import {
  type Connection,
  contract,
  type OpenContract,
  toAnswer,
} from "./contract.ts";
import { PATH } from "./files_argument.ts";
import { answerOf, looksInto, SESSION_OF_FILES } from "./file_tools.ts";

/** The most bytes of an answer. */
const MOST_BYTES = MIB;
/** Bytes of a text as JSON; a longer text is given as base64. */
const LONGEST_TEXT = 2 * MOST_BYTES;

const toSchema = ({ maxOutput }: ConnectionFiles) =>
  z.strictObject({
    path: PATH.optional(),
    uri: z.string().optional().describe("In place of the path."),
    offset: z.int().min(0).optional().describe("In bytes."),
    limit: z.int().min(1).max(MOST_BYTES).optional()
      .describe(`Bytes to read; ${maxOutput} if not said.`),
    session: SESSION_OF_FILES,
  });

export const openReadFile: OpenContract = (connection) =>
  connection.settings.fileTools
    ? contract({
      name: "read_file",
      tool: () => ({
        title: "Read a file",
        description:
          "Reads a file of /workspace by its path, or one that a run wrote, or a result that was cut, by its run-python:// address: text, a picture, or base64. Of a large file it gives a part, and next_offset where the next one begins.",
        annotations: { readOnlyHint: true, openWorldHint: false },
      }),
      schema: toSchema(connection.files),
      async answer(args) {
        const { offset = 0, limit = connection.files.maxOutput } = args;
        const isWhole = args.offset === undefined && args.limit === undefined;
        const file = await find(args, {
          ...connection,
          offset,
          // A byte more shows where the last character ends.
          limit: isWhole ? Math.max(MOST_BYTES, limit + 1) : limit + 1,
        });
        const mimeType = isWhole && file.size <= MOST_BYTES
          ? maybePicture(file.bytes)
          : undefined;
        if (mimeType === undefined) {
          return toAnswer(toPart(file, offset, limit));
        }
        const data = file.bytes.toBase64();
        return {
          content: [{ type: "image", data, mimeType }],
          structuredContent: describeFile(file),
        };
      },
    })
    : undefined;

type Arguments = z.output<ReturnType<typeof toSchema>>;

/** A file, and bytes of it from an offset on. */
interface FilePart {
  path: string;
  /** Of the whole file. */
  size: number;
  bytes: Uint8Array<ArrayBuffer>;
}

async function find(
  { path, uri, session }: Arguments,
  { offset, limit, ...connection }: Connection & {
    offset: number;
    limit: number;
  },
): Promise<FilePart> {
  if (uri !== undefined && path === undefined) {
    const file = connection.files.get(uri);
    if (file) {
      const { path, bytes } = file;
      const part = bytes.subarray(offset, offset + limit);
      return { path, size: bytes.length, bytes: part };
    }
    throw new RangeError(
      `There is no file at ${
        uri.slice(0, 300)
      }: it may have been dropped for those of later runs. list_files shows what is in /workspace.`,
    );
  }
  if (path === undefined || uri !== undefined) {
    throw new TypeError("read_file takes a path or a uri, one of them");
  }
  const place = toWorkspacePath(path);
  const looks = looksInto(session, connection);
  const read = looks.readFile({ path: place, offset, limit });
  return { path: place, ...await answerOf(read) };
}

function toPart(file: FilePart, offset: number, limit: number) {
  const { bytes, path, size } = file;
  if (offset > size) {
    throw new RangeError(
      `offset is ${offset}, and "${path}" has ${size} bytes`,
    );
  }
  const part = wholeCharacters(bytes, limit);
  const next = offset + part.length;
  const text = maybeText(part, LONGEST_TEXT);
  return {
    ...describeFile(file),
    offset,
    ...(next < size ? { next_offset: next } : {}),
    ...(text === undefined ? { base64: part.toBase64() } : { text }),
  };
}

/** The first bytes, to the end of a character of UTF-8 if they are text. */
function wholeCharacters(bytes: Uint8Array, limit: number) {
  const part = bytes.subarray(0, limit);
  if (limit >= bytes.length) return part;
  for (let back = 0; back < 4; back++) {
    const cut = part.length - back;
    const isStart = ((bytes[cut] ?? 0) & 0xc0) !== 0x80;
    if (isStart && cut > 0) return part.subarray(0, cut);
  }
  return part;
}
