import { maybe } from "../errors.ts";
import type { Ended } from "../protocol/channel.ts";
import { Lead } from "../protocol/window.ts";
import { concat, NEWLINE } from "../protocol/lines.ts";
import {
  encodePacket,
  type Packet,
  readPackets,
  type Written,
} from "../protocol/packets.ts";
import type { Kind } from "./kinds.ts";
import { lineWriter, readStream } from "../protocol/standard_streams.ts";
import { howEnded, kill } from "./spawn.ts";
import { Waker } from "./waker.ts";

/** A process of a kind, and the broker's way to it. */
export interface Child {
  /** Sends a packet as it is written. */
  send(...packet: Written): Promise<unknown>;
  /** Has it stand still until the next packet. */
  pause(): void;
  /** Has it end, as those of its kind do. */
  kill(): void;
  /** Ends it, and all that it has started. */
  killAtOnce(): void;
  /** Resolves once all that it has said was taken. */
  ended: Promise<Deno.CommandStatus>;
}

const encoder = new TextEncoder();
const WAKER = new Waker();

/**
 * Starts a process of a kind, and follows it.
 *
 * @param take Takes each packet, which may wait.
 * @throws {Error} If the spec is not one of the kind, or the process cannot start.
 */
export function startChild(
  kind: Kind,
  spec: unknown,
  take: (packet: Packet) => Promise<unknown>,
): Child {
  const { process, first } = kind.start(spec);
  const toProcess = lineWriter(process.stdin);
  const token = encoder.encode(kind.isHostile ? crypto.randomUUID() : "");
  if (kind.isHostile) toProcess(concat([token, NEWLINE]));
  if (first) toProcess(...encodePacket(first));
  let timer: ReturnType<typeof setTimeout> | undefined;
  // A pipe whose other end is gone stays open by itself.
  const ended = follow().finally(toProcess.close);
  let isPaused = false;
  const send: Child["send"] = (...packet) => {
    if (isPaused) signal(process, "SIGCONT");
    isPaused = false;
    return toProcess(...packet);
  };
  const pause = () => {
    isPaused = signal(process, "SIGSTOP");
    if (isPaused) void WAKER.note(process.pid);
  };
  const killAtOnce = () => killGroup(process);
  return { send, pause, kill: end, killAtOnce, ended };

  async function follow(): Promise<Deno.CommandStatus> {
    const lead = new Lead();
    const start = (line: Uint8Array) => skip(line, token);
    try {
      for await (
        const { line, body } of readPackets(
          readStream(process.stdout),
          kind.longest,
          start,
        )
      ) {
        const bytes = line.length + (body?.length ?? 0);
        const own = line.subarray(token.length);
        await lead.take(bytes, take({ line: own, body }));
      }
    } catch {
      // A line over the limit, or without the token: it is not to be trusted.
    }
    end();
    const status = await process.status;
    clearTimeout(timer);
    return status;
  }

  function end(): void {
    if (kind.leaveMs === undefined) return kill(process);
    if (timer !== undefined) return;
    toProcess.close();
    timer = setTimeout(() => killGroup(process), kind.leaveMs);
    Deno.unrefTimer(timer);
  }
}

/** Whether a process has got a signal: Windows has none of these. */
function signal(process: Deno.ChildProcess, name: Deno.Signal): boolean {
  return maybe(() => process.kill(name) ?? true) ?? false;
}

/** Tells of the end of a process. */
export function toEnded(status: Deno.CommandStatus): Omit<Ended, "type"> {
  const { code, signal } = status;
  return { reason: howEnded(status), code, signal };
}

/** The place behind the token. */
function skip(line: Uint8Array, token: Uint8Array): number {
  const isThere = line.length >= token.length &&
    token.every((byte, index) => line[index] === byte);
  if (isThere) return token.length;
  throw new TypeError("a line without its token");
}

/** Ends a process, and all that it has started. */
function killGroup(process: Deno.ChildProcess): void {
  const hasGroups = Deno.build.os !== "windows";
  // The group may have ended already, or not be one.
  if (hasGroups) maybe(() => Deno.kill(-process.pid, "SIGKILL"));
  kill(process);
}
