import { z } from "../../../deps/zod.ts";
import { describeFile, firstOf } from "../../results/result_files.ts";
import { MIB } from "../../units.ts";
import { contract, type OpenContract } from "./contract.ts";
import { toAnswer } from "./tool_answers.ts";

/** Files in one list, and bytes of their names. */
const PAGE = { count: 1000, room: 2 * MIB };

export const openListFiles: OpenContract = ({ files: { folder } }) =>
  folder && contract({
    name: "list_files",
    tool: () => ({
      title: "List files",
      description: "Lists the files of /workspace, with their sizes.",
      annotations: { readOnlyHint: true, openWorldHint: false },
    }),
    schema: z.strictObject({
      after: z.string().optional()
        .describe("Go on after this path, of an earlier list."),
    }),
    answer({ after = "" }) {
      const all = folder.list();
      const rest = all.filter(({ path }) => path > after);
      const files = firstOf(rest, PAGE);
      const last = files.length < rest.length ? files.at(-1) : undefined;
      return toAnswer({
        files: files.map(describeFile),
        total: all.length,
        ...(last ? { next_after: last.path } : {}),
      });
    },
  });
