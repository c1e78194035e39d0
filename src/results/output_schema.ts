import { z } from "../../deps/zod.ts";
import type { Status } from "../protocol/run_result.ts";
import type { Told } from "./fields.ts";
import { ENDINGS } from "./result_images.ts";

const STATUSES: Record<Status, string> = {
  "success": "the code ran to its end",
  "run-error": "the code raised an exception or ended itself",
  "invalid-arguments": "an argument of the call is wrong; nothing ran",
  "install-error": "a dependency could not be installed; nothing ran",
  "timeout": "the code was stopped at its time limit",
  "memory-limit": "the code needed more memory than it may have",
  "cancelled": "the caller cancelled the call",
  "crashed": "the interpreter died",
  "busy": "too many calls or an install are before this call; nothing ran",
  "denied": "the code asked for packages that it may not have; nothing ran",
  "session-lost": "the session's variables and files are gone; nothing ran",
};
const MEANINGS = Object.entries(STATUSES)
  .map(([status, meaning]) => `${status}: ${meaning}`).join("; ");

const characters = (of: string) =>
  z.int().optional().describe(`Characters ${of}, before the cut.`);

const IMAGE = z.object({
  uri: z.string().describe("Names it."),
  mimeType: z.enum(Object.keys(ENDINGS)),
  size: z.int().describe("Bytes."),
});

const TRUNCATED = z.object({
  output: characters("printed"),
  return_value: characters("of the return value, at least"),
  error: characters("of the error"),
  files: z.int().optional()
    .describe("Files written, of which the first are listed."),
  uri: z.string().optional()
    .describe("MCP resource with the whole result, up to larger limits."),
  note: z.string().optional().describe("How to read on."),
});

const FILE = z.object({
  path: z.string(),
  size: z.int().describe("In bytes."),
  mimeType: z.string().describe("By its name: a guess."),
  uri: z.string().optional().describe(
    "MCP resource to read it by; absent if it was too large to keep.",
  ),
  text: z.string().optional().describe("All of it, if it is small."),
});

/** Every field of `FIELDS` is described. */
const TOLD = {
  return_value: z.unknown().optional().describe(
    "Value of the last expression as JSON, null for None. Only on success.",
  ),
  images: z.array(IMAGE).optional().describe(
    "Pictures that were shown; absent if none was. They are blocks of the content, in this order after the text.",
  ),
  files: z.array(FILE).optional().describe(
    "Files that the code wrote to /workspace; absent if there are none.",
  ),
  truncated: TRUNCATED.optional()
    .describe("The parts that were cut; absent if none was."),
  session: z.string().optional().describe(
    "Handle of the session, for the next call; absent without a session.",
  ),
} satisfies Record<keyof Told, z.ZodType>;

/** Describes the results of `toStructured`; open to keys that come later. */
export const OUTPUT_SCHEMA: z.ZodObject = z.object({
  status: z.enum(Object.keys(STATUSES))
    .describe(`How the run ended. ${MEANINGS}.`),
  output: z.array(z.string()).describe(
    "Lines printed to stdout and stderr, in the order written, without newlines.",
  ),
  error: z.string().optional().describe(
    "Python's traceback for run-error, else a sentence that says what happened. Only without success.",
  ),
  ...TOLD,
});
