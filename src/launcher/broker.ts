import { kill } from "./spawn.ts";
import { isOverWithin } from "../deadline.ts";
import { messageOf } from "../errors.ts";
import { SERVER_LINE } from "../protocol/bounds.ts";
import { fields } from "../protocol/fields.ts";
import {
  decodeFrame,
  encodeFrame,
  type Frame,
  isFrame,
  packetStart,
  TO_BROKER,
  type ToBroker,
  wrapPacket,
} from "../protocol/frames.ts";
import {
  decodePacket,
  joinPacket,
  type Packet,
  readPackets,
  sizeBefore,
  type Written,
} from "../protocol/packets.ts";
import { readHeld } from "../protocol/held_body.ts";
import { type Child, startChild, toEnded } from "./child.ts";
import { type ClientStreams, connectClient } from "./client_pipe.ts";
import { Holding } from "./holding.ts";
import type { Kind, Kinds } from "./kinds.ts";
import { lineWriter, readStream } from "../protocol/standard_streams.ts";

/** Time for a client to take the server's last lines. */
const LAST_WORDS_MS = 5000;

/**
 * A task that the server has the launcher do; the server gets its steps, and what it
 * returns, or the message of what it throws.
 */
export type Service = (
  question: Record<string, unknown>,
  onStep: (step: object) => void,
) => unknown;

export interface BrokerOptions {
  server: Deno.ChildProcess;
  /** The first message to the server. */
  settings: unknown;
  /** The processes that the server may have started, by the names of their kinds. */
  kinds: Kinds;
  /** Tasks of the launcher, by their names. */
  services?: Readonly<Record<string, Service>>;
  /** Takes a line of the server's logs, without its end; whether it is written. */
  log?(line: Uint8Array): boolean;
  /** Takes a line of the audit of runs, without its end; whether it is written. */
  audit?(line: Uint8Array): boolean;
  /**
   * Time for the server to end by itself when the client is gone, or `stop` is
   * aborted; it ends at once otherwise.
   */
  endMs?: number | undefined;
  client?: ClientStreams;
  /** Whether the server's processes wait while the client does not read. */
  waitsForClient?: boolean;
  stop?: AbortSignal;
}

/**
 * Connects client, server and the server's processes, until the server ends; then
 * ends all of them, however it came to that.
 *
 * It starts and kills the processes that the server names, and reads no message of
 * theirs: of a model's text it sees nothing but the names of packages that its
 * code may ask for, if that is allowed. It waits for no client of MCP.
 *
 * @throws {Error} If the server breaks the protocol, which is our bug.
 */
export async function runBroker(
  options: BrokerOptions,
): Promise<Deno.CommandStatus> {
  const { server, kinds, services = {} } = options;
  const children = new Map<number, { kind: Kind; child: Child }>();
  const holdings = new Map<number, Holding>();
  const toServer = lineWriter(server.stdin);
  const tell = (message: object) =>
    toServer(...encodeFrame("from", 0, message));
  tell({ kind: "settings", settings: options.settings });
  if (options.stop?.aborted) end();
  options.stop?.addEventListener("abort", end);
  const client = options.client &&
    connectClient(options.client, toServer, end);
  const bounds = { line: SERVER_LINE, body: SERVER_LINE };
  const fromServer = readStream(server.stdout);
  try {
    for await (const read of readPackets(fromServer, bounds, packetStart)) {
      if (isFrame(read)) obey(decodeFrame(read, TO_BROKER));
      else client?.send(read.line);
    }
  } finally {
    for (const { child } of children.values()) child.kill();
    kill(server);
  }
  const gone = [...children.values()].map(({ child }) => child.ended);
  const last = Promise.all([client?.flushed(), ...gone]);
  if (!await isOverWithin(last, LAST_WORDS_MS)) {
    // A group that a downstream server has stopped leaves by no other way.
    for (const { child } of children.values()) child.killAtOnce();
  }
  return await server.status;

  function obey({ kind, id, packet }: Frame<ToBroker>): void {
    switch (kind) {
      case "spawn":
        return spawn(id, fields(decodePacket(packet)));
      case "to":
        if (id === 0) return serve(fields(decodePacket(packet)), packet.body);
        return void children.get(id)?.child.send(...joinPacket(packet));
      case "forward":
        return forward(id, packet);
      case "hold":
        return holdings.get(id)?.start();
      case "pass":
        return holdings.get(id)?.stop();
      case "pause":
        return children.get(id)?.child.pause();
      case "kill":
        return children.get(id)?.child.kill();
      case "taken":
        return client?.taken(id);
    }
  }

  function spawn(id: number, { kind: name, spec }: Record<string, unknown>) {
    // It would stand in the way of the first: no process would count or end that.
    if (id === 0 || children.has(id)) return;
    try {
      const kind = own(kinds, name);
      if (!kind) throw new TypeError(`there is no kind of process "${name}"`);
      const others = [...children.values()].filter((one) => one.kind === kind);
      if (others.length >= kind.most) {
        throw new RangeError(
          `there are ${others.length} ${kind.plural}, which is all there may be`,
        );
      }
      const holding = new Holding(id);
      const child = startChild(kind, spec, (packet) => {
        const held = holding.maybeHold(packet);
        return sendFrame(
          ...held
            ? wrapPacket("held", id, held)
            : wrapPacket("from", id, packet),
        );
      });
      children.set(id, { kind, child });
      holdings.set(id, holding);
      child.ended.then(async (status) => {
        await sendFrame(...encodeFrame("ended", id, toEnded(status)));
        children.delete(id);
        // What it said last may still be on its way to another process.
        await holding.stopped;
        holdings.delete(id);
      });
    } catch (error) {
      // The system may have no more processes or memory to give, for now.
      toServer(...encodeFrame("ended", id, { reason: messageOf(error) }));
    }
  }

  /** Sends a message with the bytes that another process has sent, if they are there. */
  function forward(id: number, { line }: Packet): void {
    const { held, message } = readHeld(line);
    const body = holdings.get(held.channel)?.take(held.number);
    const packet = joinPacket({ line: message, body }, sizeBefore(body));
    children.get(id)?.child.send(...packet).then(() =>
      body?.buffer.transfer(0)
    );
  }

  /** Obeys a message to the launcher itself. */
  function serve(
    { ask, kind, ...question }: Record<string, unknown>,
    body: Uint8Array = new Uint8Array(),
  ): void {
    if (kind === "log" || kind === "audit") {
      const isWritten = options[kind]?.(body) ?? true;
      if (!isWritten) tell({ kind: "unwritten", lines: kind });
      return;
    }
    const service = own(services, kind);
    if (!service) throw new TypeError(`Cannot do "${kind}" for the server`);
    const onStep = (step: object) => void tell({ step: ask, ...step });
    Promise.try(() => service(question, onStep)).then(
      (value) => tell({ answer: ask, value }),
      (error) => tell({ answer: ask, error: messageOf(error) }),
    );
  }

  async function sendFrame(...frame: Written): Promise<boolean> {
    if (options.waitsForClient) await client?.flushed();
    return await toServer(...frame);
  }

  function end(): void {
    if (options.endMs === undefined) return kill(server);
    tell({ kind: "eof" });
    const lateMs = options.endMs + LAST_WORDS_MS;
    Deno.unrefTimer(setTimeout(() => kill(server), lateMs));
  }
}

/** A row that the server names, and nothing that all objects have. */
function own<T>(rows: Readonly<Record<string, T>>, name: unknown) {
  return Object.hasOwn(rows, String(name)) ? rows[String(name)] : undefined;
}
