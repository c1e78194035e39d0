/**
 * A server process that only asks the state process, as its client says: a line of
 * JSON for each `ToState`, and for its answer.
 *
 * @module
 */
import { BrokerLine } from "../../src/server/broker_line.ts";
import { leaveSignals } from "../../src/signals.ts";

if (import.meta.main) {
  leaveSignals();
  const broker = new BrokerLine();
  await broker.settings;
  while (true) {
    const line = await broker.nextFromClient();
    if (!(line instanceof Uint8Array)) break;
    const request = JSON.parse(new TextDecoder().decode(line));
    const answer = await broker.askState(request);
    await broker.sendToClient(JSON.stringify(answer));
  }
  await broker.end();
}
