import type { RunResult } from "../../protocol/run_result.ts";
import { FIELDS } from "../fields.ts";
import type { Payload } from "./payload.ts";

/** Writes a payload for a reader: output first, then all that says something. */
export function toCompactText(payload: Payload, result: RunResult): string {
  const { status, stdout = [], stderr = [], exitCode, summary } = payload;
  const { error } = payload;
  // A traceback ends with the error.
  const isTold = error === undefined || stderr.join("\n").includes(error);
  const { session, ...told } = FIELDS;
  const lines = [
    ...stdout,
    ...(stderr.length > 0 ? ["stderr:", ...stderr] : []),
    ...(isTold ? [] : [`error: ${error}`]),
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

/**
 * Writes a payload as a block of TOON; as JSON, with its keys sorted, if it cannot
 * be encoded.
 *
 * @param encode Encodes a payload; the library if absent.
 */
export async function toToonText(
  payload: Payload,
  encode?: (payload: Payload) => string,
): Promise<string> {
  try {
    const write = encode ?? (await import("../../../deps/toon.ts")).encodeToon;
    return fenced("toon", write(payload));
  } catch {
    return fenced("json", JSON.stringify(sorted(payload), null, 2));
  }
}

function fenced(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1);
  // Keys come from code: `__proto__` is one as any other.
  return Object.fromEntries(entries.map(([key, one]) => [key, sorted(one)]));
}
