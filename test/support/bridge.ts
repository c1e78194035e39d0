import {
  type FromBridge,
  parseFromBridge,
  type ToBridge,
} from "../../src/protocol/bridge_messages.ts";
import type { ServerEntry } from "../../src/protocol/downstream.ts";
import { bridgeKind } from "../../src/launcher/kinds.ts";
import { startBridge } from "../../src/launcher/downstream/start_bridge.ts";
import { type ConfiguredServer, toEntry } from "./downstream_servers.ts";
import { openChannel } from "./open_channel.ts";

type Request = ToBridge extends infer Any
  ? Any extends { type: "list" | "call" } ? Omit<Any, "id"> : never
  : never;
type Answer = Exclude<FromBridge, { type: "changed" | "ending" }>;

/** A real bridge, started and connected as the launcher does it. */
export interface TestBridge extends AsyncDisposable {
  /** The shell around it, or the bridge itself. */
  pid: number;
  /** Asks, and waits for the answer. */
  ask(request: Request): Promise<Answer>;
  /** Asks without waiting; `cancel()` takes it back. */
  open(request: Request): { answer: Promise<Answer>; cancel(): void };
  /** Calls a tool; gives the text of its result, or the failure. */
  call(tool: string, args?: unknown, timeoutMs?: number): Promise<unknown>;
  /** Resolves with the next time that the tools have changed. */
  changed: Promise<void>;
  kill(): void;
  /** How the broker tells of its end. */
  ended: Promise<unknown>;
}

/** Longer than any test waits. */
const LONG_MS = 120_000;

export function openBridge(
  server: ConfiguredServer | ServerEntry,
  { startMs = LONG_MS, maxResult = 1 << 20 } = {},
): TestBridge {
  const entry = "transport" in server ? server : toEntry("test", server);
  const started = startBridge(entry, { startMs, maxResult });
  const open = new Map<number, PromiseWithResolvers<Answer>>();
  const ended = Promise.withResolvers<unknown>();
  const changed = Promise.withResolvers<void>();
  let count = 0;
  const bridge = openChannel<ToBridge, FromBridge | undefined>(
    ...[bridgeKind({ start: () => started }), {}, parseFromBridge] as const,
  );
  const follow = async () => {
    while (true) {
      const message = await bridge.messages.next();
      if (!message) throw new Error("A bridge wrote outside its protocol");
      if (message.type === "ended") {
        ended.resolve(`its bridge has ended (${message.reason})`);
        for (const { reject } of open.values()) reject(new Error("it ended"));
        return;
      }
      if (message.type === "changed") changed.resolve();
      else if ("id" in message) {
        const request = open.get(message.id);
        if (!request) throw new Error(`There was no request ${message.id}`);
        open.delete(message.id);
        request.resolve(message);
      }
    }
  };
  follow();
  const send = (message: ToBridge) => bridge.send(message);
  const ask = (request: Request) => {
    const id = ++count;
    const answer = Promise.withResolvers<Answer>();
    answer.promise.catch(() => {});
    open.set(id, answer);
    send({ ...request, id });
    return {
      answer: answer.promise,
      cancel: () => send({ type: "cancel", id }),
    };
  };
  return {
    pid: started.process.pid,
    ask: (request) => ask(request).answer,
    open: ask,
    async call(tool, args = {}, timeoutMs = LONG_MS) {
      const answer = await ask({
        ...{ type: "call", tool, timeoutMs },
        arguments: JSON.stringify(args),
      }).answer;
      if (answer.type !== "result") return answer;
      const result = JSON.parse(answer.result);
      return result.content?.[0]?.text ?? result;
    },
    changed: changed.promise,
    kill: bridge.kill,
    ended: ended.promise,
    async [Symbol.asyncDispose]() {
      bridge.kill();
      await bridge.ended;
    },
  };
}
