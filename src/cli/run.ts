import { EXIT, reasonOf, UserError } from "../errors.ts";
import { writeAll } from "../log.ts";
import { type Frame, readPayload } from "../protocol/frames.ts";
import type { Settings } from "../settings.ts";
import type { Source } from "./arguments.ts";
import { serve } from "./serve.ts";

/**
 * Runs code once in a sandbox; what it prints goes to this process's own
 * streams as it comes.
 *
 * @returns Python's exit code.
 */
export async function run(settings: Settings, source: Source): Promise<number> {
  const code = await readSource(source);
  const encoder = new TextEncoder();
  let exitCode: number | undefined;
  await serve(settings, { run: { code, maxOutput: null }, onFrame });
  if (exitCode !== undefined) return exitCode;
  throw new UserError("The server process ended before the code did.");

  function onFrame(frame: Frame): void {
    const payload = readPayload(frame);
    if (frame.kind === "exit") exitCode = Number(payload);
    else if (frame.kind === "print" && Array.isArray(payload)) {
      const [stream, text] = payload;
      writeAll(
        stream === "stderr" ? Deno.stderr : Deno.stdout,
        encoder.encode(String(text)),
      );
    }
  }
}

async function readSource(source: Source): Promise<string> {
  switch (source.kind) {
    case "code":
      return source.code;
    case "stdin":
      return decode(
        await new Response(Deno.stdin.readable).bytes(),
        "standard input",
      );
    case "file":
      return decode(await read(source.path), source.path);
  }
}

async function read(path: string): Promise<Uint8Array> {
  try {
    return await Deno.readFile(path);
  } catch (error) {
    throw new UserError(
      `Cannot read ${path}: ${reasonOf(error)}. Name a file of Python code.`,
      EXIT.usage,
    );
  }
}

function decode(bytes: Uint8Array, from: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new UserError(
      `Cannot run ${from} as it is not UTF-8 text; save it as UTF-8.`,
      EXIT.usage,
    );
  }
}
