import {
  Client,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
} from "../../deps/mcp_client_core.ts";
import type { BridgeLimits } from "../protocol/bridge_messages.ts";
import { type ServerEntry, unknownTransport } from "../protocol/downstream.ts";
import { VERSION } from "../version.ts";
import { type Failure, toFailure } from "./failures.ts";
import { openHttp } from "./http_link.ts";
import type { Link } from "./link.ts";
import { masksOf } from "../protocol/masks.ts";
import { openProcess } from "./process_link.ts";

/** A client of a downstream server. */
export interface Connection {
  /** Resolves once the server has introduced itself. */
  client: Promise<Client>;
  /** Resolves once the server is gone, or could not be started or reached. */
  ended: Promise<void>;
  /** The failure of an error of the client, without secrets of the entry. */
  explain(error: unknown): Promise<Failure>;
  close(): Promise<void>;
}

/** Characters of an error, and of a server's last printed lines. */
const MOST_REASON = 2000;
const MOST_WORDS = 4096;

/** Starts or reaches a downstream server; offers it nothing but calls. */
export function connect(
  entry: ServerEntry,
  { limits, onChanged }: { limits: BridgeLimits; onChanged(): void },
): Connection {
  const mask = masksOf(entry);
  const deadline = Date.now() + limits.startMs;
  const ended = Promise.withResolvers<void>();
  let link: Link;
  let isConnected = false;
  const client = start();
  client.then(() => {
    isConnected = true;
    link.ended.then(() => ended.resolve());
  }, async () => {
    await link?.close();
    ended.resolve();
  });
  return {
    client,
    ended: ended.promise,
    explain,
    async close() {
      await link.close();
    },
  };

  async function start(): Promise<Client> {
    link = openLink(entry, limits);
    if (!link.isOlderFirst) return await open("auto");
    try {
      return await open("legacy");
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      await link.close();
      link = openLink(entry, limits);
      return await open("auto");
    }
  }

  async function open(mode: "legacy" | "auto"): Promise<Client> {
    const tools = { autoRefresh: false, debounceMs: 50, onChanged };
    const client = new Client({ name: "mcp-run-python", version: VERSION }, {
      versionNegotiation: { mode },
      inputRequired: { autoFulfill: false },
      listChanged: { tools },
    });
    const timeout = Math.max(1, deadline - Date.now());
    await client.connect(link.transport, { timeout });
    return client;
  }

  async function explain(error: unknown): Promise<Failure> {
    const { kind, reason } = toFailure(error);
    const isLate = !isConnected && isTimeout(error);
    const isRefused = !isConnected && error instanceof SdkHttpError;
    if (kind !== "connection" && !isLate && !isRefused) {
      return { kind, reason: mask(reason).slice(0, MOST_REASON) };
    }
    const cause = isLate
      ? `it did not introduce itself within ${
        limits.startMs / 1000
      } s; if it needs longer, as a first download by npx or uvx may, run its command once by hand`
      : await link.causeOf(reason);
    const words = mask(link.lastWords()).slice(-MOST_WORDS);
    return {
      kind: "connection",
      reason: mask(cause).slice(0, MOST_REASON) +
        (words && `. It printed: ${words}`),
    };
  }
}

function openLink(entry: ServerEntry, limits: BridgeLimits): Link {
  switch (entry.transport) {
    case "stdio":
      return openProcess(entry, limits);
    case "http":
      return openHttp(entry, limits);
    case "wasm":
      throw new TypeError("A component has a process of its own, not a bridge");
    default:
      return unknownTransport(entry);
  }
}

function isTimeout(error: unknown): boolean {
  return error instanceof SdkError &&
    error.code === SdkErrorCode.RequestTimeout;
}
