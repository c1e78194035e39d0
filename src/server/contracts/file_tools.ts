import { z } from "../../../deps/zod.ts";
import { toWorkspacePath } from "../../protocol/workspace_path.ts";
import { maybePicture, mimeTypeOf } from "../../results/mime_types.ts";
import { describeFile, maybeText } from "../../results/result_files.ts";
import { MIB } from "../../units.ts";
import { type Looked, Looks } from "../sessions/looks.ts";
import { contract, type OpenContract, toAnswer } from "./contract.ts";
import { FILE, PATH, toFile } from "./files_argument.ts";
import { SESSION } from "./session_tools.ts";

/** The most bytes of an answer. */
const MOST_BYTES = MIB;
/** Bytes of a text as JSON; a longer text is given as base64. */
const LONGEST_TEXT = 2 * MOST_BYTES;

const WHERE = {
  session: SESSION.optional()
    .describe("Handle of a session; the session of all calls if not said."),
};

export const openFileTools: OpenContract = (connection) => {
  const { settings, sessions, owner, files } = connection;
  if (!settings.fileTools) return [];
  const looksInto = (handle: string | undefined) =>
    new Looks((request, options) =>
      sessions.look(handle, owner, request, options)
    );
  return [
    contract({
      name: "write_file",
      tool: () => ({
        title: "Write a file",
        description:
          "Writes a file that Python finds in /workspace from the next call on: text, or base64.",
        annotations: { destructiveHint: true, openWorldHint: false },
      }),
      schema: FILE.extend(WHERE),
      async answer({ session, ...given }) {
        const { bounds } = files;
        const room = { what: "write_file", left: bounds.bytes, bounds };
        const file = toFile(given, room);
        const described = describeFile(file);
        const looks = looksInto(session);
        const [leftOut] = await answerOf(looks.writeFiles([file]));
        if (leftOut === undefined) return toAnswer(described);
        throw new RangeError(`Cannot write ${leftOut}`);
      },
    }),
    contract({
      name: "read_file",
      tool: () => ({
        title: "Read a file",
        description:
          "Reads a file of /workspace by its path, or one that a run wrote, or a result that was cut, by its run-python:// address: text, a picture, or base64. Of a large file it gives a part, and next_offset where the next one begins.",
        annotations: { readOnlyHint: true, openWorldHint: false },
      }),
      schema: z.strictObject({
        path: PATH.optional(),
        uri: z.string().optional().describe("In place of the path."),
        offset: z.int().min(0).optional().describe("In bytes."),
        limit: z.int().min(1).max(MOST_BYTES).optional()
          .describe(`Bytes to read; ${files.maxOutput} if not said.`),
        ...WHERE,
      }),
      async answer({ path, uri, session, ...asked }) {
        const { offset = 0, limit = files.maxOutput } = asked;
        const isWhole = asked.offset === undefined && asked.limit === undefined;
        // A byte more shows where the last character ends.
        const most = isWhole ? Math.max(MOST_BYTES, limit + 1) : limit + 1;
        let file: FilePart;
        if (path === undefined && uri !== undefined) {
          file = keptFile(uri);
          file.bytes = file.bytes.subarray(offset, offset + most);
        } else if (path !== undefined && uri === undefined) {
          const place = { path: toWorkspacePath(path), offset, limit: most };
          const found = await answerOf(looksInto(session).readFile(place));
          file = { ...place, ...found };
        } else {
          throw new TypeError("read_file takes a path or a uri, one of them");
        }
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
    }),
    contract({
      name: "list_files",
      tool: () => ({
        title: "List files",
        description:
          "Lists the files of /workspace, with their sizes and times of change.",
        annotations: { readOnlyHint: true, openWorldHint: false },
      }),
      schema: z.strictObject({
        after: z.string().optional()
          .describe("Go on after this path, of an earlier list."),
        ...WHERE,
      }),
      async answer({ after, session }) {
        const found = await answerOf(looksInto(session).files(after));
        const listed = found.files
          .map((file) => ({ ...file, mimeType: mimeTypeOf(file.path) }));
        const last = found.hasMore ? listed.at(-1) : undefined;
        return toAnswer({
          files: listed,
          total: found.count,
          ...(last ? { next_after: last.path } : {}),
        });
      },
    }),
  ];

  function keptFile(uri: string): FilePart {
    const file = files.get(uri);
    if (file) return { ...file, size: file.bytes.length };
    throw new RangeError(
      `There is no file at ${
        uri.slice(0, 300)
      }: it may have been dropped for those of later runs. list_files shows what is in /workspace.`,
    );
  }
};

/** @throws {RangeError} If the session did not answer; the message says why. */
async function answerOf<T>(looked: Promise<Looked<T>>): Promise<T> {
  const { found, failed } = await looked;
  if (failed) throw new RangeError(failed.error);
  return found;
}

/** A file, and bytes of it from an offset on. */
interface FilePart {
  path: string;
  /** Of the whole file. */
  size: number;
  bytes: Uint8Array<ArrayBuffer>;
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
