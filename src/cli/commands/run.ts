import { EXIT, UserError } from "../../errors.ts";
import { ensureEnvironment } from "../../launcher/installing/install.ts";
import { ensureProgram } from "../../launcher/program.ts";
import { log } from "../../log.ts";
import { ENCODED_CODE, fitsEncoded } from "../../protocol/bounds.ts";
import { type Frame, readPayload } from "../../protocol/frames.ts";
import type { Settings } from "../../settings.ts";
import type { Source } from "../arguments.ts";
import type { CliContext } from "../context.ts";
import { withProgress } from "../install_progress.ts";
import { serve } from "../../launcher/serve.ts";
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
      `Cannot run ${
        nameOf(source)
      } as it has ${code.length} characters, which are more than ${ENCODED_CODE} bytes of JSON: keep data in files.`,
      EXIT.usage,
    );
  }
  const prepared = await prepare(settings, code, source, context);
  const encoder = new TextEncoder();
  const writers = {
    stdout: Deno.stdout.writable.getWriter(),
    stderr: Deno.stderr.writable.getWriter(),
  };
  let exitCode: number | undefined;
  await serve(prepared, {
    run: { code, maxOutput: null },
    onFrame,
    showInstall: withProgress,
  });
  if (exitCode !== undefined) return exitCode;
  throw new UserError("The server process ended before the code did.");

  // Not all at once: Ctrl-C is heard while a reader keeps this waiting.
  async function onFrame(frame: Frame): Promise<void> {
    const payload = readPayload(frame);
    if (frame.kind === "exit") exitCode = Number(payload);
    else if (frame.kind === "print" && Array.isArray(payload)) {
      const [stream, text] = payload;
      const writer = writers[stream === "stderr" ? "stderr" : "stdout"];
      await writer.write(encoder.encode(String(text)));
    }
  }
}

/** The settings with what the script asks for, once it is sure to fit. */
async function prepare(
  settings: Settings,
  code: string,
  source: Source,
  context: CliContext,
): Promise<Settings> {
  // Most code has no metadata, and needs nothing of this.
  if (!code.includes("# /// script")) return settings;
  await ensureProgram(settings.offline, log);
  const { checkPython, readMetadata, withDependencies } = await import(
    "../script.ts"
  );
  const metadata = await readMetadata(code, source);
  if (!metadata) return settings;
  const all = withDependencies(settings, metadata, source, context);
  if (metadata.requiresPython !== undefined) {
    using environment = await withProgress((report) =>
      ensureEnvironment(all, report)
    );
    const { python } = environment;
    await checkPython(python, metadata.requiresPython, source);
  }
  return all;
}
