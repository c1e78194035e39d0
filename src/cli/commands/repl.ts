import { relative } from "node:path";
import { EXIT } from "../../errors.ts";
import { prepare } from "../../launcher/prepare.ts";
import { openPrepared, type ShellSide } from "../../launcher/python.ts";
import type { Environment } from "../../environments/environment.ts";
import { log } from "../../log.ts";
import type { ShellLook } from "../../protocol/pipe_messages.ts";
import type { Json, RunResult } from "../../protocol/run_result.ts";
import type { Settings } from "../../settings.ts";
import type { PromptOrder } from "../arguments.ts";
import type { CliContext } from "../context.ts";
import { withProgress } from "../install_progress.ts";
import {
  describeFiles,
  makeFolder,
  saveFiles,
  toFiles,
} from "../shell/files.ts";
import { History } from "../shell/history.ts";
import {
  LineEditor,
  type LineReader,
  PipeReader,
} from "../shell/line_editor.ts";
import {
  errorsOf,
  print,
  printProgress,
  takeLastLine,
  toExitCode,
} from "../shell/output.ts";
import { shellCalls } from "../shell/shell_calls.ts";
import { SharedInput } from "../shell/shared_input.ts";

/**
 * Opens a Python prompt in a sandbox, whose state lasts from line to line; reads
 * the lines of standard input if that is not a terminal.
 *
 * @returns The exit code that the code asks for, or 0 at the end of the input.
 */
export async function repl(
  settings: Settings,
  { out, history: path }: PromptOrder,
  { cwd }: CliContext,
): Promise<number> {
  const isTerminal = Deno.stdin.isTerminal();
  const input = new SharedInput(Deno.stdin, isTerminal);
  const folder = await makeFolder(out ?? cwd);
  using history = new History(isTerminal ? path : undefined);
  const prepared = await prepare(settings, withProgress);
  await using python = openPrepared(prepared, {
    shell: toShell(input, isTerminal),
    keptPermissions: ["read", "write"],
  });
  const interrupts = listen(isTerminal);
  const { client } = python;
  let session = client.number();
  const look = async (look: ShellLook, text: string) => {
    const { result } = await client.run({ type: "look", session, look, text });
    return result.status === "success" ? result.returnValue : undefined;
  };
  const reader = isTerminal
    ? new LineEditor(input, history, (text) => look("complete", text))
    : new PipeReader(input);
  if (isTerminal) log(describe(prepared.environment));
  while (true) {
    const code = await readCode(reader, (text) => look("is_complete", text));
    if (code === undefined) return EXIT.ok;
    const { result, isLost } = await client.run(
      { type: "run", code, session },
      {
        ...interrupts.next(),
        onOutput: print,
        onProgress: printProgress,
      },
    );
    interrupts.end();
    const isExit = result.status === "run-error" && result.error === "";
    const notes = [
      ...result.status === "cancelled" ? ["KeyboardInterrupt"] : [],
      ...errorsOf(result),
      ...await save(result, folder, {
        keepsFiles: out !== undefined,
        shown: relative(cwd, folder) || "this folder",
      }),
    ];
    if (isLost && !isExit) {
      notes.push(
        "The interpreter has ended: all variables and files are gone.",
      );
      await client.call({ type: "close", session });
      session = client.number();
    }
    await print("stderr", notes.map((line) => `${line}\n`).join(""));
    if (isExit) return toExitCode(result);
  }
}

function toShell(input: SharedInput, isTerminal: boolean): ShellSide {
  return {
    setup: { argv: [""], isPrompt: true, maxValue: null, isTerminal },
    answer: shellCalls({
      async readInput(most) {
        const bytes = await input.take(most);
        // The terminal has shown the end of the line.
        if (bytes !== null) takeLastLine();
        return bytes ?? new Uint8Array();
      },
    }),
  };
}

/** A line about this Python. */
function describe({ python, packages }: Environment): string {
  const named = packages.slice(0, 5).map(({ name, version }) =>
    `${name} ${version}`
  );
  const more = packages.length - named.length;
  const list = [...named, ...more > 0 ? [`${more} more`] : []].join(", ");
  const included = list === "" ? "" : ` with ${list}`;
  return `Python ${python} in a sandbox${included}. exit() or Ctrl-D ends it.`;
}

/** Reads lines that are a whole piece of code; undefined at the end. */
async function readCode(
  reader: LineReader,
  judge: (code: string) => Promise<Json | undefined>,
): Promise<string | undefined> {
  let lines: string[] = [];
  while (true) {
    const typed = await reader.ask(lines.length === 0 ? ">>> " : "... ");
    if (typed === "interrupted") {
      lines = [];
      continue;
    }
    if (typed === "ended") {
      return lines.length === 0 ? undefined : `${lines.join("\n")}\n`;
    }
    if (lines.length === 0 && typed.line.trim() === "") continue;
    lines.push(typed.line);
    const code = lines.join("\n");
    if (await judge(code) !== "incomplete") return code;
  }
}

/**
 * Listens to Ctrl-C: the first raises KeyboardInterrupt in the code that runs,
 * the next ends its run.
 */
function listen(isTerminal: boolean) {
  let stops: AbortController[] = [];
  Deno.addSignalListener("SIGINT", () => {
    const stop = stops.find(({ signal }) => !signal.aborted);
    if (stop) stop.abort();
    else if (!isTerminal) Deno.exit(EXIT.interrupted);
  });
  return {
    next() {
      const [interrupt, cancel] = [
        new AbortController(),
        new AbortController(),
      ];
      stops = [interrupt, cancel];
      return { interrupt: interrupt.signal, signal: cancel.signal };
    },
    end: () => stops = [],
  };
}

/** Saves pictures, and files if they are kept; gives lines about them. */
async function save(
  result: RunResult,
  folder: string,
  { keepsFiles, shown }: { keepsFiles: boolean; shown: string },
): Promise<string[]> {
  const files = toFiles(
    { ...result, ...keepsFiles ? {} : { written: [] } },
    folder,
  );
  const { saved, failures } = await saveFiles(files, folder);
  return [
    ...failures.map((failure) => `error: ${failure}`),
    ...describeFiles(saved, shown),
  ];
}
