import {
  decodeFrame,
  encodeFrame,
  type Frame,
  isFrame,
  MARK,
  readPayload,
} from "../protocol/frames.ts";
import { concat, readLines } from "../protocol/lines.ts";
import { kill } from "./kill.ts";

/** Longest line of any process or client. */
const LONGEST_LINE = 64 * 1024 * 1024;
const NEWLINE = new Uint8Array([10]);
/** Time for a client to take what the server said last. */
const LAST_WORDS_MS = 5000;
const encoder = new TextEncoder();

/** What the broker connects. */
export interface BrokerOptions {
  /** The server process, already started. */
  server: Deno.ChildProcess;
  /** Starts one sandbox process, in the environment of an install; 0 is the first one. */
  startSandbox(environment: number): Deno.ChildProcess;
  /** Installs what the server asks for; what it gives is for the server. */
  install?(id: number, payload: Uint8Array): Promise<unknown>;
  /** For the server, as its first frame. */
  settings: unknown;
  /** What a client sends, and its way back; absent if there is no client. */
  client?: {
    input: ReadableStream<Uint8Array<ArrayBuffer>>;
    output: WritableStream<Uint8Array<ArrayBuffer>>;
  };
  /** Has the server stop what runs, when it is aborted. */
  interrupt?: AbortSignal;
  /** Takes frames that are for the launcher: `print` and `exit`. */
  onFrame?(frame: Frame): void;
}

/**
 * Connects client, server and sandbox processes, until the server ends; then
 * ends all sandboxes.
 *
 * It starts and kills what the server asks for, and reads no frame of a
 * sandbox: of what a model wrote it sees nothing but the names of packages that
 * its code may ask for, if that is allowed.
 *
 * @returns How the server ended.
 */
export async function runBroker(
  options: BrokerOptions,
): Promise<Deno.CommandStatus> {
  const { server, client } = options;
  const sandboxes = new Map<number, Sandbox>();
  const toServer = lineWriter(server.stdin);
  const toClient = client && lineWriter(client.output);

  toServer(encodeFrame("settings", 0, options.settings));
  options.interrupt?.addEventListener(
    "abort",
    () => toServer(encodeFrame("interrupt", 0)),
  );
  if (client) {
    forward(client.input, toServer).then(
      () => toServer(encodeFrame("eof", 0)),
      () => kill(server),
    );
  }
  // A client that does not read keeps neither what runs, nor this process.
  const late = new AbortController();
  server.status.then(killAll).then(() => delay(LAST_WORDS_MS))
    .then(() => late.abort());
  for await (const line of readLines(server.stdout, LONGEST_LINE)) {
    if (isFrame(line)) obey(decodeFrame(line));
    else if (
      !toClient || !await unless(late, toClient(concat([line, NEWLINE])))
    ) break;
  }
  killAll();
  kill(server);
  return await server.status;

  function killAll(): void {
    for (const sandbox of sandboxes.values()) sandbox.kill();
  }

  function obey(frame: Frame): void {
    const { id } = frame;
    switch (frame.kind) {
      case "spawn":
        spawn(id, Number(readPayload(frame)));
        break;
      case "install":
        options.install?.(id, frame.payload)
          .then((answer) => toServer(encodeFrame("installed", id, answer)));
        break;
      case "to":
        sandboxes.get(id)?.send(frame.payload);
        break;
      case "kill":
        sandboxes.get(id)?.kill();
        break;
      default:
        options.onFrame?.(frame);
    }
  }

  function spawn(id: number, environment: number): void {
    try {
      const process = options.startSandbox(environment);
      const sandbox = startSandbox(id, process, toServer);
      sandboxes.set(id, sandbox);
      sandbox.ended.then(() => sandboxes.delete(id));
    } catch (error) {
      // The system may have no more processes or memory to give, for now.
      toServer(encodeFrame("ended", id, String(error)));
    }
  }
}

/** What a step comes to, or false once it is too late. */
function unless(
  { signal }: AbortController,
  step: Promise<boolean>,
): Promise<boolean> {
  return new Promise((resolve) => {
    const giveUp = () => resolve(false);
    if (signal.aborted) giveUp();
    signal.addEventListener("abort", giveUp);
    step.then(resolve)
      .finally(() => signal.removeEventListener("abort", giveUp));
  });
}

/** Waits, without keeping a process for that. */
function delay(ms: number): Promise<void> {
  return new Promise((resolve) => Deno.unrefTimer(setTimeout(resolve, ms)));
}

/**
 * Hands a client's lines to the server; none of them may pass for a frame. One
 * that is too long is cut, and so answered as one that is no JSON.
 */
async function forward(
  input: ReadableStream<Uint8Array<ArrayBuffer>>,
  toServer: LineWriter,
): Promise<void> {
  for await (const line of readLines(input, LONGEST_LINE, { cutTo: 1024 })) {
    const start = line.findIndex((byte) => byte !== MARK);
    if (start >= 0) await toServer(concat([line.subarray(start), NEWLINE]));
  }
}

interface Sandbox {
  send(payload: Uint8Array): void;
  kill(): void;
  ended: Promise<void>;
}

function startSandbox(
  id: number,
  process: Deno.ChildProcess,
  toServer: LineWriter,
): Sandbox {
  const toProcess = lineWriter(process.stdin);
  const token = encoder.encode(crypto.randomUUID());
  toProcess(concat([token, NEWLINE]));
  return {
    send: (payload) => void toProcess(concat([payload, NEWLINE])),
    kill: () => kill(process),
    // A pipe whose other end is gone stays open by itself.
    ended: follow(id, process, token, toServer).finally(toProcess.close),
  };
}

/** Hands on what a sandbox says, then how it ended. */
async function follow(
  id: number,
  process: Deno.ChildProcess,
  token: Uint8Array,
  toServer: LineWriter,
): Promise<void> {
  try {
    for await (const line of readLines(process.stdout, LONGEST_LINE)) {
      if (!startsWith(line, token)) break;
      await toServer(encodeFrame("from", id, line.subarray(token.length)));
    }
  } catch {
    // A line over the limit: this sandbox is no longer to be trusted.
  }
  kill(process);
  const { code, signal } = await process.status;
  await toServer(encodeFrame("ended", id, { code, signal }));
}

function startsWith(line: Uint8Array, start: Uint8Array): boolean {
  return line.length >= start.length &&
    start.every((byte, index) => line[index] === byte);
}

/** Writes whole lines in order; false once the reader is gone. */
interface LineWriter {
  (line: Uint8Array<ArrayBuffer>): Promise<boolean>;
  close(): Promise<void>;
}

function lineWriter(
  stream: WritableStream<Uint8Array<ArrayBuffer>>,
): LineWriter {
  const writer = stream.getWriter();
  writer.closed.catch(() => {});
  return Object.assign(
    (line: Uint8Array<ArrayBuffer>) =>
      writer.write(line).then(() => true, () => false),
    { close: () => writer.close().catch(() => {}) },
  );
}
