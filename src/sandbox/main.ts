// A sandbox process: prepares an interpreter, runs code in it, and once that
// interpreter is gone for certain, prepares the next.
//
// Its input is packets; each line of its output starts with this process's token. The
// token is the first line of input: without it, nothing that Python may write to
// stdout can pass for a message.
import { MIB } from "../units.ts";
import type { RunRequest } from "../protocol/run_messages.ts";
import { holdEnvironment } from "../environments/file_locks.ts";
import { detailsOf, EXIT, messageOf } from "../errors.ts";
import { log } from "../log.ts";
import { leaveSignals } from "../signals.ts";
import { TO_SANDBOX_LINE } from "../protocol/bounds.ts";
import {
  encodePacket,
  readPackets,
  sizeOf,
  type Written,
} from "../protocol/packets.ts";
import { isLogged } from "../protocol/log_lines.ts";
import {
  decodeToSandbox,
  type FromSandbox,
  type GivenToSandbox,
  MOST_HOSTS,
  splitBytes,
} from "../protocol/sandbox_messages.ts";
import { PIECES_UNDER_WAY } from "../protocol/checkpoint_messages.ts";
import { Queue } from "../protocol/channel.ts";
import { readStdin, writeStdout } from "../protocol/standard_streams.ts";
import { Lead, Window } from "../protocol/window.ts";
import { FileReceiver, PIECE_BYTES } from "../protocol/run_files.ts";
import { RunClock } from "../protocol/run_clock.ts";
import type { RunSetup } from "../protocol/run_setup.ts";
import type { SandboxSettings } from "../protocol/run_limits.ts";
import type {
  Interpreter,
  OpenEngine,
  SavedInterpreter,
} from "../engines/engine.ts";
import type { Anew } from "../protocol/rewinding.ts";
import { Background } from "./background.ts";
import { Guard } from "./guard.ts";
import { serveNetwork } from "./http_sender.ts";
import { isOutgrown } from "./run_within_limits.ts";
import { type Meter, openMeter } from "./meter.ts";
import { type AskedRun, serveRun } from "./runs.ts";

/** Time for the server to read how a run ended that was given up. */
const LAST_WORDS_MS = 5000;
/** Memory that may be left of a run, its worker gone: the process starts anew. */
const MOST_LEFT_MIB = 64;
/** After this many interpreters a process makes room for a new one, by default. */
const INTERPRETERS_PER_PROCESS = 100;
/** After so many rewinds, too: ten times as many have made nothing slow or wrong. */
const REWINDS_PER_PROCESS = 2000;
const REHEARSAL_MS = 10_000;

// Written by the broker, from the user's settings.
const { allowNet: hosts = [], policy, ...options }: SandboxSettings = JSON
  .parse(
    Deno.args[0] ?? "",
  );
// An environment in use is not removed from the cache.
using _held = options.environment === ""
  ? undefined
  : holdEnvironment(options.environment);
// The address is in the launcher's row of the engine: only its own host side loads.
const { openEngine }: { openEngine: OpenEngine } = await import(
  options.engine.host
);
const engine = openEngine(
  options,
  // With a policy, the refusal of each host names it.
  hosts.length > 0 || policy
    ? (port, events) =>
      serveNetwork(port, { hosts, policy, ...events, onReached: noteHost })
    : undefined,
);
/** Hosts that the run has reached. */
const reached = new Set<string>();
const inbox = new Queue<GivenToSandbox>();
/** Pieces of a checkpoint on their way to the server. */
const pieces = new Window(PIECES_UNDER_WAY);
const lead = new Lead();
const packets = readPackets(readStdin(), {
  line: TO_SANDBOX_LINE,
  body: PIECE_BYTES,
});
let interpreter: Interpreter | undefined;
let hasRun = false;
let rewinds = 0;
let cancelling = new AbortController();
let interrupting = new AbortController();
/** The time of the run that is under way, or was last. */
let clock = new RunClock();
const token = new TextDecoder().decode((await packets.next()).value?.line);

leaveSignals();
receive().then(() => Deno.exit(EXIT.ok), fail);
try {
  await sendLast({ type: "failed", reason: await serveInterpreters() });
} catch (error) {
  await fail(error);
}
Deno.exit(EXIT.ok);

/** Serves with an interpreter after another; gives the reason to stop. */
async function serveInterpreters(): Promise<string> {
  const {
    prepare,
    mostSaved,
    interpretersPerProcess: most = INTERPRETERS_PER_PROCESS,
  } = await engine;
  const setup = await nextSetup();
  let meter: Meter | undefined;
  let from: SavedInterpreter | undefined;
  let anew: Anew | undefined;
  for (let left = most; left > 0 || from; left--) {
    if (rewinds === REWINDS_PER_PROCESS && !from) {
      return `it has rewound ${rewinds} times`;
    }
    using guard = new Guard();
    try {
      interpreter = await prepare(setup, () => guard.look(), from);
    } catch (error) {
      if (!from) throw error;
      from = undefined;
      await send({ type: "unrestored", reason: messageOf(error) });
      continue;
    }
    // Before the run's code: memory that the code takes counts as the run's.
    meter ??= await openMeter(tellsCpu(options));
    if (left === most) {
      await rehearse(interpreter, { setup, meter, guard });
    }
    const memoryMiB = meter.heldMiB();
    await send(
      from
        ? { type: "restored" }
        : { type: "ready", ...anew && { anew }, memoryMiB },
    );
    const terms = { setup, meter, guard, mostSaved };
    const served = await serveRewound(interpreter, terms);
    if (!served.allEndedByThemselves) return "a run did not end by itself";
    ({ from, anew } = served);
    using _ending = guard.add(() => endIfOutgrown(meter!));
    const isGone = await interpreter.end();
    // It ran nothing that could go on; and the memory left is the session's bytes.
    if (from) continue;
    if (!isGone) return "an interpreter did not end";
    // The next run must not pay for memory that this run has left.
    const leftMiB = Math.round(meter.grownBytes() / MIB);
    if (leftMiB > MOST_LEFT_MIB) return `runs have left ${leftMiB} MiB in it`;
  }
  return `it has had ${most} interpreters`;
}

interface Served {
  /** Whether this process may go on. */
  allEndedByThemselves: boolean;
  /** Whether Python has come back each time. */
  allCameBack?: boolean;
  /** The session that the next interpreter is for. */
  from?: SavedInterpreter;
  /** Whether the next interpreter may be this one, rewound. */
  rewind?: boolean;
  /** Why it cannot be. */
  anew?: Anew;
}

/** Serves with an interpreter as long as it can be rewound. */
async function serveRewound(
  interpreter: Interpreter,
  terms: RunTerms & { mostSaved: number },
): Promise<Served> {
  while (true) {
    const served = await serveRuns(interpreter, terms);
    if (!served.rewind || rewinds === REWINDS_PER_PROCESS) return served;
    const anew = await maybeRewind(interpreter, served, terms);
    if (anew) return { ...served, anew };
    rewinds++;
    const memoryMiB = terms.meter.heldMiB();
    await send({ type: "ready", isRewound: true, memoryMiB });
  }
}

/** @returns Why it was not rewound. */
async function maybeRewind(
  interpreter: Interpreter,
  { allCameBack }: Served,
  { meter, guard }: RunTerms,
): Promise<Anew | undefined> {
  if (!interpreter.rewind) return { cause: "engine", detail: "" };
  if (!allCameBack) return { cause: "ending", detail: "" };
  // Code of the run may go on meanwhile.
  using _rewinding = guard.add(() => endIfOutgrown(meter));
  const anew = await interpreter.rewind();
  if (anew) return anew;
  const leftMiB = Math.round(meter.grownBytes() / MIB);
  return leftMiB > MOST_LEFT_MIB
    ? { cause: "memory", detail: `runs have left ${leftMiB} MiB` }
    : undefined;
}

/**
 * Serves a single run, or those of a session, until the next interpreter is wanted.
 */
async function serveRuns(
  interpreter: Interpreter,
  { mostSaved, ...terms }: RunTerms & { mostSaved: number },
): Promise<Served> {
  const { meter, guard } = terms;
  let allEndedByThemselves = true;
  let allCameBack = true;
  let background = openBackground(interpreter, meter, false);
  let between: Disposable | undefined;
  const watch = (toldMiB?: number) => {
    const check = background.watch(toldMiB);
    between = guard.add(() => {
      endIfOutgrown(meter);
      return check();
    });
  };
  // The server asks for the next interpreter once the result is on its way, as
  // preparing takes all of a core.
  while (true) {
    const asked = await nextAsked(mostSaved);
    if ("fork" in asked) return { allEndedByThemselves, from: asked };
    if ("type" in asked && asked.type === "keep") {
      await interpreter.keep?.();
      // What it keeps is not a run's.
      if (!hasRun) meter.rebase();
      continue;
    }
    between?.[Symbol.dispose]();
    if ("rewind" in asked) {
      return { allEndedByThemselves, allCameBack, ...asked };
    }
    if ("type" in asked) {
      // Code of the session runs then, too.
      using _saving = guard.add(() => endIfOutgrown(meter));
      const end = await interpreter.save((piece) =>
        pieces.pass(1, () => send(piece))
      );
      if (!end) return { allEndedByThemselves: false };
      await send(end);
      watch();
      continue;
    }
    hasRun = true;
    await send({ type: "started", run: asked.id });
    const limits = limitsOf(terms);
    const { endedByItself, cameBack, isKept, memoryMiB } = await serveRun(
      interpreter,
      asked,
      send,
      limits,
    );
    allEndedByThemselves &&= endedByItself;
    allCameBack &&= cameBack;
    if (!endedByItself && !cameBack && !isKept) return { allEndedByThemselves };
    if (asked.request.look === undefined) {
      background = openBackground(interpreter, meter, isKept);
    }
    // Its worker may go on until it is gone, or runs again.
    watch(memoryMiB);
  }
}

async function rehearse(
  interpreter: Interpreter,
  terms: RunTerms,
): Promise<void> {
  const { rehearsal } = options.engine;
  if (!rehearsal) return;
  const timeoutMs = REHEARSAL_MS;
  const request: RunRequest = { ...rehearsal, globals: "{}", timeoutMs };
  const run = { id: 0, request, isKept: true };
  await serveRun(interpreter, run, () => Promise.resolve(), limitsOf(terms));
}

interface RunTerms {
  setup: RunSetup;
  meter: Meter;
  guard: Guard;
}

function limitsOf(terms: RunTerms) {
  clock = new RunClock(terms.setup.hostCalls);
  return {
    ...options,
    ...terms,
    reached,
    clock,
    cancelled: cancelling.signal,
    interrupted: interrupting.signal,
    onGivenUp: () => setTimeout(endUnread, LAST_WORDS_MS),
  };
}

/** CPU time is told for a limit, or for the lines of runs. */
function tellsCpu({ cpuSeconds, logLevel, audits }: typeof options) {
  return cpuSeconds !== undefined || audits === true ||
    isLogged("info", logLevel ?? "warning");
}

function noteHost(host: string): void {
  if (reached.size < MOST_HOSTS) reached.add(host);
}

function endIfOutgrown(meter: Meter): void {
  if (isOutgrown(meter, options)) Deno.exit(EXIT.failure);
}

/** Ends this process for a fault of ours, or as Python cannot start. */
async function fail(error: unknown): Promise<never> {
  log(`mcp-run-python: a sandbox process ends: ${detailsOf(error)}`);
  return await retire(String(error));
}

async function retire(reason: string): Promise<never> {
  setTimeout(endUnread, LAST_WORDS_MS);
  await sendLast({ type: "failed", reason });
  return Deno.exit(EXIT.failure);
}

/** A worker goes on with a run that was given up, even if no process reads this one. */
function endUnread(): never {
  return Deno.exit(EXIT.failure);
}

/**
 * Between runs, too, an interpreter has limits. An idle one is calm: 50 sessions
 * would else take half of a core.
 *
 * @param isKept Whether the server listens.
 */
function openBackground(
  interpreter: Interpreter,
  meter: Meter,
  isKept: boolean,
): Background {
  const { cpuSeconds, backgroundCpuSeconds = Infinity } = options;
  const limit = cpuSeconds === undefined
    ? `${backgroundCpuSeconds} s of CPU time`
    : `${cpuSeconds} s of CPU time (--cpu-time)`;
  return new Background({
    meter,
    cpuSeconds: cpuSeconds ?? backgroundCpuSeconds,
    tell: (use) => void (isKept && send({ type: "background", ...use })),
    interrupt: () => interpreter.interruptTasks(),
    giveUp: () =>
      retire(
        `its tasks took more than ${limit} between two runs, and did not stop when they were interrupted`,
      ),
  });
}

/** Ends when stdin does: the broker is gone. */
async function receive() {
  for await (const packet of packets) {
    const message = decodeToSandbox(packet);
    // In order: a late answer comes before the message that starts the next run.
    if (message.type === "answer") {
      clock.goOn(message.id);
      interpreter?.answer(message);
    } else if (message.type === "cancel") cancelling.abort();
    else if (message.type === "interrupt") interrupting.abort();
    else if (message.type === "taken") pieces.leave(1);
    else {
      if (message.type === "run") {
        cancelling = new AbortController();
        interrupting = new AbortController();
      }
      inbox.push(message);
    }
  }
}

async function nextSetup(): Promise<RunSetup> {
  const message = await inbox.next();
  if (message.type === "setup") return message.setup;
  throw new TypeError(`Cannot take "${message.type}" before the setup`);
}

/**
 * The next run with its files, a save, a session to restore, or the wish for the next
 * interpreter.
 */
async function nextAsked(
  mostSaved: number,
): Promise<
  AskedRun | { type: "save" | "keep" } | SavedInterpreter | { rewind: boolean }
> {
  // The server keeps the bounds.
  const receiver = new FileReceiver();
  const pieces: Uint8Array[] = [];
  let size = 0;
  while (true) {
    const message = await inbox.next();
    switch (message.type) {
      case "next":
        return { rewind: message.rewind === true };
      case "file":
        receiver.take(message);
        break;
      case "run": {
        const { type: _, ...run } = message;
        return { ...run, files: receiver.files };
      }
      case "keep":
      case "save":
        return { type: message.type };
      case "piece":
        size += message.bytes.length;
        if (size > mostSaved) throw new RangeError("The session is too large");
        pieces.push(message.bytes);
        break;
      case "restore":
        return { bytes: join(pieces, size), fork: message.fork };
    }
  }
}

/** Joins bytes, and gives the memory of each part back. */
function join(parts: Uint8Array[], size: number): Uint8Array {
  const joined = new Uint8Array(size);
  let at = 0;
  for (let part; (part = parts.shift()); at += part.length) {
    joined.set(part, at);
  }
  return joined;
}

/** Waits only while too much is under way. */
async function send(message: FromSandbox): Promise<void> {
  const pieces = encode(message);
  await lead.take(sizeOf(pieces), writeStdout(...pieces));
}

/** Waits until all is written: this process ends then. */
async function sendLast(message: FromSandbox): Promise<void> {
  await writeStdout(...encode(message));
}

function encode(message: FromSandbox): Written {
  const [rest, bytes] = splitBytes(message);
  // Those that are held are with the broker alone.
  return encodePacket(rest, bytes as Uint8Array<ArrayBuffer>, token);
}
