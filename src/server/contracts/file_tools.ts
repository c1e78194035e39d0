import { z } from "../../../deps/zod.ts";
import { mimeTypeOf } from "../../results/mime_types.ts";
import {
  type Connection,
  contract,
  type OpenContract,
  toAnswer,
} from "./contract.ts";
import { describeFile } from "../../results/result_files.ts";
import { FILE, toFile } from "./files_argument.ts";
import { type Looked, Looks } from "../sessions/looks.ts";
import { SESSION } from "./session_tools.ts";

export const openListFiles: OpenContract = (connection) =>
  connection.settings.fileTools
    ? contract({
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
        session: SESSION_OF_FILES,
      }),
      async answer({ after, session }) {
        const looks = looksInto(session, connection);
        const { files, count, hasMore } = await answerOf(looks.files(after));
        const last = hasMore ? files.at(-1) : undefined;
        return toAnswer({
          files: files.map((file) => ({
            ...file,
            mimeType: mimeTypeOf(file.path),
          })),
          total: count,
          ...(last ? { next_after: last.path } : {}),
        });
      },
    })
    : undefined;

export const openWriteFile: OpenContract = (connection) =>
  connection.settings.fileTools
    ? contract({
      name: "write_file",
      tool: () => ({
        title: "Write a file",
        description:
          "Writes a file that Python finds in /workspace from the next call on: text, or base64.",
        annotations: { destructiveHint: true, openWorldHint: false },
      }),
      schema: FILE.extend({ session: SESSION_OF_FILES }),
      async answer({ session, ...given }) {
        const { bounds } = connection.files;
        const room = { what: "write_file", left: bounds.bytes, bounds };
        const file = toFile(given, room);
        const described = describeFile(file);
        const looks = looksInto(session, connection);
        const [leftOut] = await answerOf(looks.writeFiles([file]));
        if (leftOut !== undefined) {
          throw new RangeError(`Cannot write ${leftOut}`);
        }
        return toAnswer(described);
      },
    })
    : undefined;

/** The argument `session` of the tools for files. */
export const SESSION_OF_FILES = SESSION.optional()
  .describe("Handle of a session; the session of all calls if not said.");

/** Looks into a session of the client; into its default session without a handle. */
export function looksInto(
  handle: string | undefined,
  { sessions, owner }: Pick<Connection, "sessions" | "owner">,
): Looks {
  return new Looks((request, options) =>
    sessions.look(handle, owner, request, options)
  );
}

/** @throws {RangeError} If the session did not answer; the message says why. */
export async function answerOf<T>(looked: Promise<Looked<T>>): Promise<T> {
  const { found, failed } = await looked;
  if (failed) throw new RangeError(failed.error);
  return found;
}
