/**
 * The process that alone reads and writes the folder of `--state-dir`: what
 * outlives sessions. It does one request after another, and runs nothing of it.
 *
 * @module
 */
import { detailsOf, EXIT, reasonOf } from "../errors.ts";
import { log, printable } from "../log.ts";
import { fields } from "../protocol/fields.ts";
import {
  decodePacket,
  encodePacket,
  readPackets,
} from "../protocol/packets.ts";
import type { StateBounds } from "../protocol/state_bounds.ts";
import {
  type FromState,
  parseToState,
  STATE_LINE,
} from "../protocol/state_messages.ts";
import { leaveSignals } from "../signals.ts";
import { StateFolder } from "./state_folder.ts";

/** Time that another server may keep the folder to itself. */
const LOCK_MS = 20_000;

// Written by the broker.
const { folder, bounds }: { folder: string; bounds: StateBounds } = JSON.parse(
  Deno.args[0] ?? "",
);
leaveSignals();
const state = new StateFolder(folder, {
  bounds,
  lockMs: LOCK_MS,
  now: Date.now,
  onDamage: (sentence) => log(printable(`warning: ${sentence}`)),
});
const stdout = Deno.stdout.writable.getWriter();
let code: number = EXIT.ok;
try {
  const bounds = { line: STATE_LINE, body: 0 };
  for await (const packet of readPackets(Deno.stdin.readable, bounds)) {
    const request = decodePacket(packet);
    const said = { answer: fields(request).ask, ...await answer(request) };
    await stdout.write(encodePacket(said));
  }
} catch (error) {
  log(`mcp-run-python: the state process ends: ${detailsOf(error)}`);
  code = EXIT.failure;
}
await state.close();
Deno.exit(code);

async function answer(request: unknown): Promise<FromState> {
  try {
    return await state.obey(parseToState(request));
  } catch (error) {
    return { type: "failed", reason: reasonOf(error) };
  }
}
