import type { Connection, Contract, OpenContract } from "./contract.ts";
import { openFileTools } from "./file_tools.ts";
import { openGetRun } from "./get_run.ts";
import { openSessionTools } from "./session_tools.ts";
import { openRun } from "./run/run.ts";
import { openRunPython } from "./run_python.ts";
import { openRunPythonCode } from "./run_python_code.ts";

/** The own tools of the server. A new tool is a file, and a line here. */
const CONTRACTS: readonly OpenContract[] = [
  openRunPythonCode,
  openRun,
  openGetRun,
  openSessionTools,
  openFileTools,
];

/** The tools of code mode: what others do, its code can do. */
const CODE_MODE: readonly OpenContract[] = [openRunPython, openGetRun];

/** The tools of a server: its own, and others that come and go. */
export class Contracts {
  /** Called after each change. */
  onChanged: () => void = () => {};
  #more = new Set<OpenContract>();

  /** Adds a tool; the result takes it away again. */
  add(open: OpenContract): () => void {
    this.#more.add(open);
    this.onChanged();
    return () => {
      if (this.#more.delete(open)) this.onChanged();
    };
  }

  open(connection: Connection): Contract[] {
    const own = connection.codeMode ? CODE_MODE : CONTRACTS;
    return [...own, ...this.#more].flatMap((open) => open(connection) ?? []);
  }
}
