import { describeFile } from "../../results/result_files.ts";
import { contract, type OpenContract } from "./contract.ts";
import { toAnswer } from "./tool_answers.ts";
import { FILE, toFile } from "./files_argument.ts";

export const openWriteFile: OpenContract = ({ files: { folder } }) =>
  folder && contract({
    name: "write_file",
    tool: () => ({
      title: "Write a file",
      description:
        "Writes a file that Python finds in /workspace from the next call on: text, or base64.",
      annotations: { destructiveHint: true, openWorldHint: false },
    }),
    schema: FILE,
    answer(args) {
      const { bounds } = folder;
      const room = { what: "write_file", left: bounds.bytes, bounds };
      const file = toFile(args, room);
      folder.write(file);
      return toAnswer(describeFile(file));
    },
  });
