import { z } from "../../../deps/zod.ts";
import { mimeTypeOf } from "../../results/mime_types.ts";
import { contract, type OpenContract } from "./contract.ts";
import { answerOf, looksInto, SESSION_OF_FILES } from "./session_files.ts";
import { toAnswer } from "./tool_answers.ts";

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
