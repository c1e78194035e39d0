/**
 * A keeper: the process that alone reads and writes a folder of values, saved
 * sessions or what outlives sessions of code mode. It does one request after another,
 * and runs nothing of it.
 *
 * @module
 */
import { detailsOf, EXIT, reasonOf } from "../errors.ts";
import { log, writeAll } from "../log.ts";
import { fields } from "../protocol/fields.ts";
import {
  KEEPER_BODY,
  KEEPER_LINE,
  type KeeperBounds,
  parseToKeeper,
} from "../protocol/keeper_messages.ts";
import {
  decodePacket,
  encodePacket,
  type Packet,
  readPackets,
} from "../protocol/packets.ts";
import { readStdinAlone } from "../protocol/standard_streams.ts";
import { leaveSignals } from "../signals.ts";
import { type Answer, KeeperFolder } from "./keeper_folder.ts";

/** Time that another server may keep the folder to itself. */
const LOCK_MS = 20_000;

// Written by the broker.
const { folder, bounds }: { folder: string; bounds: KeeperBounds } = JSON.parse(
  Deno.args[0] ?? "",
);
leaveSignals();
const keeper = new KeeperFolder(folder, {
  bounds,
  lockMs: LOCK_MS,
  now: Date.now,
  onDamage: (sentence) => log(`warning: ${sentence}`),
});
const most = { line: KEEPER_LINE, body: KEEPER_BODY };
let code: number = EXIT.ok;
try {
  for await (const packet of readPackets(readStdinAlone(), most)) {
    const message = decodePacket(packet);
    const { body, ...said } = await answer(message, packet);
    const { ask } = fields(message);
    for (const piece of encodePacket({ ...said, answer: ask }, body)) {
      writeAll(Deno.stdout, piece);
    }
  }
} catch (error) {
  log(`mcp-run-python: a keeper ends: ${detailsOf(error)}`);
  code = EXIT.failure;
}
await keeper.close();
Deno.exit(code);

async function answer(message: unknown, { body }: Packet): Promise<Answer> {
  try {
    return await keeper.obey(parseToKeeper(message, body), body);
  } catch (error) {
    return { type: "failed", reason: reasonOf(error) };
  }
}
