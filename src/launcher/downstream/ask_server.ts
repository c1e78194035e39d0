import {
  type BridgeLimits,
  type FromBridge,
  type Introduction,
  parseFromBridge,
  type ToBridge,
} from "../../protocol/bridge_messages.ts";
import {
  type DownstreamTool,
  isComponent,
  type ServerEntry,
} from "../../protocol/downstream.ts";
import { parsePacket } from "../../protocol/channel.ts";
import { encodePacket } from "../../protocol/packets.ts";
import { startChild } from "../child.ts";
import { bridgeKind, componentKind } from "../kinds.ts";
import { howEnded } from "../spawn.ts";
import type { ComponentPlace } from "../components/start_component.ts";
import { startServerOf } from "./start_bridge.ts";

/** A downstream server's own words, and its tools. */
export interface ServerTools {
  server: Introduction;
  tools: DownstreamTool[];
}

/**
 * Starts or reaches a downstream server once, by a process of its own, for its tools.
 *
 * @throws {Error} If it fails; the message has the end of the server's stderr.
 */
export async function askTools(
  entry: ServerEntry,
  limits: BridgeLimits,
  place: ComponentPlace,
): Promise<ServerTools> {
  const said = await askServer(entry, { type: "list", id: 1 }, limits, place);
  if (said.type === "tools") return said;
  throw new TypeError("It sent no tools");
}

type Answer = Extract<FromBridge, { type: "tools" | "result" }>;

/**
 * The same for any request, which is answered.
 *
 * @throws {Error} If it fails.
 */
export async function askServer(
  entry: ServerEntry,
  request: ToBridge & { id: number },
  limits: BridgeLimits,
  place: ComponentPlace,
): Promise<Answer> {
  const answer = Promise.withResolvers<Answer>();
  const start = () => startServerOf(entry, limits, place);
  const kind = isComponent(entry)
    ? componentKind({ start })
    : bridgeKind({ start });
  const child = startChild(kind, {}, (packet) => {
    const said = parsePacket(packet, parseFromBridge);
    if (said?.type === "failed") answer.reject(new Error(said.reason));
    else if (said && "id" in said) answer.resolve(said);
    return Promise.resolve();
  });
  child.ended.then((status) =>
    answer.reject(new Error(`its process has ended (${howEnded(status)})`))
  );
  child.send(...encodePacket(request));
  try {
    return await answer.promise;
  } finally {
    child.kill();
    await child.ended;
  }
}
