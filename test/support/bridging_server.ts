/**
 * A server process that does nothing but call downstream servers, as its client says:
 * a line of JSON for each `HubOrder`, and for its answer.
 *
 * @module
 */
import { BrokerLine } from "../../src/server/broker_line.ts";
import { DownstreamHub } from "../../src/server/code_mode/downstream_hub.ts";
import { leaveSignals } from "../../src/signals.ts";

/** What the client may order. */
export type HubOrder =
  | { do: "servers" }
  | { do: "tools"; name: string }
  | {
    do: "call";
    name: string;
    tool: string;
    args?: unknown;
    timeoutMs?: number;
  };

if (import.meta.main) {
  leaveSignals();
  const broker = new BrokerLine();
  const { startTimeoutSeconds } = await broker.settings;
  const hub = new DownstreamHub(broker, { startTimeoutSeconds });
  await hub.servers();

  const obey = async (order: HubOrder): Promise<unknown> => {
    switch (order.do) {
      case "servers":
        return await hub.servers();
      case "tools":
        return (await hub.tools(order.name)).map(({ name }) => name);
      case "call": {
        const { name, tool, args = {}, timeoutMs = 120_000 } = order;
        const signal = new AbortController().signal;
        return JSON.parse(
          await hub.call(name, tool, JSON.stringify(args), {
            ...{ signal, timeoutMs },
          }),
        );
      }
    }
  };

  while (true) {
    const line = await broker.nextFromClient();
    if (!(line instanceof Uint8Array)) break;
    const order = JSON.parse(new TextDecoder().decode(line));
    const answer = await obey(order).catch(String);
    await broker.sendToClient(JSON.stringify(answer));
  }
  await broker.end();
}
