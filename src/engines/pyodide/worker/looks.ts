import type { PyCallable } from "../../../../deps/pyodide.ts";
import type { RunFile } from "../../../protocol/run_files.ts";
import type { Ending, Look } from "../../../protocol/run_messages.ts";
import type { openWorkspace } from "./workspace.ts";

/** Answers the looks into this interpreter, between its runs. */
export function openLooks(
  lookInside: PyCallable,
  workspace: Pick<ReturnType<typeof openWorkspace>, "list" | "read" | "write">,
) {
  return (look: Look, question: string, files: RunFile[]): Ending => {
    try {
      switch (look) {
        case "files":
          return success(workspace.list(JSON.parse(question)));
        case "read_file":
          return success(workspace.read(JSON.parse(question)));
        case "write_files":
          return success({ leftOut: workspace.write(files) });
        default:
          // Not as a promise: the event loop stands still.
          return toEnding(lookInside(look, question));
      }
    } catch (error) {
      if (!(error instanceof RangeError)) {
        return { status: "crashed", error: `The interpreter died: ${error}` };
      }
      return { status: "run-error", error: error.message, exitCode: 1 };
    }
  };
}

function success(answer: unknown): Ending {
  return { status: "success", value: JSON.stringify(answer) };
}

/** More than an ending has. */
const MOST_FIELDS = 32;

/** The ending that the runner tells; code may have replaced the runner. */
export function toEnding(text: string): Ending {
  const told: unknown[][] = Object.entries(JSON.parse(text))
    .slice(0, MOST_FIELDS).filter(([, value]) => typeof value !== "object");
  return Object.fromEntries(told);
}
