import type { Json, RunResult } from "../../protocol/run_result.ts";
import { describeImage } from "../result_images.ts";
import { toReadable } from "../render.ts";
import type { Payload } from "./payload.ts";

/** Writes a payload for a reader: output first, then all that says something. */
export function toCompactText(payload: Payload, result: RunResult): string {
  const { stdout = [], stderr = [], summary, session } = payload;
  const lines = [
    ...stdout,
    ...(stderr.length > 0 ? ["stderr:", ...stderr] : []),
    ...errorLines(payload),
    ...valueLines(payload, result),
    ...(result.images ?? []).map((image) =>
      `image: ${image.uri} (${describeImage(image)})`
    ),
    ...fileLines(result),
    ...noteLines(result),
    ...exitLines(payload),
    ...(session === undefined ? [] : [`session: ${session}`]),
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

function valueLines({ return_value: value }: Payload, result: RunResult) {
  if (value === undefined || result.status !== "success") return [];
  const text = result.shown ?? readable(value);
  // The columns of a table begin at the left.
  return [`return_value:${text.includes("\n") ? "\n" : " "}${text}`];
}

function readable(value: Json): string {
  return value === "" ? '""' : toReadable(value);
}

function fileLines({ files = [], truncated }: RunResult): string[] {
  const lines = files.flatMap(({ path, size, uri, text }) => [
    `file: ${path} (${size} bytes${uri === undefined ? "" : `, ${uri}`})`,
    ...(text === undefined ? [] : [text.replace(/\n$/, "")]),
  ]);
  const more = (truncated?.files ?? 0) - files.length;
  return more > 0
    ? [...lines, `files: ${more} more, in resources/list`]
    : lines;
}

function noteLines({ truncated }: RunResult): string[] {
  return truncated?.note === undefined ? [] : [`truncated: ${truncated.note}`];
}

function exitLines({ exitCode, status }: Payload): string[] {
  return [
    ...(exitCode ? [`exit: ${exitCode}`] : []),
    ...(status === "success" ? [] : [`status: ${status}`]),
  ];
}
