/// <reference lib="dom" />
import { forget, keep, keptNames, maybeKept } from "./kept.ts";
import { type Fields, fieldsOf, listOf } from "./mcp_client.ts";

/** A run as the page shows it, and keeps it over a reload. */
export interface RunRecord {
  /** Counts from 1. */
  number: number;
  code: string;
  /** Whether a next run finds its names. */
  inSession: boolean;
  ms: number;
  lines: readonly PrintedLine[];
  /** Of the server; absent if it gave none. */
  answer?: Fields | undefined;
  /** Why there is no answer. */
  failed?: { status: string; error: string } | undefined;
}

export interface PrintedLine {
  text: string;
  isWarning?: boolean;
}

const START = "run-";
/** Characters of a run, and of all; a browser keeps some 5 million. */
const MOST_OF_RUN = 800_000;
const MOST_OF_ALL = 3_000_000;

/** Keeps a run; older ones give way. */
export function keepRun(record: RunRecord): void {
  const name = `${START}${record.number}`;
  const text = [record, withoutPictures(record), withoutValue(record)]
    .map((some) => JSON.stringify(some))
    .find(({ length }) => length <= MOST_OF_RUN);
  forget(name);
  if (text === undefined) return;
  const others = numbers();
  const lengths = others.map((at) => maybeKept(`${START}${at}`)?.length ?? 0);
  let sum = lengths.reduce((all, one) => all + one, text.length);
  while (sum > MOST_OF_ALL || !keep(name, text)) {
    const oldest = others.shift();
    if (oldest === undefined) return;
    forget(`${START}${oldest}`);
    sum -= lengths.shift() ?? 0;
  }
}

/** The runs that are kept, the oldest first. */
export function keptRuns(): RunRecord[] {
  return numbers().flatMap((at) => {
    try {
      return [parse(at, JSON.parse(maybeKept(`${START}${at}`) ?? ""))];
    } catch {
      return [];
    }
  });
}

export function forgetRun(number: number): void {
  forget(`${START}${number}`);
}

function numbers(): number[] {
  return keptNames(START).map((name) => Number(name.slice(START.length)))
    .filter((at) => Number.isSafeInteger(at) && at > 0).sort((a, b) => a - b);
}

function parse(number: number, data: unknown): RunRecord {
  const { code, inSession, ms, lines, answer, failed } = fieldsOf(data);
  const { status, error } = fieldsOf(failed);
  return {
    ...{ number, code: String(code), ms: Number(ms) },
    inSession: inSession === true,
    lines: listOf(lines).map(({ text, isWarning }) => ({
      text: String(text),
      isWarning: isWarning === true,
    })),
    answer: answer === undefined ? undefined : fieldsOf(answer),
    failed: failed === undefined
      ? undefined
      : { status: String(status), error: String(error) },
  };
}

const LEFT_OUT = "It was too long to keep when the page was loaded again.";

function withoutPictures(record: RunRecord): RunRecord {
  if (record.answer === undefined) return record;
  const content = listOf(record.answer.content)
    .filter(({ type }) => type !== "image" && type !== "resource");
  return { ...record, answer: { ...record.answer, content } };
}

function withoutValue(record: RunRecord): RunRecord {
  const failed = { status: "Not kept", error: LEFT_OUT };
  return { ...record, lines: [], answer: undefined, failed };
}
