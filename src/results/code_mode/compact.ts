import type { RunResult } from "../../protocol/run_result.ts";
import { FIELDS } from "../fields.ts";
import type { Payload } from "./payload.ts";

/** Writes a payload for a reader: output first, then all that says something. */
export function toCompactText(payload: Payload, result: RunResult): string {
  const { status, stdout = [], stderr = [], exitCode, summary } = payload;
  const { session, ...told } = FIELDS;
  const lines = [
    ...stdout,
    ...(stderr.length > 0 ? ["stderr:", ...stderr] : []),
    ...errorLines(payload),
    ...Object.values(told).flatMap((field) => field.toLines(result)),
    ...(exitCode ? [`exit: ${exitCode}`] : []),
    ...(status === "success" ? [] : [`status: ${status}`]),
    ...session.toLines(result),
  ];
  return lines.some((line) => line.trim() !== "") ? lines.join("\n") : summary;
}

/** The keys of a payload that say something; the status always does. */
export function toCompact(payload: Payload): Partial<Payload> {
  const { summary, exitCode, servers: _, ...rest } = payload;
  const { status, ...more } = rest;
  return {
    status,
    ...(summary === "Success" ? {} : { summary }),
    ...(exitCode ? { exitCode } : {}),
    ...more,
  };
}

/** A traceback ends with the error. */
function errorLines({ error, stderr = [] }: Payload): string[] {
  return error === undefined || stderr.join("\n").includes(error)
    ? []
    : [`error: ${error}`];
}
