import { messageOf } from "../errors.ts";
import { encodeMessage } from "../protocol/run_messages.ts";
import { readLines } from "../protocol/lines.ts";
import {
  type FromProgram,
  parseFromProgram,
  type PipeRun,
  type ToProgram,
} from "../protocol/pipe_messages.ts";
import type { RunResult } from "../protocol/run_result.ts";
import { fitResult } from "../results/fit_result.ts";
import { toText } from "../results/render.ts";
import { toListed } from "../results/result_files.ts";
import type { PythonSession } from "./library_session.ts";
import type { Python } from "./python.ts";

/** V8's longest string, in bytes. */
const LONGEST_LINE = 512 * 1024 * 1024;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** A pipe to a program of the user. */
export interface ProgramPipe {
  input: AsyncIterable<Uint8Array<ArrayBuffer>>;
  /** Resolves when the program, or its pipe, has taken them. */
  write(bytes: Uint8Array): Promise<void>;
  /** Characters of a result that a model reads. */
  maxOutput: number;
}

/**
 * Serves the calls of a program of the user, side by side, until the program ends
 * its pipe.
 *
 * @throws {TypeError} If the program speaks another protocol.
 */
export async function servePipe(
  python: Python,
  { input, write, maxOutput }: ProgramPipe,
): Promise<void> {
  const sessions = new Map<number, PythonSession>();
  const runs = new Map<
    number,
    Record<"cancel" | "interrupt", AbortController>
  >();
  for await (const line of readLines(input, LONGEST_LINE)) {
    take(parseFromProgram(decoder.decode(line)));
  }

  function take(message: FromProgram): void {
    const { type, id } = message;
    if (type === "cancel" || type === "interrupt") {
      return runs.get(id)?.[type].abort();
    }
    obey(message).catch((error) => {
      const kind = error instanceof Error ? error.name : "Error";
      return send({ type: "failed", id, kind, message: messageOf(error) });
    });
  }

  async function obey(
    message: Exclude<FromProgram, { type: "cancel" | "interrupt" }>,
  ): Promise<void> {
    const { type, id } = message;
    switch (type) {
      case "run":
        return await run(message);
      case "fork":
        sessions.set(message.copy, await theSession(message.session).fork());
        return await send({ type: "done", id });
      case "close":
        await sessions.get(message.session)?.close();
        sessions.delete(message.session);
        return await send({ type: "done", id });
      case "wrong":
        throw new TypeError(message.message);
    }
  }

  async function run(
    { id, code, session, timeout, asText, ...options }: PipeRun,
  ): Promise<void> {
    const stops = {
      cancel: new AbortController(),
      interrupt: new AbortController(),
    };
    runs.set(id, stops);
    const place = session === undefined ? python : theSession(session);
    try {
      const result = await place.run(code, {
        ...options,
        ...(timeout === undefined ? {} : { timeoutSeconds: timeout }),
        signal: stops.cancel.signal,
        interrupt: stops.interrupt.signal,
        onOutput: (stream, text) => send({ type: "output", id, stream, text }),
        onProgress: (progress) => send({ type: "progress", id, progress }),
      });
      const isLost = "isLost" in place && place.isLost;
      const text = asText ? { text: toToolText(result, maxOutput) } : {};
      await send({ type: "result", id, result, isLost, ...text });
    } finally {
      runs.delete(id);
    }
  }

  function theSession(number: number): PythonSession {
    const session = sessions.get(number) ?? python.session();
    sessions.set(number, session);
    return session;
  }

  async function send(message: ToProgram): Promise<void> {
    await write(encoder.encode(`${encodeMessage(message)}\n`));
  }
}

/** What the tool of MCP would say. */
function toToolText(result: RunResult, maxOutput: number): string {
  const files = toListed(result.written ?? []);
  return toText({ ...fitResult(result, maxOutput), files }, "xml");
}
