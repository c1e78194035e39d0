import { z } from "../../../deps/zod.ts";
import type { RunFile } from "../../protocol/run_files.ts";
import { toWorkspacePath } from "../../protocol/workspace_path.ts";
import { maybePicture } from "../../results/mime_types.ts";
import { describeFile, maybeText } from "../../results/result_files.ts";
import { MIB } from "../../units.ts";
import type { ConnectionFiles } from "../files/connection_files.ts";
import { contract, type OpenContract } from "./contract.ts";
import { toAnswer } from "./tool_answers.ts";
import { PATH } from "./files_argument.ts";

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
  });

export const openReadFile: OpenContract = ({ files }) =>
  files.folder && contract({
    name: "read_file",
    tool: () => ({
      title: "Read a file",
      description:
        "Reads a file of /workspace by its path, or one that a run wrote, or a result that was cut, by its run-python:// address: text, a picture, or base64. Of a large file it gives a part, and next_offset where the next one begins.",
      annotations: { readOnlyHint: true, openWorldHint: false },
    }),
    schema: toSchema(files),
    answer(args) {
      const file = find(args, files);
      const { offset = 0, limit = files.maxOutput } = args;
      const isWhole = args.offset === undefined && args.limit === undefined;
      const mimeType = isWhole && file.bytes.length <= MOST_BYTES
        ? maybePicture(file.bytes)
        : undefined;
      if (mimeType === undefined) {
        return toAnswer(readPart(file, offset, limit));
      }
      const data = file.bytes.toBase64();
      return {
        content: [{ type: "image", data, mimeType }],
        structuredContent: describeFile(file),
      };
    },
  });

type Arguments = z.output<ReturnType<typeof toSchema>>;

function find({ path, uri }: Arguments, files: ConnectionFiles): RunFile {
  if (uri !== undefined && path === undefined) {
    const file = files.get(uri);
    if (file) return file;
    throw new RangeError(
      `There is no file at ${
        uri.slice(0, 300)
      }: it may have been dropped for those of later runs (--max-stored-files). list_files shows what is in /workspace.`,
    );
  }
  if (path === undefined || uri !== undefined) {
    throw new TypeError("read_file takes a path or a uri, one of them");
  }
  const file = files.folder?.get(toWorkspacePath(path));
  if (file) return file;
  throw new RangeError(
    `There is no file "${path}" in /workspace: list_files shows what there is.`,
  );
}

function readPart(file: RunFile, offset: number, limit: number) {
  const { bytes, path } = file;
  if (offset > bytes.length) {
    throw new RangeError(
      `offset is ${offset}, and "${path}" has ${bytes.length} bytes`,
    );
  }
  const part = wholeCharacters(bytes, offset, offset + limit);
  const next = offset + part.length;
  const text = maybeText(part, LONGEST_TEXT);
  return {
    ...describeFile(file),
    offset,
    ...(next < bytes.length ? { next_offset: next } : {}),
    ...(text === undefined ? { base64: part.toBase64() } : { text }),
  };
}

/** A part that ends with a whole character of UTF-8, if the bytes are text. */
function wholeCharacters(bytes: Uint8Array, start: number, end: number) {
  const part = bytes.subarray(start, end);
  if (end >= bytes.length) return part;
  for (let back = 0; back < 4; back++) {
    const cut = part.length - back;
    const isStart = ((bytes[start + cut] ?? 0) & 0xc0) !== 0x80;
    if (isStart && cut > 0) return part.subarray(0, cut);
  }
  return part;
}
