import { Buffer } from "node:buffer";
import { hintsInOwnWords } from "./own_words.ts";
import type { DisplayType } from "../protocol/displays.ts";
import { readFacts, type RunFacts } from "../protocol/run_facts.ts";
import type {
  Json,
  RunResult,
  Status,
  Timings,
} from "../protocol/run_result.ts";

/** A picture that the code showed. */
export interface Picture {
  /** Its kind. */
  mimeType: DisplayType;
  /** Contents of its file. */
  data: Uint8Array;
}

/** HTML that the code showed, such as a chart. */
export interface Page {
  /** In plain text; may be empty. */
  title: string;
  /** Its kind and its size, in plain text: `plotly figure: 3 traces, 1,200 points`. */
  about: string;
  /** Code wrote it, and its scripts: show it in a sandboxed frame. */
  html: string;
  /** Names it. */
  uri: string;
}

/** Why a run did not succeed. */
export interface Failure {
  /** The class of the exception; the run's status if no exception ended it. */
  type: string;
  /** Its message, in short. */
  message: string;
  /** Python's traceback, with hints; the message again without an exception. */
  traceback: string;
}

/** How a run ended; failing code is a result, too. */
export interface Result extends Omit<RunFacts, "errorType" | "errorMessage"> {
  /** In a word. */
  status: Status;
  /** The last expression's value, as JSON can carry it; null without one. */
  value: Json;
  /** A table as Python prints it; absent for other values. */
  shown?: string;
  /** stdout and stderr in the order written. */
  output: string;
  /** Absent after success. */
  error?: Failure;
  /** In the order in which they were shown. */
  images: Picture[];
  /** HTML that it showed, in the same order. */
  pages: Page[];
  /** Files that the code wrote, by path below `/workspace`. */
  files: Record<string, Uint8Array>;
  /** Paths of files that were put in, and that the code removed. */
  removed: string[];
  /** Where its time went. */
  timings: Timings;
  /**
   * Characters there were, at least, by the part that was cut; `return_value` is also
   * there if rows of a table are left out: a note in the value counts them.
   */
  truncated: Record<string, number>;
}

/** Makes a result for the library's caller. */
export function toResult(piped: RunResult): Result {
  const { status, output, images = [], pages = [] } = piped;
  const { written = [], removed = [] } = piped;
  const { uri: _, note: __, ...truncated } = piped.truncated ?? {};
  const { errorType: type = status, errorMessage, ...facts } = readFacts(piped);
  const whole = {
    ...facts,
    status,
    value: null,
    output: output.join("\n"),
    images: images.map(({ mimeType, data }) => {
      const encoding = mimeType === "image/svg+xml" ? "utf8" : "base64";
      return { mimeType, data: new Uint8Array(Buffer.from(data, encoding)) };
    }),
    pages: pages.map(({ title, about, html, uri }) => ({
      ...{ title, about, html, uri },
    })),
    files: Object.fromEntries(written.map(({ path, bytes }) => [path, bytes])),
    removed,
    timings: piped.timings ?? { waitedMs: 0, wallMs: 0 },
    truncated,
  };
  if (piped.status === "success") {
    const { returnValue: value, shown } = piped;
    return { ...whole, value, ...(shown === undefined ? {} : { shown }) };
  }
  const traceback = hintsInOwnWords(piped.error);
  return {
    ...whole,
    error: {
      type,
      message: hintsInOwnWords(errorMessage ?? traceback),
      traceback,
    },
  };
}
