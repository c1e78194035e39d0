/**
 * A server process that only asks the keeper of state, as its client says: a line of
 * JSON for each request with its text, and for its answer.
 *
 * @module
 */
import { parseTrusted } from "../../src/protocol/channel.ts";
import type {
  FromKeeper,
  ToKeeper,
} from "../../src/protocol/keeper_messages.ts";
import { type Answered, Requests } from "../../src/protocol/requests.ts";
import { BrokerLine } from "../../src/server/broker_line.ts";
import { leaveSignals } from "../../src/signals.ts";

if (import.meta.main) {
  leaveSignals();
  const broker = new BrokerLine();
  await broker.settings;
  const requests = new Requests<ToKeeper, FromKeeper>(
    () =>
      broker.spawn(
        "keeper",
        { folder: "state" },
        (message, body) => parseTrusted<Answered<FromKeeper>>(message, body),
      ),
    { what: "the keeper of --state-dir", most: 1 },
  );
  while (true) {
    const line = await broker.nextFromClient();
    if (!(line instanceof Uint8Array)) break;
    const { request, body } = JSON.parse(new TextDecoder().decode(line));
    const given = body === undefined
      ? undefined
      : new TextEncoder().encode(body);
    const answer = await requests.ask(request, given).then(
      ({ answer, body }) => {
        const { answer: _, body: __, ...said } = Object(answer);
        const text = body && new TextDecoder().decode(body);
        return text === undefined ? said : { ...said, text };
      },
      (error) => ({ type: "ended", reason: error.message }),
    );
    await broker.sendToClient(JSON.stringify(answer));
  }
  await broker.end();
}
