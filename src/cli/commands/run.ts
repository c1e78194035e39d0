import { relative } from "node:path";
import { EXIT, reasonOf, UserError } from "../../errors.ts";
import { ensureEnvironment } from "../../launcher/installing/install.ts";
import { onInterrupt } from "../../launcher/interrupt.ts";
import { ensureProgram } from "../../launcher/program.ts";
import { openPrepared, type PythonOptions } from "../../launcher/python.ts";
import { prepare, type Prepared } from "../../launcher/prepare.ts";
import { log } from "../../log.ts";
import { ENCODED_CODE, fitsEncoded } from "../../protocol/bounds.ts";
import type { ProgramCallOptions } from "../../protocol/program_client.ts";
import type { Stream } from "../../protocol/run_messages.ts";
import type { RunResult } from "../../protocol/run_result.ts";
import { toShown } from "../../results/fields.ts";
import { MergedOutput } from "../../results/merged_output.ts";
import { toLines } from "../../results/output.ts";
import { toStructured } from "../../results/render.ts";
import { TerminalStreams } from "../../results/terminal_streams.ts";
import { describeFile } from "../../results/result_files.ts";
import type { Settings } from "../../settings.ts";
import { cannotRun, type ShellRun, type Source } from "../arguments.ts";
import type { CliContext } from "../context.ts";
import { withProgress } from "../install_progress.ts";
import {
  describeFiles,
  makeFolder,
  saveFiles,
  toFiles,
} from "../shell/files.ts";
import { errorsOf, print, printProgress, toExitCode } from "../shell/output.ts";
import { openShell } from "../shell/shell_calls.ts";

/**
 * Runs code once in a sandbox, with the packages that its metadata (PEP 723)
 * names; what it prints goes to this process's own streams as it comes.
 *
 * @returns Python's exit code.
 */
export async function run(
  settings: Settings,
  order: ShellRun,
  context: CliContext,
): Promise<number> {
  const { source, out } = order;
  const code = await readSource(source);
  if (!fitsEncoded(code, ENCODED_CODE)) {
    throw cannotRun(
      source,
      ` as it has ${code.length} characters, which are more than ${ENCODED_CODE} bytes of JSON: keep data in files.`,
    );
  }
  const wanted = await withMetadata(settings, code, source, context);
  const isJson = settings.returnMode === "json";
  const folder = out === undefined ? undefined : await makeFolder(out);
  const shell = await openShell(order, isJson || order.printsResult);
  const prepared = await prepare(wanted, withProgress);
  const printed = new MergedOutput();
  const terminals = new TerminalStreams();
  const collect = (pieces: [Stream, string][]) => {
    for (const [stream, text] of pieces) printed.take(stream, text);
  };
  const result = await runOnce(prepared, code, {
    shell,
    keptPermissions: [
      ...shell.setup.modules ? ["read"] as const : [],
      ...folder !== undefined ? ["read", "write"] as const : [],
    ],
    onOutput: isJson ? (...piece) => collect(terminals.push(...piece)) : print,
  });
  // The code has ended, and its sandbox with it.
  const files = toFiles(result);
  const { saved, failures } = folder === undefined
    ? { saved: files.map(({ path }) => path), failures: [] }
    : await saveFiles(files, folder);
  const exitCode = toExitCode(result) ||
    (failures.length > 0 ? EXIT.failure : EXIT.ok);
  if (isJson) {
    collect(terminals.finish());
    const output = toLines(`${printed}`);
    const { images: _, pages: __, ...rest } = { ...result, output };
    const object = {
      ...toStructured(rest),
      // deno-lint-ignore camelcase -- as in results for clients
      exit_code: exitCode,
      files: files.map(describeFile),
      ...(failures.length > 0 ? { not_saved: failures } : {}),
    };
    await print("stdout", `${JSON.stringify(object)}\n`);
  } else {
    if (order.printsResult) await print("stdout", toValueText(result));
    const notes = [
      ...errorsOf(result),
      ...failures.map((failure) => `error: ${failure}`),
      ...describeFiles(saved, out && (relative(context.cwd, out) || ".")),
    ];
    await print("stderr", notes.map((line) => `${line}\n`).join(""));
  }
  return exitCode;
}

/** @throws {UserError} If the code cannot be read as UTF-8. */
async function readSource(source: Source): Promise<string> {
  if (source.kind === "code") return source.code;
  const bytes = source.kind === "stdin"
    ? await new Response(Deno.stdin.readable).bytes()
    : await Deno.readFile(source.path).catch((error) => {
      throw new UserError(
        `Cannot read ${source.path}: ${
          reasonOf(error)
        }. Name a file of Python code, or give code by -c.`,
        EXIT.usage,
      );
    });
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw cannotRun(source, " as it is not UTF-8 text; save it as UTF-8.");
  }
}

/** Runs code to its end, and ends all that belongs to the run. */
async function runOnce(
  prepared: Prepared,
  code: string,
  { onOutput, ...options }:
    & PythonOptions
    & Pick<ProgramCallOptions, "onOutput">,
): Promise<RunResult> {
  await using python = openPrepared(prepared, options);
  const { result } = await python.client.run({ type: "run", code }, {
    interrupt: onInterrupt(),
    onOutput,
    onProgress: printProgress,
  });
  return result;
}

function toValueText(result: RunResult): string {
  if (result.status !== "success" || result.returnValue === null) return "";
  return `${toShown(result)}\n`;
}

/** Adds a script's own requirements to settings, once they are sure to fit. */
async function withMetadata(
  settings: Settings,
  code: string,
  source: Source,
  context: CliContext,
): Promise<Settings> {
  // Most code has no metadata, and needs nothing of this.
  if (!code.includes("# /// script")) return settings;
  await ensureProgram(settings.offline, log);
  const script = await import("../script.ts");
  const { wanted, requiresPython } = await script
    .withMetadata(settings, code, source, context);
  if (requiresPython !== undefined) {
    // Python without packages has the version, and is there before an install fails.
    const bare = settings.locked ? wanted : { ...settings, dependencies: [] };
    using environment = await withProgress((report) =>
      ensureEnvironment(bare, report)
    );
    await script.checkPython(environment.python, requiresPython, source);
  }
  return wanted;
}
