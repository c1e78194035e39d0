/**
 * The store of sessions: the process that alone reads and writes the folder of
 * `--session-store`. It does one request after another, and runs no code of a
 * session.
 *
 * @module
 */
import { detailsOf, EXIT, reasonOf } from "../errors.ts";
import { log } from "../log.ts";
import {
  decodeFrame,
  encodeFrame,
  type Frame,
  readPayload,
} from "../protocol/frames.ts";
import { readLines } from "../protocol/lines.ts";
import {
  type FromStore,
  parseToStore,
  STORE_LINE,
} from "../protocol/store_messages.ts";
import { leaveSignals } from "../signals.ts";
import { SessionFolder, type StoreBounds } from "./session_folder.ts";

// Written by the broker, from the user's settings.
const { folder, ...bounds }: { folder: string } & StoreBounds = JSON.parse(
  Deno.args[0] ?? "",
);
leaveSignals();
const sessions = new SessionFolder(folder, bounds);
const stdout = Deno.stdout.writable.getWriter();
let code: number = EXIT.ok;
try {
  for await (const line of readLines(Deno.stdin.readable, STORE_LINE)) {
    const frame = decodeFrame(line);
    await stdout.write(encodeFrame("stored", frame.id, await answer(frame)));
  }
} catch (error) {
  log(`mcp-run-python: the store of sessions ends: ${detailsOf(error)}`);
  code = EXIT.failure;
}
await sessions.close();
Deno.exit(code);

async function answer(frame: Frame): Promise<FromStore> {
  try {
    return await sessions.obey(parseToStore(readPayload(frame)));
  } catch (error) {
    return { type: "failed", reason: reasonOf(error) };
  }
}
