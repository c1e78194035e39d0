import type { PreloadAnswer } from "../environments/preloader_messages.ts";
import { concat } from "../protocol/lines.ts";
import type { Queue } from "../protocol/queue.ts";
import type { PreloadWanted } from "../environments/installer_messages.ts";
import { parsePreloadAnswer } from "../environments/parse_installer_messages.ts";

const NEWLINE = 10;
/** The ending of a process that said everything. */
const WELL = ".code 0";

export type PreloadResult = PreloadAnswer & { bytes: Uint8Array };

/** Reads a preloader's output: pieces in base64; then a dot, and how the process ended. */
export async function readPreloadResult(
  lines: Queue<string>,
  { modules }: PreloadWanted,
): Promise<PreloadResult> {
  const pieces: Uint8Array[] = [];
  let line = await lines.next();
  for (; !line.startsWith("."); line = await lines.next()) {
    pieces.push(Uint8Array.fromBase64(line));
  }
  const said = concat(pieces);
  const end = said.indexOf(NEWLINE);
  if (end >= 0) {
    const text = new TextDecoder().decode(said.subarray(0, end));
    const answer = parsePreloadAnswer(text);
    // The snapshot may be cut short if the process did not end well.
    if (line === WELL || !answer.index) {
      return { ...answer, bytes: said.subarray(end + 1) };
    }
  }
  const reason = `The process that imports packages ended (${line.slice(1)}).`;
  const broken = modules.map((module) => ({ module, reason }));
  const preloaded = { modules: [], whilePreparing: [], broken };
  return { preloaded, bytes: said };
}
