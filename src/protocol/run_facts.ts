// Facts that Python or its sandbox process tells at the end of a run, beside the value
// or the error. Each process hands on those that have a row here, from the worker to
// the results of the libraries. Python can tell any of them: the sandbox process
// overrides those that it knows itself.
import { fields, is } from "./fields.ts";

/** Facts about a run; each is absent if it is not known. */
export interface RunFacts {
  /** Python's own, if the code raised an exception or ended itself. */
  exitCode?: number;
  /** Class of the exception, with the module unless that is Python's own or the code's. */
  errorType?: string;
  /** Message of the exception; `error` has the traceback. */
  errorMessage?: string;
}

/** Reads a fact that a hostile guest tells; undefined if it is of another kind. */
type Read<Fact> = (data: unknown) => Fact | undefined;

const FACTS: { [Name in keyof RunFacts]-?: Read<RunFacts[Name]> } = {
  exitCode: (data) => is.number(data) ? data & 0xff : undefined,
  errorType: text(200),
  errorMessage: text(4000),
};

/** The facts in the end of a run, and nothing else of it. */
export function readFacts(data: unknown): RunFacts {
  const told = fields(data);
  return Object.fromEntries(
    Object.entries(FACTS).map(([name, read]) => [name, read(told[name])])
      .filter(([, fact]) => fact !== undefined),
  );
}

function text(longest: number): Read<string> {
  return (data) =>
    is.text(data) ? data.slice(0, longest).toWellFormed() : undefined;
}
