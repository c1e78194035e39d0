import {
  decodeFrame,
  encodeFrame,
  type Frame,
  isFrame,
} from "../protocol/frames.ts";
import type { SandboxMessage, SandboxProcess } from "../pool/sandbox.ts";
import type { FromSandbox, ToSandbox } from "../protocol/messages.ts";
import { readLines } from "../protocol/lines.ts";
import { parseFromSandbox } from "../protocol/parse.ts";
import { Queue } from "../protocol/queue.ts";
import type { InstallAnswer } from "../install/for_calls.ts";
import type { ServerSettings } from "./settings.ts";

const LONGEST_LINE = 128 * 1024 * 1024;
/** How a process ends when V8 can go no further: nearly always for memory. */
const V8_GAVE_UP = 133;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The server's end of the line to the broker, and through it to the client. */
export class Link {
  /** What the launcher decided; arrives first. */
  readonly settings: Promise<ServerSettings>;
  /** Is aborted when the user wants what runs to stop. */
  get interrupt(): AbortSignal {
    return this.#interrupt.signal;
  }
  /** Lines from the client, in order; null at its end. */
  readonly client = new Queue<Uint8Array<ArrayBuffer> | null>();

  #stdout = Deno.stdout.writable.getWriter();
  #processes = new Map<number, Queue<SandboxMessage>>();
  #started = 0;
  #installs: PromiseWithResolvers<InstallAnswer>[] = [];
  #interrupt = new AbortController();
  #settings = Promise.withResolvers<ServerSettings>();

  constructor() {
    this.settings = this.#settings.promise;
    // No stdin, no broker: there is nothing left to do.
    this.#read().finally(() => Deno.exit(0));
  }

  /** Writes a line to the client. */
  async sendToClient(line: string): Promise<void> {
    await this.#write(encoder.encode(`${line}\n`));
  }

  /** Sends a frame to the launcher. */
  async sendToLauncher(
    kind: "print" | "exit",
    payload: unknown,
  ): Promise<void> {
    await this.#write(encodeFrame(kind, 0, payload));
  }

  /** Has the broker install packages; gives the number of their environment. */
  async install(
    requirements: string[],
  ): Promise<{ environment: number; answer: InstallAnswer }> {
    const asked = Promise.withResolvers<InstallAnswer>();
    const environment = this.#installs.push(asked);
    await this.#write(encodeFrame("install", environment, requirements));
    return { environment, answer: await asked.promise };
  }

  /** Has the broker start a sandbox process, in the environment of an install. */
  spawn(environment = 0): SandboxProcess {
    const id = ++this.#started;
    const messages = new Queue<SandboxMessage>();
    this.#processes.set(id, messages);
    const frame = (kind: "to" | "kill", payload?: ToSandbox) =>
      this.#write(encodeFrame(kind, id, payload));
    void this.#write(encodeFrame("spawn", id, environment));
    return {
      messages,
      send: (message) => frame("to", message),
      kill: () => void frame("kill"),
    };
  }

  /** Writes to the broker; without one there is nothing left to do. */
  async #write(bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    await this.#stdout.write(bytes).catch(() => Deno.exit(0));
  }

  async #read(): Promise<void> {
    for await (const line of readLines(Deno.stdin.readable, LONGEST_LINE)) {
      if (isFrame(line)) this.#take(decodeFrame(line));
      else this.client.push(line);
    }
  }

  #take(frame: Frame): void {
    switch (frame.kind) {
      case "settings":
        // Written by the launcher, from the user's settings.
        this.#settings.resolve(JSON.parse(decoder.decode(frame.payload)));
        break;
      case "eof":
        this.client.push(null);
        break;
      case "interrupt":
        this.#interrupt.abort();
        break;
      case "from":
        this.#processes.get(frame.id)?.push(readMessage(frame));
        break;
      case "installed":
        this.#installs[frame.id - 1]?.resolve(
          JSON.parse(decoder.decode(frame.payload)),
        );
        break;
      case "ended": {
        const how = decoder.decode(frame.payload);
        const isOutOfMemory = JSON.parse(how).code === V8_GAVE_UP;
        this.#processes.get(frame.id)
          ?.push({ type: "ended", how, isOutOfMemory });
        this.#processes.delete(frame.id);
      }
    }
  }
}

function readMessage(frame: Frame): FromSandbox {
  const reason = "The sandbox sent a message outside the protocol";
  try {
    const data = JSON.parse(decoder.decode(frame.payload));
    return parseFromSandbox(data) ?? { type: "failed", reason };
  } catch {
    return { type: "failed", reason };
  }
}
