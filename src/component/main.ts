/**
 * The process of one component, in the place of a bridge: it answers the server's
 * requests by itself. Its first line is a token, which stands before each line that it
 * writes: a component may write to the real stdout. The next is the launcher's, with
 * the component's entry; all others come from the server process.
 *
 * @module
 */
import { EXIT } from "../errors.ts";
import { TO_BRIDGE_LINE } from "../protocol/bounds.ts";
import {
  decodeToBridge,
  type FromBridge,
} from "../protocol/bridge_messages.ts";
import { readLines } from "../protocol/lines.ts";
import { readStdin, writeStdout } from "../protocol/standard_streams.ts";
import { leaveSignals } from "../signals.ts";
import { ComponentHost } from "./component_host.ts";

/** Time for the last words to be read. */
const LAST_WORDS_MS = 5000;

leaveSignals();
const encoder = new TextEncoder();
const decoder = new TextDecoder();
let token: string | undefined;
let said: Promise<void> = Promise.resolve();
let host: ComponentHost | undefined;
for await (const line of readLines(readStdin(), TO_BRIDGE_LINE)) {
  const text = decoder.decode(line);
  if (token === undefined) {
    token = text;
    continue;
  }
  const message = decodeToBridge(text);
  if (host) host.take(message);
  else if (message.type === "open") {
    host = new ComponentHost(message, { say, end });
  } else {throw new TypeError(
      `A component was told ${message.type} before open`,
    );}
}
await end();

function say(message: FromBridge): void {
  const bytes = encoder.encode(`${token}${JSON.stringify(message)}\n`);
  // Without a broker the input ends, too.
  said = writeStdout(bytes).catch(() => {});
}

async function end(): Promise<never> {
  // The component may go on, even if no process reads this one.
  setTimeout(() => Deno.exit(EXIT.failure), LAST_WORDS_MS);
  await said;
  Deno.exit(EXIT.ok);
}
