import { SERVER_LINE } from "../protocol/bounds.ts";
import {
  decodeFrame,
  encodeFrame,
  type Frame,
  isFrame,
  readPayload,
} from "../protocol/frames.ts";
import type { LibraryRequest } from "../protocol/library_calls.ts";
import { readLines } from "../protocol/lines.ts";
import { type ClientStreams, connectClient } from "./client_pipe.ts";
import { SHUTDOWN_MS } from "../signals.ts";
import type { Listening } from "../protocol/server_settings.ts";
import { kill } from "./kill.ts";
import { lineWriter } from "./line_writer.ts";
import type { ServerInstalls } from "./installing/server_installs.ts";
import { connectSandbox, type SandboxProcess } from "./sandbox_process.ts";
import { Bridges, type Downstream } from "./downstream/bridges.ts";
import { connectState, connectStore } from "./store_process.ts";

/** Time for a client to take the server's last lines. */
const LAST_WORDS_MS = 5000;

export interface BrokerOptions {
  server: Deno.ChildProcess;
  /** Starts a sandbox process in an environment, by its number. */
  startSandbox(environment: number): Deno.ChildProcess;
  mostSandboxes: number;
  /**
   * Starts the store of sessions. With it, the server has time to save them when
   * the client is gone, or `stop` is aborted; it ends at once otherwise.
   */
  startStore?: () => Deno.ChildProcess;
  /** The MCP servers that code may call. */
  downstream?: Downstream;
  /** Starts the process that keeps what outlives sessions. */
  startState?: () => Deno.ChildProcess;
  /** Takes the address of a server that clients reach over HTTP. */
  onListening?(listening: Listening): void;
  /** Time for the server's running calls, once `stop` is aborted. */
  shutdownWaitMs?: number;
  /** Installs packages that the server asks for; the server gets steps and answer. */
  install?: ServerInstalls["install"];
  settings: unknown;
  /** Takes a line of the server's logs, without its end. */
  log?(line: Uint8Array): void;
  /** Takes a line of the audit of runs, without its end. */
  audit?(line: Uint8Array): void;
  client?: ClientStreams;
  library?: LibrarySide;
  stop?: AbortSignal;
}

export interface LibrarySide {
  /** Takes the way to the server, before anything is sent. */
  open(send: (id: number, message: LibraryRequest) => Promise<boolean>): void;
  /**
   * Takes a frame of the server about a call. While the returned promise is
   * open, nothing more of server and sandboxes is read, so that Python waits.
   */
  take(frame: Frame): void | Promise<void>;
}

/**
 * Connects client, server and sandbox processes, until the server ends; then ends all
 * sandboxes, however it came to that.
 *
 * It starts and kills the processes that the server names, and reads no frame of a
 * sandbox: of a model's text it sees nothing but the names of packages that its
 * code may ask for, if that is allowed. It never waits for the client.
 *
 * @throws {Error} If the server breaks the protocol, which is our bug.
 */
export async function runBroker(
  options: BrokerOptions,
): Promise<Deno.CommandStatus> {
  const { server } = options;
  const sandboxes = new Map<number, SandboxProcess>();
  const bridges = new Bridges(options.downstream, sendLine);
  const toServer = lineWriter(server.stdin);
  toServer(encodeFrame("settings", 0, options.settings));
  options.library?.open((id, message) =>
    toServer(encodeFrame("call", id, message))
  );
  const store = options.startStore &&
    connectStore(options.startStore, toServer);
  const state = options.startState &&
    connectState(options.startState, toServer);
  if (options.stop?.aborted) end();
  options.stop?.addEventListener("abort", end);
  let library: Promise<void> | undefined;
  let bridged: Promise<void> | undefined;
  const client = options.client &&
    connectClient(options.client, toServer, end);
  try {
    for await (const line of readLines(server.stdout, SERVER_LINE)) {
      if (isFrame(line)) {
        obey(decodeFrame(line));
        await library;
      } else client?.send(line);
    }
  } finally {
    bridged = bridges.close();
    for (const sandbox of sandboxes.values()) sandbox.kill();
    kill(server);
  }
  const gone = [...sandboxes.values()].map(({ ended }) => ended);
  const stored = [store?.close(), state?.close()];
  const timeUp = new Promise((resolve) =>
    Deno.unrefTimer(setTimeout(resolve, LAST_WORDS_MS))
  );
  await Promise.race([
    Promise.all([client?.flushed(), ...stored, bridged, ...gone]),
    timeUp,
  ]);
  return await server.status;

  function obey(frame: Frame): void {
    const { id } = frame;
    switch (frame.kind) {
      case "spawn":
        spawn(id, Number(readPayload(frame)));
        break;
      case "install":
        options.install?.(
          id,
          frame.payload,
          (step) => toServer(encodeFrame("installing", id, step)),
        ).then((answer) => toServer(encodeFrame("installed", id, answer)));
        break;
      case "to":
        (sandboxes.get(id) ?? bridges.get(id))?.send(frame.payload);
        break;
      case "store":
        store?.send(frame);
        break;
      case "state":
        state?.send(frame);
        break;
      case "kill":
        (sandboxes.get(id) ?? bridges.get(id))?.kill();
        break;
      case "servers":
        bridges.tell(id);
        break;
      case "connect":
        if (!sandboxes.has(id)) bridges.connect(id, readPayload(frame));
        break;
      case "listening":
        // Written by the server from its own settings.
        options.onListening?.(
          JSON.parse(new TextDecoder().decode(frame.payload)),
        );
        break;
      case "log":
        options.log?.(frame.payload);
        break;
      case "audit":
        options.audit?.(frame.payload);
        break;
      case "taken":
        client?.taken(id);
        break;
      default:
        library = options.library?.take(frame) ?? undefined;
    }
  }

  async function sendLine(line: Uint8Array<ArrayBuffer>): Promise<boolean> {
    // Its failure ends the loop above, and is told there.
    await library?.catch(() => {});
    return await toServer(line);
  }

  function end(): void {
    if (!store && !options.onListening) return kill(server);
    toServer(encodeFrame("eof", 0));
    const lateMs = (options.shutdownWaitMs ?? 0) + SHUTDOWN_MS + LAST_WORDS_MS;
    Deno.unrefTimer(setTimeout(() => kill(server), lateMs));
  }

  function spawn(id: number, environment: number): void {
    // It would stand in the way of the first: no process would count or end that.
    if (sandboxes.has(id)) return;
    if (bridges.get(id)) return;
    try {
      if (sandboxes.size >= options.mostSandboxes) {
        throw new RangeError(
          `there are ${sandboxes.size} sandbox processes, which is all there may be`,
        );
      }
      const process = options.startSandbox(environment);
      const sandbox = connectSandbox(id, process, sendLine);
      sandboxes.set(id, sandbox);
      sandbox.ended.then(() => sandboxes.delete(id));
    } catch (error) {
      // The system may have no more processes or memory to give, for now.
      toServer(encodeFrame("ended", id, String(error)));
    }
  }
}
