import {
  fields,
  is,
  isCount,
  maybeBase64,
  readForm,
} from "../../protocol/fields.ts";
import type { RunFile } from "../../protocol/run_files.ts";
import type {
  Completeness,
  Completions,
} from "../../protocol/pipe_messages.ts";
import type { Look } from "../../protocol/run_messages.ts";
import type { Json, RunResult } from "../../protocol/run_result.ts";
import { isWorkspacePath } from "../../protocol/workspace_path.ts";
import { head } from "../../results/cut.ts";
import { MIB } from "../../units.ts";
import type { Session } from "../pool/pool.ts";

/** Time of a look; code of the session that it calls has less. */
const LOOK_MS = 8000;
const MOST_FILES = 1000;
/** Bytes of their paths. */
const FILES_ROOM = MIB;
const MOST_VARIABLES = 1000;
const MOST_MATCHES = 100;
const LONGEST_TEXT = 100;
const LONGEST_LINE = 1000;
const MOST_DIMENSIONS = 32;

/** The findings of a look, or its failure, which has the form of a run's. */
export type Looked<T> =
  | { found: T; failed?: never }
  | { found?: never; failed: Failed };

export type Failed = Exclude<RunResult, { status: "success" }>;

/** A name of the session's `__main__`. */
export type Variable = {
  name: string;
  /** The name of its class. */
  type: string;
  /** Bytes, without those of the objects that it refers to. */
  size?: number;
  /** Of an array or a table. */
  shape?: number[];
  /** At most 100 characters. */
  repr: string;
};

export interface Variables {
  variables: Variable[];
  /** Of all variables; 1,000 are listed. */
  count: number;
  /** Names to which modules are bound. */
  modules: string[];
}

/** A file of `/workspace`. */
export type SessionFile = {
  path: string;
  /** In bytes. */
  size: number;
  /** In ISO 8601; absent if the code has set a time that is not a date. */
  modified?: string;
};

export interface SessionFiles {
  /** In the order of their paths. */
  files: SessionFile[];
  /** Of all files. */
  count: number;
  /** Whether there are more after these. */
  hasMore: boolean;
}

/**
 * Looks into a session between its runs, and in order with them.
 *
 * The session is hostile: its answers are bounded, and may be lies.
 */
export class Looks {
  /** @param run Runs a request in the session. */
  constructor(private run: Session["run"]) {}

  variables(signal?: AbortSignal): Promise<Looked<Variables>> {
    return this.#ask("variables", {}, parseVariables, { signal });
  }

  /** Up to 1,000 files after a path, or fewer if their paths are long. */
  files(after = "", signal?: AbortSignal): Promise<Looked<SessionFiles>> {
    const question = { after, most: MOST_FILES, room: FILES_ROOM };
    return this.#ask("files", question, parseFiles, { signal });
  }

  /** A part of a file, and the size of the whole file. */
  readFile(
    question: { path: string; offset: number; limit: number },
    signal?: AbortSignal,
  ): Promise<Looked<{ size: number; bytes: Uint8Array<ArrayBuffer> }>> {
    const parse = (answer: Json) => parsePart(answer, question);
    return this.#ask("read_file", question, parse, { signal });
  }

  /** Writes files; gives a line for each file that was left out. */
  writeFiles(
    files: RunFile[],
    signal?: AbortSignal,
  ): Promise<Looked<string[]>> {
    const parse = (answer: Json) =>
      maybeList(
        fields(answer).leftOut,
        files.length,
        (line) => maybeText(line, LONGEST_LINE),
      );
    return this.#ask("write_files", {}, parse, { files, signal });
  }

  /** Completes the Python at the end of a text. */
  complete(text: string, signal?: AbortSignal): Promise<Looked<Completions>> {
    const parse = (answer: Json) => parseCompletions(answer, text);
    return this.#ask("complete", { text }, parse, { signal });
  }

  isComplete(
    text: string,
    signal?: AbortSignal,
  ): Promise<Looked<Completeness>> {
    const parse = (answer: Json) => readForm(answer, { state: STATE })?.state;
    return this.#ask("is_complete", { text }, parse, { signal });
  }

  async #ask<T>(
    look: Look,
    question: object,
    parse: (answer: Json) => T | undefined,
    { files, signal }: {
      files?: RunFile[];
      signal?: AbortSignal | undefined;
    },
  ): Promise<Looked<T>> {
    const code = JSON.stringify(question);
    const result = await this.run(
      { look, code, globals: "{}", timeoutMs: LOOK_MS },
      { ...(files ? { files } : {}), ...(signal ? { signal } : {}) },
    );
    if (result.status !== "success") return { failed: result };
    const found = parse(result.returnValue);
    return found === undefined ? { failed: NO_ANSWER } : { found };
  }
}

const NO_ANSWER: Failed = {
  status: "crashed",
  error: "The session's interpreter gave something else than an answer.",
  output: [],
};

function parseVariables(answer: Json): Variables | undefined {
  const { count, variables, modules } = fields(answer);
  const listed = maybeList(variables, MOST_VARIABLES, parseVariable);
  const names = maybeList(modules, MOST_VARIABLES, maybeText);
  return listed && names && isCount(count)
    ? { variables: listed, count, modules: names }
    : undefined;
}

function parseVariable(data: unknown): Variable | undefined {
  const given = fields(data);
  const [name, type, repr] = [given.name, given.type, given.repr]
    .map((text) => maybeText(text));
  if (name === undefined || type === undefined || repr === undefined) return;
  const shape = maybeList(given.shape, MOST_DIMENSIONS, maybeCount);
  return {
    name,
    type,
    ...(isCount(given.size) ? { size: given.size } : {}),
    ...(shape ? { shape } : {}),
    repr,
  };
}

function parseFiles(answer: Json): SessionFiles | undefined {
  const { files, count, hasMore } = fields(answer);
  const listed = maybeList(files, MOST_FILES, parseFile);
  return listed && isCount(count)
    ? { files: listed, count, hasMore: hasMore === true }
    : undefined;
}

function parseFile(data: unknown): SessionFile | undefined {
  const has = { path: is.text, size: is.count };
  const file = readForm(data, has, { modifiedMs: is.number });
  if (!file || !isWorkspacePath(file.path)) return undefined;
  const { path, size, modifiedMs = NaN } = file;
  const modified = new Date(modifiedMs);
  return {
    path,
    size,
    ...(isNaN(+modified) ? {} : { modified: modified.toISOString() }),
  };
}

function parsePart(answer: Json, { limit }: { limit: number }) {
  const part = readForm(answer, { size: is.count, base64: is.text });
  const bytes = part && maybeBase64(part.base64);
  if (bytes && bytes.length <= limit) return { size: part.size, bytes };
}

function parseCompletions(
  answer: Json,
  text: string,
): Completions | undefined {
  const { word, matches } = fields(answer);
  const found = maybeList(
    matches,
    MOST_MATCHES,
    (match) => maybeText(match, LONGEST_LINE),
  );
  return typeof word === "string" && text.endsWith(word) && found
    ? { word, matches: found }
    : undefined;
}

const STATE = is.oneOf("complete", "incomplete", "invalid");

/** A list of up to so many entries; undefined if an entry is not of its form. */
function maybeList<T>(
  data: unknown,
  most: number,
  parse: (entry: unknown) => T | undefined,
): T[] | undefined {
  if (!Array.isArray(data) || data.length > most) return undefined;
  const parsed = data.map((entry) => parse(entry))
    .filter((entry) => entry !== undefined);
  return parsed.length === data.length ? parsed : undefined;
}

function maybeText(data: unknown, most = LONGEST_TEXT): string | undefined {
  return typeof data === "string" ? head(data, most).toWellFormed() : undefined;
}

function maybeCount(data: unknown): number | undefined {
  return isCount(data) ? data : undefined;
}
