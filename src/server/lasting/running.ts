import type { CallToolResult } from "../../../deps/mcp_server.ts";
import { section } from "../../results/fields.ts";

/** A run that goes on though its call is answered, as that answer tells of it. */
export interface Running {
  /** Its handle. */
  run: string;
  /** Lines printed since the last answer. */
  output: string[];
}

/** In the metadata of a request, the place of the first character that it wants. */
export const OUTPUT_FROM = "mcp-run-python/outputFrom";
/** In the metadata of its answer, the place of the character after its output. */
export const OUTPUT_NEXT = "mcp-run-python/outputNext";

/** The tool that waits for a run. */
export const GET_RUN = "get_run";

/** Writes the answer of a run that goes on. */
export function toRunningAnswer(
  { run, output }: Running,
  mode: "xml" | "compact" | "json",
): CallToolResult {
  const structured = { status: "running", run, output };
  const next =
    `The code runs on: ${GET_RUN} with this run waits for its result, and shows what it prints; with cancel it ends it.`;
  const lines = {
    json: () => [JSON.stringify(structured)],
    xml: () => [
      "<status>running</status>",
      ...output.length > 0 ? [section("output", output.join("\n"))] : [],
      section("run", run),
      next,
    ],
    compact: () => [...output, "status: running", `run: ${run}`, next],
  }[mode]();
  return {
    content: [{ type: "text", text: lines.join("\n") }],
    structuredContent: structured,
  };
}
