/**
 * A bridge: the MCP client of one downstream server, which it starts or reaches. Its
 * first line is the launcher's, with the server's entry; all others come from the
 * server process. It ends with its input, or with the downstream server.
 *
 * @module
 */
import { EXIT } from "../errors.ts";
import { TO_BRIDGE_LINE } from "../protocol/bounds.ts";
import {
  decodeToBridge,
  type FromBridge,
  type ToBridge,
} from "../protocol/bridge_messages.ts";
import { readLines } from "../protocol/lines.ts";
import { readStdin, writeStdout } from "../protocol/standard_streams.ts";
import { leaveSignals } from "../signals.ts";
import { Bridge } from "./bridge.ts";

leaveSignals();
const encoder = new TextEncoder();
const decoder = new TextDecoder();
let said: Promise<void> = Promise.resolve();
let bridge: Bridge | undefined;
for await (const line of readLines(readStdin(), TO_BRIDGE_LINE)) {
  const message: ToBridge = decodeToBridge(decoder.decode(line));
  if (bridge) bridge.take(message);
  else if (message.type === "open") {
    bridge = new Bridge(message, say);
    bridge.ended.then(end);
  } else throw new TypeError(`A bridge was told ${message.type} before open`);
}
await bridge?.close();
await end();

function say(message: FromBridge): void {
  const bytes = encoder.encode(`${JSON.stringify(message)}\n`);
  // Without a broker the input ends, too.
  said = writeStdout(bytes).catch(() => {});
}

async function end(): Promise<never> {
  await said;
  Deno.exit(EXIT.ok);
}
