import type { Transport } from "../../deps/mcp_client_core.ts";
import { isOverWithin } from "../deadline.ts";
import { maybe, reasonOf } from "../errors.ts";
import type { BridgeLimits } from "../protocol/bridge_messages.ts";
import type { StdioEntry } from "../protocol/downstream.ts";
import {
  Flood,
  FLOODED,
  type Link,
  longestMessage,
  MOST_UNREAD,
  UNREAD,
} from "./link.ts";
import { readLongLines } from "./long_lines.ts";
import { Replies } from "./replies.ts";
import { Tail } from "../protocol/lines.ts";

const encoder = new TextEncoder();

/** Time to end once its input has ended, and once it is asked by a signal. */
const LEAVE_MS = 2000;
/** Time for pipes of an ended process that a child of it still holds open. */
const HELD_MS = 500;
/** Bytes of the last lines: twice the shown length, as covered secrets are shorter. */
const KEPT_WORDS = 8192;

/** Starts a downstream server as a process, with its entry's variables alone. */
export function openProcess(
  { command, args, env, cwd }: StdioEntry,
  { maxResult }: BridgeLimits,
): Link {
  const ended = Promise.withResolvers<string>();
  const flood = new Flood();
  const noise = new Tail(KEPT_WORDS);
  const stderr = new Tail(KEPT_WORDS);
  const replies = new Replies(maxResult);
  const longest = longestMessage(maxResult);
  let child: Deno.ChildProcess | undefined;
  let input: WritableStreamDefaultWriter<Uint8Array> | undefined;
  let why: string | undefined;
  let closing: Promise<void> | undefined;
  /** Answers to requests of the server that it has not read yet. */
  let unread = 0;
  const transport: Transport & { stderr: null; pid: number | null } = {
    stderr: null,
    pid: null,
    // deno-lint-ignore require-await
    async start() {
      try {
        child = new Deno.Command(command, {
          args,
          env,
          clearEnv: true,
          ...(cwd ? { cwd } : {}),
          stdin: "piped",
          stdout: "piped",
          stderr: "piped",
        }).spawn();
      } catch (error) {
        ended.resolve(`it does not start: ${reasonOf(error)}`);
        throw error;
      }
      input = child.stdin.getWriter();
      input.closed.catch(() => {});
      follow(child);
    },
    async send(message) {
      replies.expect(message);
      const isAnswer = !("method" in message);
      if (isAnswer && ++unread > MOST_UNREAD) {
        why ??= UNREAD;
        return void close(0);
      }
      try {
        await input?.write(encoder.encode(`${JSON.stringify(message)}\n`));
        if (isAnswer) unread--;
      } catch (error) {
        close();
        throw error;
      }
    },
    close,
  };
  return {
    transport,
    isOlderFirst: true,
    ended: ended.promise,
    lastWords: () => textOf(stderr) || textOf(noise),
    causeOf: () => ended.promise,
    close,
  };

  async function follow(process: Deno.ChildProcess): Promise<void> {
    const read = Promise.all([hear(process), drain(process.stderr, stderr)]);
    const { code, signal } = await process.status;
    await isOverWithin(read, HELD_MS);
    ended.resolve(why ?? `it ended with ${signal ?? `code ${code}`}`);
    transport.onclose?.();
  }

  async function hear(process: Deno.ChildProcess): Promise<void> {
    try {
      const lines = readLongLines(counted(process.stdout), longest);
      for await (const line of lines) {
        const { messages, hasAnswer, others } = replies.read(line);
        if (hasAnswer) flood.calm();
        if (messages.length === 0 && "whole" in line) {
          const text = line.whole.slice(-KEPT_WORDS);
          noise.push(encoder.encode(`${text}\n`));
        }
        for (const message of messages) transport.onmessage?.(message);
        if (flood.take(0, others)) {
          why = FLOODED;
          break;
        }
      }
    } catch {
      // The pipe has broken.
    }
    why ??= closing ? undefined : await endedBySelf(process);
    close(why === FLOODED ? 0 : LEAVE_MS);
  }

  /** Its output, which ends if it is too much: a line may have no end. */
  async function* counted(output: ReadableStream<Uint8Array<ArrayBuffer>>) {
    for await (const bytes of output) {
      if (flood.take(bytes.length)) {
        why = FLOODED;
        return;
      }
      yield bytes;
    }
  }

  function close(leaveMs = LEAVE_MS): Promise<void> {
    return closing ??= leave(leaveMs);
  }

  async function leave(leaveMs: number): Promise<void> {
    if (!child) return ended.resolve("it was not started");
    const { status } = child;
    // It waits for all that was written, which a server may never read.
    input?.close().catch(() => {});
    if (await isOverWithin(status, leaveMs)) return;
    // It may have ended just now.
    maybe(() => child?.kill("SIGTERM"));
    if (await isOverWithin(status, leaveMs)) return;
    maybe(() => child?.kill("SIGKILL"));
    await status;
  }
}

/** The reason for a process that lives on without its output. */
async function endedBySelf(
  { status }: Deno.ChildProcess,
): Promise<string | undefined> {
  return await isOverWithin(status, HELD_MS)
    ? undefined
    : "it closed its output";
}

async function drain(
  stream: AsyncIterable<Uint8Array<ArrayBuffer>>,
  tail: Tail,
): Promise<void> {
  try {
    for await (const bytes of stream) tail.push(bytes);
  } catch {
    // The pipe has broken.
  }
}

/** Whole lines: a secret that is cut would not be covered. */
function textOf({ bytes }: Tail): string {
  const text = new TextDecoder().decode(bytes);
  const isCut = bytes.length >= KEPT_WORDS;
  return (isCut ? text.replace(/^.*\n?/, "") : text).trim();
}
