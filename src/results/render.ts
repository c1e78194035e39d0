import type { Json, RunResult } from "../protocol/run_result.ts";
import { FIELDS, section, toTold } from "./fields.ts";

/** Writes a result as `structuredContent`; `OUTPUT_SCHEMA` describes it. */
export function toStructured(result: RunResult): Record<string, Json> {
  const { status, output } = result;
  const error = result.status === "success" ? {} : { error: result.error };
  return { status, output, ...error, ...toTold(result) };
}

/** Writes a result as the text block of a tool's answer. */
export function toText(result: RunResult, mode: "xml" | "json"): string {
  if (mode === "json") return JSON.stringify(toStructured(result));
  const { status, output } = result;
  return [
    `<status>${status}</status>`,
    output.length > 0 ? section("output", output.join("\n")) : undefined,
    result.status === "success" ? undefined : section("error", result.error),
    ...Object.values(FIELDS).map((field) => field.toXml(result)),
  ].filter((text) => text !== undefined).join("\n");
}
