import type {
  BridgeLimits,
  FromBridge,
  ToBridge,
} from "../protocol/bridge_messages.ts";
import type { DownstreamTool } from "../protocol/downstream.ts";
import { dataMasksOf } from "../protocol/masks.ts";
import { callTool, listTools } from "./tools.ts";
import { connect, type Connection } from "./connect.ts";

/** Answers the server process's requests to one downstream server. */
export class Bridge {
  /** Resolves once the downstream server is gone, and all is answered. */
  readonly ended: Promise<void>;
  #limits: BridgeLimits;
  /** Covers the secrets of the entry in data of the server. */
  #cover: <T>(data: T) => T;
  #say: (message: FromBridge) => void;
  #connection: Connection;
  #open = new Map<number, AbortController>();
  #answers = new Set<Promise<void>>();
  #tools = new Map<string, DownstreamTool>();

  constructor(
    { entry, limits }: Omit<ToBridge & { type: "open" }, "type">,
    say: (message: FromBridge) => void,
  ) {
    this.#limits = limits;
    this.#cover = dataMasksOf(entry);
    this.#say = say;
    this.#connection = connect(entry, {
      limits,
      onChanged: () => say({ type: "changed" }),
    });
    this.ended = this.#connection.ended.then(async () => {
      await Promise.all(this.#answers);
    });
  }

  take(message: ToBridge): void {
    switch (message.type) {
      case "list":
        return this.#answer(message.id, (signal) => this.#list(signal));
      case "call":
        return this.#answer(message.id, async (signal) => {
          const result = await callTool(await this.#connection.client, {
            ...message,
            tool: this.#tools.get(message.tool) ?? message.tool,
            maxResult: this.#limits.maxResult,
            cover: this.#cover,
            signal,
          });
          return { type: "result", result };
        });
      case "cancel":
        this.#open.get(message.id)?.abort(new Error("it was cancelled"));
    }
  }

  async close(): Promise<void> {
    await this.#connection.close();
  }

  async #list(signal: AbortSignal) {
    const client = await this.#connection.client;
    const { startMs: timeoutMs, maxResult } = this.#limits;
    const tools = await listTools(client, { maxResult, signal, timeoutMs });
    this.#tools = new Map(tools.map((tool) => [tool.name, tool]));
    // A secret that is cut would not be covered.
    const said = this.#cover({
      ...{ name: "", version: "", ...client.getServerVersion() },
      instructions: client.getInstructions(),
    });
    const instructions = said.instructions?.slice(0, MOST_INSTRUCTIONS);
    const server = {
      name: said.name.slice(0, MOST_INTRODUCTION),
      version: said.version.slice(0, MOST_INTRODUCTION),
      ...(instructions === undefined ? {} : { instructions }),
    };
    return { type: "tools", server, tools: this.#cover(tools) } as const;
  }

  #answer(
    id: number,
    work: (signal: AbortSignal) => Promise<Answer>,
  ): void {
    const stop = new AbortController();
    this.#open.set(id, stop);
    const answered = work(stop.signal).then(
      (answer) => this.#say({ ...answer, id }),
      async (error) => {
        const failure = await this.#connection.explain(error);
        this.#say({ type: "failed", id, ...failure });
      },
    ).finally(() => {
      this.#open.delete(id);
      this.#answers.delete(answered);
    });
    this.#answers.add(answered);
  }
}

type Answer =
  | Omit<FromBridge & { type: "tools" }, "id">
  | Omit<FromBridge & { type: "result" }, "id">;

/** Characters of a name and of a version. */
const MOST_INTRODUCTION = 256;
const MOST_INSTRUCTIONS = 16_384;
