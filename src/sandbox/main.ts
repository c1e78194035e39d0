/**
 * A sandbox process: prepares one Python, runs code in it, and ends.
 *
 * One run, one process: code that goes on after its run (a task, a thread, a
 * loop that ignores its interrupt) cannot be stopped in any other way, and would
 * share the process with the next run.
 *
 * A line of input is JSON; a line of output is this process's token and JSON.
 * The token is the first line of input: without it, nothing that Python may
 * write to stdout can pass for a message.
 *
 * @module
 */
import { readLines } from "../protocol/lines.ts";
import type { FromSandbox, ToSandbox } from "../protocol/messages.ts";
import { Queue } from "../protocol/queue.ts";
import { openPyodide, type PyodideOptions } from "./engines/pyodide/host.ts";
import { serveRun } from "./runs.ts";

const LONGEST_LINE = 1 << 28;
const decoder = new TextDecoder();
const encoder = new TextEncoder();
const stdout = Deno.stdout.writable.getWriter();

// Written by the broker, from the user's settings.
const options: PyodideOptions = JSON.parse(Deno.args[0] ?? "");
const engine = openPyodide(options);
const inbox = new Queue<ToSandbox>();
const lines = readLines(Deno.stdin.readable, LONGEST_LINE);
const token = decoder.decode((await lines.next()).value ?? undefined);

receive().finally(() => Deno.exit(0));
try {
  const interpreter = await (await engine).prepare();
  await send({ type: "ready" });
  const { request } = await inbox.next();
  await serveRun(interpreter, request, send, options);
} catch (error) {
  await send({ type: "failed", reason: String(error) });
}
Deno.exit(0);

/** Ends when stdin does: whoever started this process is gone. */
async function receive() {
  for await (const line of lines) inbox.push(JSON.parse(decoder.decode(line)));
}

async function send(message: FromSandbox) {
  await stdout.write(encoder.encode(`${token}${JSON.stringify(message)}\n`));
}
