import type { CallToolResult } from "../../../deps/mcp_server.ts";
import type { ServerSettings } from "../../protocol/server_settings.ts";
import { GET_RUN } from "../../protocol/long_runs.ts";
import { section } from "../../results/fields.ts";

/** A run that goes on though its call is answered, as that answer tells of it. */
export interface Running {
  /** Its handle. */
  run: string;
  /** Lines printed since the last answer. */
  output: string[];
  /** Says that there is more output, and how it is read. */
  note?: string;
}

/** Writes the answer of a run that goes on. */
export function toRunningAnswer(
  { run, output, note }: Running,
  mode: "xml" | "compact" | "json",
  form?: ServerSettings["structured"],
): CallToolResult {
  const structured = {
    ...{ status: "running", run, output },
    ...note ? { truncated: { note } } : {},
  };
  const next = `${
    note ? `${note} ` : ""
  }The code runs on: ${GET_RUN} with this run waits for its result, and shows what it prints; with cancel it ends it.`;
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
    ...form === "none" ? {} : { structuredContent: structured },
  };
}
