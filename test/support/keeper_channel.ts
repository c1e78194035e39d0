import { type Channel, type Ended, Queue } from "../../src/protocol/channel.ts";
import type {
  FromKeeper,
  ToKeeper,
} from "../../src/protocol/keeper_messages.ts";
import type { Answered, Asked } from "../../src/protocol/requests.ts";
import { bytesOf } from "./pieces.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** What a keeper answers; it ends with `ended`, and stands still without an answer. */
type Answer = (FromKeeper & { body?: Bytes }) | "ended" | undefined;

/** A way to a keeper that is a function; it answers one request after another. */
export function openKeeperChannel(
  answer: (request: ToKeeper, body?: Bytes) => Answer | Promise<Answer>,
): Channel<Asked<ToKeeper>, Answered<FromKeeper>> {
  const messages = new Queue<Answered<FromKeeper> | Ended>();
  let last: Promise<unknown> = Promise.resolve();
  return {
    messages,
    send({ ask, ...request }, body) {
      last = last.then(async () => {
        const said = await answer(
          request as ToKeeper,
          body && bytesOf(body),
        );
        if (said === "ended") {
          messages.push({ type: "ended", reason: "code 3", code: 3 });
        } else if (said) messages.push({ ...said, answer: ask });
      });
      return Promise.resolve();
    },
    kill() {},
  };
}
