import { describeFile } from "../../results/result_files.ts";
import { contract, type OpenContract } from "./contract.ts";
import { FILE, toFile } from "./files_argument.ts";
import { answerOf, looksInto, SESSION_OF_FILES } from "./session_files.ts";
import { toAnswer } from "./tool_answers.ts";

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
