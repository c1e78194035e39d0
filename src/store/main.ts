/**
 * The store of sessions: the process that alone reads and writes the folder of
 * `--session-store`. It does one request after another, and runs no code of a
 * session.
 *
 * @module
 */
import { detailsOf, EXIT, reasonOf } from "../errors.ts";
import { log } from "../log.ts";
import { fields } from "../protocol/fields.ts";
import {
  decodePacket,
  encodePacket,
  readPackets,
} from "../protocol/packets.ts";
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
  const bounds = { line: STORE_LINE, body: 0 };
  for await (const packet of readPackets(Deno.stdin.readable, bounds)) {
    const request = decodePacket(packet);
    const said = { answer: fields(request).ask, ...await answer(request) };
    await stdout.write(encodePacket(said));
  }
} catch (error) {
  log(`mcp-run-python: the store of sessions ends: ${detailsOf(error)}`);
  code = EXIT.failure;
}
await sessions.close();
Deno.exit(code);

async function answer(request: unknown): Promise<FromStore> {
  try {
    return await sessions.obey(parseToStore(request));
  } catch (error) {
    return { type: "failed", reason: reasonOf(error) };
  }
}
