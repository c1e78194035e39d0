import { EXIT, UserError } from "../../errors.ts";
import { ensureEnvironment } from "../../launcher/installing/install.ts";
import { onInterrupt } from "../../launcher/interrupt.ts";
import { ensureProgram } from "../../launcher/program.ts";
import { openPrepared } from "../../launcher/python.ts";
import { prepare } from "../../launcher/serve.ts";
import { log } from "../../log.ts";
import { ENCODED_CODE, fitsEncoded } from "../../protocol/bounds.ts";
import type { Progress } from "../../protocol/progress.ts";
import type { RunResult } from "../../protocol/run_result.ts";
import { describeImage } from "../../results/result_images.ts";
import type { Settings } from "../../settings.ts";
import type { Source } from "../arguments.ts";
import type { CliContext } from "../context.ts";
import { withProgress } from "../install_progress.ts";
import { nameOf, readSource } from "../source.ts";

/**
 * Runs code once in a sandbox, with the packages that its metadata (PEP 723)
 * names; what it prints goes to this process's own streams as it comes.
 *
 * @returns Python's exit code.
 */
export async function run(
  settings: Settings,
  source: Source,
  context: CliContext,
): Promise<number> {
  const code = await readSource(source);
  if (!fitsEncoded(code, ENCODED_CODE)) {
    throw new UserError(
      `Cannot run ${nameOf(source)} as it has ${code.length} characters, ` +
        `which are more than ${ENCODED_CODE} bytes of JSON: keep data in files.`,
      EXIT.usage,
    );
  }
  const wanted = await withMetadata(settings, code, source, context);
  const prepared = await prepare(wanted, withProgress);
  const encoder = new TextEncoder();
  const writers = {
    stdout: Deno.stdout.writable.getWriter(),
    stderr: Deno.stderr.writable.getWriter(),
  };
  const print = (stream: keyof typeof writers, text: string) =>
    writers[stream].write(encoder.encode(text));
  await using python = openPrepared(prepared, { isShell: true });
  const result = await python.run(code, {
    signal: onInterrupt(),
    onOutput: print,
    // A bar is on stderr already.
    onProgress: (progress) =>
      progress.isDrawn ? undefined : print("stderr", toLine(progress)),
  });
  await print("stderr", describe(result));
  if (result.status === "success") return EXIT.ok;
  if (result.status === "cancelled") return EXIT.interrupted;
  return result.exitCode ?? EXIT.failure;
}

function toLine({ message, progress, total }: Progress): string {
  const counted = [progress, total].filter((number) => number !== undefined)
    .join("/");
  return `${[counted, message].filter((text) => text !== "").join(" ")}\n`;
}

/** The part of a result that a shell shows: pictures in words, and the error. */
function describe(result: RunResult): string {
  const { images = [], status } = result;
  const pictures = images.map((image) => `(picture: ${describeImage(image)})`);
  const error = status === "success" || status === "cancelled"
    ? []
    : [result.error];
  return [...pictures, ...error].map((line) => `${line}\n`).join("");
}

/** Adds to settings what a script asks for, once it is sure to fit. */
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
  const metadata = await script.readMetadata(code, source);
  if (!metadata) return settings;
  const all = script.withDependencies(settings, metadata, source, context);
  const { requiresPython } = metadata;
  if (requiresPython !== undefined) {
    using environment = await withProgress((report) =>
      ensureEnvironment(all, report)
    );
    await script.checkPython(environment.python, requiresPython, source);
  }
  return all;
}
