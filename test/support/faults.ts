/**
 * Faults of sandbox processes, made where the broker meets them: their standard
 * streams are tapped, so that a fault comes at a chosen message.
 *
 * @module
 */
import { kill } from "../../src/launcher/spawn.ts";
import type { spawn } from "../../src/launcher/spawn.ts";
import { joinPacket, readPackets } from "../../src/protocol/packets.ts";
import type {
  FromSandbox,
  ToSandbox,
} from "../../src/protocol/sandbox_messages.ts";

/** One fault of one sandbox process. */
export interface Fault {
  /**
   * The message that it comes with; `start` is before all, and at `spawn` there
   * is no process at all.
   */
  at: "spawn" | "start" | ToSandbox["type"] | FromSandbox["type"];
  /** The how many-th of these; the first, if nothing is said. */
  count?: number;
  /** The process that has it, in the order of starts; the first. */
  process?: number;
  /** Sent to the process when the message has passed. */
  signal?: "SIGKILL" | "SIGSTOP";
  /** What becomes of a line of its own. */
  line?: keyof typeof LINES;
  /** Messages that it says right after. */
  says?: unknown[];
}

type Bytes = Uint8Array<ArrayBuffer>;
const LONGEST = { line: 1 << 28, body: 1 << 28 };
const MIB = 1 << 20;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** What a line may become: pieces, newlines included. */
const LINES = {
  "is lost": () => [],
  "is empty": () => ["\n"],
  "is cut": (token, text) => [`${(token + text).slice(0, -20)}\n`],
  "has no token": (_, text) => [`${text}\n`],
  "has another's token": (_, text) => [`${crypto.randomUUID()}${text}\n`],
  "has a token alone": (token) => [`${token}\n`],
  "is garbage": () => [crypto.getRandomValues(new Uint8Array(5000)), "\n"],
  "is no UTF-8": (token) => [token, new Uint8Array([0x22, 0xff, 0x22]), "\n"],
  "is a list": (token) => [`${token}[]\n`],
  "is of no known type": (token) => [`${token}{"type":"bye"}\n`],
  "has fields of other types": (
    token,
  ) => [`${token}{"type":"done","run":1,"printed":"0","ending":{}}\n`],
  "is deep": (token) => [`${token}${"[".repeat(1e6)}${"]".repeat(1e6)}\n`],
  "comes twice": (token, text) => [`${token}${text}\n`, `${token}${text}\n`],
  "has 100 MB and no end": (token) => [
    token,
    ...Array.from({ length: 100 }, () => ENDLESS),
  ],
} satisfies Record<
  string,
  (token: string, text: string) => (string | Bytes)[]
>;

const ENDLESS = new Uint8Array(MIB).fill(0x61);

/** Starts sandbox processes that have faults. */
export function spawnWith(
  faults: Fault[],
  spawnSandbox: typeof spawn,
): typeof spawn {
  let started = 0;
  return (name, options) => {
    started++;
    const own = faults.filter(({ process = 1 }) => process === started);
    if (own.some(({ at }) => at === "spawn")) throw new Error("no process");
    return tap(spawnSandbox(name, options), own);
  };
}

function tap(child: Deno.ChildProcess, faults: Fault[]): Deno.ChildProcess {
  const counts = new Map<string, number>();
  const input = new TransformStream<Bytes, Bytes>();
  const output = new TransformStream<Bytes, Bytes>();
  const stdout = toByteStream(output.readable);
  const toBroker = output.writable.getWriter();
  let token = "";
  // The broker may have had enough of it.
  passInput().catch(() => {});
  passOutput().catch(() => kill(child));
  raise(at("start"));
  return new Proxy(child, {
    get(target, name) {
      if (name === "stdin") return input.writable;
      if (name === "stdout") return stdout;
      const value = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });

  async function passInput(): Promise<void> {
    const writer = child.stdin.getWriter();
    for await (const packet of readPackets(input.readable, LONGEST)) {
      for (const piece of joinPacket(packet)) await writer.write(piece);
      if (token === "") token = decoder.decode(packet.line);
      else await raise(at(typeOf(decoder.decode(packet.line))));
    }
  }

  async function passOutput(): Promise<void> {
    const packets = readPackets(child.stdout, LONGEST, () => token.length);
    for await (const packet of packets) {
      const text = decoder.decode(packet.line).slice(token.length);
      const fault = at(typeOf(text));
      if (fault?.line) {
        for (const piece of LINES[fault.line](token, text)) await say(piece);
      } else for (const piece of joinPacket(packet)) await say(piece);
      await raise(fault);
    }
    await toBroker.close();
  }

  /** The fault that comes with a message, if there is one. */
  function at(type: string): Fault | undefined {
    const times = (counts.get(type) ?? 0) + 1;
    counts.set(type, times);
    return faults.find(({ at, count = 1 }) => at === type && count === times);
  }

  async function raise(fault: Fault | undefined): Promise<void> {
    if (fault?.signal) child.kill(fault.signal);
    for (const message of fault?.says ?? []) {
      await say(`${token}${JSON.stringify(message)}\n`);
    }
  }

  async function say(piece: string | Bytes): Promise<void> {
    await toBroker.write(
      typeof piece === "string" ? encoder.encode(piece) : piece,
    );
  }
}

function typeOf(text: string): string {
  const json = text.replace(/^\+\d+ /, "");
  return String(Object(JSON.parse(json)).type);
}

/** A stream that fills buffers of its reader, as that of a process does. */
function toByteStream(stream: ReadableStream<Bytes>): ReadableStream<Bytes> {
  const reader = stream.getReader();
  return new ReadableStream({
    type: "bytes",
    async pull(controller) {
      const { value, done } = await reader.read();
      if (value) return controller.enqueue(value);
      if (!done) return;
      controller.close();
      controller.byobRequest?.respond(0);
    },
    cancel: () => reader.cancel(),
  });
}
