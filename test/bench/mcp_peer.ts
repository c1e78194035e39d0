import { fileURLToPath } from "node:url";
import { assertEquals } from "../../deps/assert.ts";
import { CACHE, CLI, withConstants } from "../support/command.ts";
import { Peer } from "./peer.ts";

const PROTOCOL_VERSION = "2025-11-25";
const NOOP = fileURLToPath(import.meta.resolve("./noop_server.ts"));

/** An MCP server over stdio, as its client sees it on the wire. */
export class McpPeer extends Peer {
  #requests = 0;
  #waiting = new Map<number, (answer: Answer) => void>();
  #reading: Promise<void> | undefined;

  /** Options that have ours find its cache. */
  static readonly CACHE_ARGS: string[] = ["--cache-dir", CACHE];

  /** Starts the server that is measured, as a client's configuration does. */
  static startOurs(args: string[] = McpPeer.CACHE_ARGS): McpPeer {
    return new McpPeer(withConstants(["-A", CLI, ...args, "stdio"]));
  }

  /** Starts the baseline: a server whose one tool does nothing. */
  static startNoop(): McpPeer {
    return new McpPeer(["-A", NOOP]);
  }

  /** Says hello and waits for the answer. */
  async initialize(version = PROTOCOL_VERSION): Promise<void> {
    const { protocolVersion } = await this.#request("initialize", {
      protocolVersion: version,
      capabilities: {},
      clientInfo: { name: "bench", version: "1" },
    });
    assertEquals(protocolVersion, version);
  }

  /** Says hello, and that its answer was read: a client may then call tools. */
  async connect(version?: string): Promise<void> {
    await this.initialize(version);
    await this.#send({ method: "notifications/initialized" });
  }

  /** Calls a tool and waits for its result. */
  callTool(name: string, args: object): Promise<Record<string, unknown>> {
    return this.#request("tools/call", { name, arguments: args });
  }

  async #request(
    method: string,
    params: object,
  ): Promise<Record<string, unknown>> {
    const id = ++this.#requests;
    const { promise, resolve } = Promise.withResolvers<Answer>();
    this.#waiting.set(id, resolve);
    await this.#send({ id, method, params });
    // One reads for all who wait.
    this.#reading ??= this.#read();
    const { result, error } = await Promise.race([
      promise,
      this.#reading.then(() => promise),
    ]);
    assertEquals(error, undefined);
    return { ...Object(result) };
  }

  async #read(): Promise<void> {
    while (this.#waiting.size > 0) {
      const answer: Answer = { ...Object(JSON.parse(await this.receive())) };
      // A notification: nobody waits for it.
      if ("method" in answer) continue;
      const id = Number(answer.id);
      const resolve = this.#waiting.get(id);
      if (!resolve) throw new Error(`Nothing was asked as ${answer.id}`);
      this.#waiting.delete(id);
      resolve(answer);
    }
    this.#reading = undefined;
  }

  #send(message: object): Promise<void> {
    return this.send(JSON.stringify({ jsonrpc: "2.0", ...message }));
  }
}

type Answer = Record<string, unknown>;
