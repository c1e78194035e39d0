// The messages of a bridge: the process that is the MCP client of one downstream
// server; or that of a component, which answers by itself. The launcher writes the
// first, `open`, and the server all others.
import {
  type DownstreamTool,
  maybeTool,
  type ServerEntry,
} from "./downstream.ts";
import { is, readForm, readMessage } from "./fields.ts";

/** Bridges that the server may have at a time; as many may be about to end. */
export const MOST_BRIDGES = 32;

export interface BridgeLimits {
  /** Time for the downstream server to start and to introduce itself. */
  startMs: number;
  /** Characters of JSON that a result, or a list of tools, may have. */
  maxResult: number;
}

/** To a bridge. */
export type ToBridge =
  | {
    type: "open";
    entry: ServerEntry;
    limits: BridgeLimits;
    /** The folder in which a component's process keeps what it has made of its file. */
    slot?: string;
  }
  | { type: "list"; id: number }
  | {
    type: "call";
    id: number;
    tool: string;
    /** An object, as JSON text. */
    arguments: string;
    timeoutMs: number;
    /** The caller whose instance of a component answers, if it keeps some. */
    owner?: string;
  }
  /** For components that have more than tools; answered as a call. */
  | {
    type: "ask";
    id: number;
    method: AskMethod;
    /** Of the method in MCP, as JSON text. */
    params: string;
    timeoutMs: number;
    owner?: string;
  }
  /** A notification of the client, for the instance of a component that it has. */
  | { type: "notify"; name: string; params?: string; owner?: string }
  /** The answer is not wanted any more. */
  | { type: "cancel"; id: number };

/** From a bridge; each `list` and `call` is answered once. */
export type FromBridge =
  | {
    type: "tools";
    id: number;
    server: Introduction;
    tools: DownstreamTool[];
    /** What a component has beside tools. */
    offers?: Offer[];
  }
  /** The whole result in MCP, as JSON text: data of a server that may lie. */
  | { type: "result"; id: number; result: string }
  | { type: "failed"; id: number; kind: FailureKind; reason: string }
  /** The downstream server says that its tools have changed. */
  | { type: "changed" }
  /** It ends now: a new one has to answer what is not answered. */
  | { type: "ending"; reason: string };

/** What a component may have beside tools. */
export type Offer = "prompts" | "resources";

/** What a component may be asked for beside calls. */
export type AskMethod = "prompts/list" | "resources/list" | "resources/read";

/** The ways a call can fail without a result. */
export type FailureKind =
  /** The server could not be started or reached, or it has ended. */
  | "connection"
  | "timeout"
  /** The server refused the request: its JSON-RPC error. */
  | "protocol"
  /** The result is larger than it may be. */
  | "size";

/** A downstream server, in its own words. */
export interface Introduction {
  name: string;
  version: string;
  instructions?: string;
}

/** Reads without checks: launcher and server are trusted. */
export function decodeToBridge(text: string): ToBridge {
  return JSON.parse(text);
}

const FORMS = {
  tools: { id: is.count, server: is.any, tools: is.list, offers: is.any },
  result: { id: is.count, result: is.text },
  failed: {
    id: is.count,
    kind: is.oneOf<FailureKind>("connection", "timeout", "protocol", "size"),
    reason: is.text,
  },
  changed: {},
  ending: { reason: is.text },
};
const OFFERS: readonly Offer[] = ["prompts", "resources"];
const INTRODUCTION = { name: is.text, version: is.text, instructions: is.text };

/** Undefined if the data is outside this protocol. */
export function parseFromBridge(data: unknown): FromBridge | undefined {
  const message = readMessage(data, FORMS);
  if (message?.type !== "tools") return message;
  const { id, server, tools, offers } = message;
  const said = readForm(server, {}, INTRODUCTION);
  const offered = OFFERS.filter((one) =>
    Array.isArray(offers) && offers.includes(one)
  );
  return {
    type: "tools",
    id,
    server: { name: "", version: "", ...said },
    tools: tools.flatMap((tool) => maybeTool(tool) ?? []),
    ...(offered.length > 0 ? { offers: offered } : {}),
  };
}
