import { messageOf } from "../../src/errors.ts";
import { type Child, startChild, toEnded } from "../../src/launcher/child.ts";
import type { Kind } from "../../src/launcher/kinds.ts";
import {
  type Channel,
  type Ended,
  type Parse,
  parsePacket,
  Queue,
} from "../../src/protocol/channel.ts";
import { encodePacket } from "../../src/protocol/packets.ts";
import { bytesOf } from "./pieces.ts";

/** A channel to a process of one's own, without a broker in between. */
export function openChannel<Out, In>(
  kind: Kind,
  spec: unknown,
  parse: Parse<In>,
): Channel<Out, In> & { ended: Promise<unknown> } {
  const messages = new Queue<In | Ended>();
  let child: Child | undefined;
  try {
    child = startChild(kind, spec, (packet) => {
      messages.push(parsePacket(packet, parse));
      return Promise.resolve();
    });
    child.ended.then((status) =>
      messages.push({ type: "ended", ...toEnded(status) })
    );
  } catch (error) {
    messages.push({ type: "ended", reason: messageOf(error) });
  }
  return {
    messages,
    send(message, body) {
      child?.send(...encodePacket(message, body && bytesOf(body)));
      return Promise.resolve();
    },
    kill: () => child?.kill(),
    ended: Promise.resolve(child?.ended),
  };
}
