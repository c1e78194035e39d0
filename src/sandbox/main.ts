/**
 * A sandbox process: prepares one Python, runs code in it, and if that is gone
 * for certain after its run, prepares the next.
 *
 * A line of input is JSON; a line of output is this process's token and JSON.
 * The token is the first line of input: without it, nothing that Python may
 * write to stdout can pass for a message.
 *
 * @module
 */
import { MIB } from "../units.ts";
import { holdEnvironment } from "../environments/file_locks.ts";
import { detailsOf, EXIT } from "../errors.ts";
import { log } from "../log.ts";
import { TO_SANDBOX_LINE } from "../protocol/bounds.ts";
import { readLines } from "../protocol/lines.ts";
import type {
  FromSandbox,
  RunRequest,
  ToSandbox,
} from "../protocol/run_messages.ts";
import { Queue } from "../protocol/queue.ts";
import { FileReceiver } from "../protocol/run_files.ts";
import type { FileWishes, Interpreter } from "../engines/engine.ts";
import { openPyodide } from "../engines/pyodide/host.ts";
import type { SandboxSettings } from "../engines/sandbox_settings.ts";
import { Guard } from "./guard.ts";
import { serveNetwork } from "./http_sender.ts";
import { isOutgrown } from "./limits.ts";
import { type Meter, openMeter } from "./meter.ts";
import { serveRun } from "./runs.ts";

/** Time for the server to read how a run ended that was given up. */
const LAST_WORDS_MS = 5000;
/** Memory that may be left of a run, its worker gone: the process starts anew. */
const MOST_LEFT_BYTES = 64 * MIB;
/** After this many runs a process makes room for a new one. */
const RUNS_PER_PROCESS = 100;
const decoder = new TextDecoder();
const encoder = new TextEncoder();
const stdout = Deno.stdout.writable.getWriter();

// Written by the broker, from the user's settings.
const { allowNet: hosts = [], ...options }: SandboxSettings = JSON.parse(
  Deno.args[0] ?? "",
);
// What runs is not removed from the cache.
using _held = holdEnvironment(options.environment);
const engine = openPyodide(
  options,
  hosts.length > 0
    ? (port, events) => serveNetwork(port, { hosts, ...events })
    : undefined,
);
const inbox = new Queue<ToSandbox>();
const lines = readLines(Deno.stdin.readable, TO_SANDBOX_LINE);
let interpreter: Interpreter | undefined;
let cancelling = new AbortController();
const token = decoder.decode((await lines.next()).value ?? undefined);

// A terminal sends it to all processes; the launcher says what follows of it.
Deno.addSignalListener("SIGINT", () => {});
receive().then(() => Deno.exit(EXIT.ok), fail);
try {
  const { prepare } = await engine;
  let meter: Meter | undefined;
  for (let left = RUNS_PER_PROCESS; left > 0; left--) {
    using guard = new Guard();
    interpreter = await prepare(() => guard.look());
    // Before the run's code: memory that the code takes counts as the run's.
    meter ??= await openMeter(options.cpuSeconds !== undefined);
    await send({ type: "ready" });
    const { id, request, wishes } = await nextRun();
    await send({ type: "started", run: id });
    const isOver = await serveRun(interpreter, request, send, {
      ...options,
      id,
      meter,
      guard,
      wishes,
      cancelled: cancelling.signal,
      onGivenUp: () => setTimeout(endUnread, LAST_WORDS_MS),
    });
    if (!isOver) break;
    // Its worker may go on until it is gone.
    guard.add(endIfOutgrown(meter));
    // Preparing takes all of a core, which the answer needs now.
    await nextOf("next");
    if (!await interpreter.end()) break;
    // The next run must not pay for what this one left.
    if (meter.grownBytes() > MOST_LEFT_BYTES) break;
  }
} catch (error) {
  await fail(error);
}
Deno.exit(EXIT.ok);

/** Ends this process for a fault of ours, or as Python cannot start. */
async function fail(error: unknown): Promise<never> {
  log(`mcp-run-python: a sandbox process ends: ${detailsOf(error)}`);
  setTimeout(endUnread, LAST_WORDS_MS);
  await send({ type: "failed", reason: String(error) });
  return Deno.exit(EXIT.failure);
}

/** The worker goes on with a run that was given up, even if no process reads this one. */
function endUnread(): never {
  return Deno.exit(EXIT.failure);
}

function endIfOutgrown(meter: Meter): () => void {
  return () => {
    if (isOutgrown(meter, options)) Deno.exit(EXIT.failure);
  };
}

/** Ends when stdin does: whoever started this process is gone. */
async function receive() {
  for await (const line of lines) {
    const message: ToSandbox = JSON.parse(decoder.decode(line));
    // In order: what is late comes before what starts the next interpreter.
    if (message.type === "answer") interpreter?.answer(message);
    else if (message.type === "cancel") cancelling.abort();
    else {
      if (message.type === "run") cancelling = new AbortController();
      inbox.push(message);
    }
  }
}

/** The next run, with the files that came before it. */
async function nextRun(): Promise<
  { id: number; request: RunRequest; wishes: FileWishes }
> {
  // The server keeps the bounds.
  const receiver = new FileReceiver({ bytes: Infinity, count: Infinity });
  while (true) {
    const message = await inbox.next();
    if (message.type === "file") receiver.take(message);
    if (message.type !== "run") continue;
    const { id, request, wantsFiles = false } = message;
    return { id, request, wishes: { files: receiver.files, wantsFiles } };
  }
}

async function nextOf<Type extends ToSandbox["type"]>(
  type: Type,
): Promise<Extract<ToSandbox, { type: Type }>> {
  while (true) {
    const message = await inbox.next();
    if (isOf(message, type)) return message;
  }
}

function isOf<Type extends ToSandbox["type"]>(
  message: ToSandbox,
  type: Type,
): message is Extract<ToSandbox, { type: Type }> {
  return message.type === type;
}

async function send(message: FromSandbox) {
  await stdout.write(encoder.encode(`${token}${JSON.stringify(message)}\n`));
}
