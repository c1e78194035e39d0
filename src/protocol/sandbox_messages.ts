// The messages between the server and a sandbox process; each is a packet, whose body
// is the field `bytes`.
import {
  type CheckpointPiece,
  parseSaveMessage,
  type SaveEnd,
} from "./checkpoint_messages.ts";
import { type AnyBody, HeldBody } from "./held_body.ts";
import { fields, is, readForm, readMessage } from "./fields.ts";
import { decodePacket, type Packet } from "./packets.ts";
import { readFacts } from "./run_facts.ts";
import { type FilePiece, PIECE_BYTES } from "./run_files.ts";
import {
  type Answer,
  type Cancelled,
  type Ending,
  parseEnding,
  parseRunMessage,
  type RunMessage,
  type RunRequest,
} from "./run_messages.ts";
import type { RunSetup } from "./run_setup.ts";
import { ANEW, type Anew } from "./rewinding.ts";

/** Server to sandbox process. */
export type ToSandbox =
  /** The first message: no run is served before it. */
  | { type: "setup"; setup: RunSetup }
  | StartRun
  | FilePiece
  | Answer
  /** Raises KeyboardInterrupt in the code, which may go on. */
  | { type: "interrupt" }
  /** The result of the run is not wanted any more. */
  | { type: "cancel" }
  /** Saves the interpreter, which goes on; between runs. */
  | { type: "save" }
  /** A piece of a checkpoint was taken. */
  | { type: "taken" }
  /** Pieces of a checkpoint, for `restore`. */
  | CheckpointPiece<AnyBody>
  /** Puts the interpreter of the checkpoint in the place of an unused one. */
  | { type: "restore"; fork: boolean }
  /** Nothing is asked of the ready interpreter: it may be kept, for a rewind. */
  | { type: "keep" }
  /** The result is on its way to the client: the next interpreter may be prepared. */
  | {
    type: "next";
    /** Whether the next one is for the same realm, so that this one may be rewound. */
    rewind?: true;
  };

/** Starts a run; the files to put in come before. */
export interface StartRun {
  type: "run";
  /** Number of the run in its process. */
  id: number;
  request: RunRequest;
  /** Whether the files that the run writes come back. */
  wantsFiles?: boolean;
  /** Whether the interpreter stays for the next run, of the same session. */
  isKept?: boolean;
}

/** Sandbox process to server. */
export type FromSandbox =
  | Ready
  | { type: "failed"; reason: string }
  /** The run of this number has begun: all that happens now is its doing. */
  | { type: "started"; run: number }
  | RunMessage
  | RunDone
  | { type: "background" } & BackgroundUse
  | CheckpointPiece<AnyBody>
  | SaveEnd
  | RestoreEnd;

/** An interpreter is ready for its first run. */
export interface Ready {
  type: "ready";
  /** Whether it has served runs before, and was rewound. */
  isRewound?: true;
  /** Why it is a new one, though it was to be rewound. */
  anew?: Anew;
  /** Memory of its process, all in all. */
  memoryMiB?: number;
}

/** The end of a restore. */
export type RestoreEnd =
  | { type: "restored" }
  /** The process prepares a fresh interpreter. */
  | { type: "unrestored"; reason: string };

/** The last message of a run. */
export interface RunDone {
  type: "done";
  run: number;
  ending: Ending | Cancelled;
  /** Characters printed. */
  printed: number;
  /** Characters of the error before it was cut. */
  errorLength?: number;
  /** Whether the interpreter waits for the next run of its session. */
  isKept?: boolean;
  used?: Usage;
}

/** A run's use of its machine, as its process has measured it. */
export interface Usage {
  /** Absent if it was not measured. */
  cpuMs?: number;
  /** Most memory that its process took beyond that of a ready interpreter. */
  memoryMiB: number;
  /** Hosts that answered its requests. */
  hosts: string[];
}

/** The use that the tasks of a session have made of its machine since its last run. */
export interface BackgroundUse {
  /** Memory that its process takes now, beyond that of a ready interpreter. */
  memoryMiB: number;
  cpuSeconds: number;
  /** Times that they were interrupted. */
  interrupts: number;
}

/** Hosts of a run that are counted one by one. */
export const MOST_HOSTS = 100;

/** Splits a message into what goes as JSON, and its body. */
export function splitBytes<Message extends ToSandbox | FromSandbox>(
  message: Message,
): [message: Message, body?: AnyBody] {
  if (!("bytes" in message) || typeof message.bytes === "number") {
    return [message];
  }
  const { bytes, ...rest } = message;
  return [rest as unknown as Message, bytes];
}

/** What a sandbox process gets: all bytes are there. */
export type GivenToSandbox =
  | Exclude<ToSandbox, { type: "piece" }>
  | CheckpointPiece;

/** Reads without checks: the server is trusted. */
export function decodeToSandbox(packet: Packet): GivenToSandbox {
  const message = decodePacket(packet) as GivenToSandbox;
  return packet.body
    ? { ...message, bytes: packet.body } as GivenToSandbox
    : message;
}

/** Undefined if the data is outside this protocol: only pieces have bytes. */
export function parseFromSandbox(
  data: unknown,
  body?: AnyBody,
): FromSandbox | undefined {
  if (!body) return parseMessage(data);
  if (body instanceof HeldBody) {
    const isPiece = fields(data).type === "piece" && body.length <= PIECE_BYTES;
    return isPiece ? { type: "piece", bytes: body } : undefined;
  }
  const message = parseMessage({ ...fields(data), bytes: body });
  return message?.type === "file" || message?.type === "piece"
    ? message
    : undefined;
}

const FORMS = {
  failed: { reason: is.text },
  started: { run: is.number },
  background: {
    ...{ memoryMiB: is.count, cpuSeconds: is.number, interrupts: is.count },
  },
  restored: {},
  unrestored: { reason: is.text },
};

function parseMessage(data: unknown): FromSandbox | undefined {
  return readMessage(data, FORMS) ?? parseSaveMessage(data) ??
    parseRunMessage(data) ?? parseDone(data) ?? parseReady(data);
}

const READY = { type: is.oneOf("ready") };

function parseReady(data: unknown): Ready | undefined {
  const may = { isRewound: is.oneOf(true), memoryMiB: is.count };
  const ready = readForm(data, READY, may);
  const anew = readForm(fields(data).anew, ANEW);
  return ready && { ...ready, ...anew && { anew } };
}

const DONE = { type: is.oneOf("done"), run: is.number, printed: is.number };
const CANCELLED = { status: is.oneOf("cancelled"), error: is.text };

function parseDone(data: unknown): RunDone | undefined {
  const may = { errorLength: is.number, isKept: is.oneOf(true) };
  const done = readForm(data, DONE, may);
  if (!done) return undefined;
  const { ending, used } = fields(data);
  const parsed = parseEnding(ending) ?? parseCancelled(ending);
  const usage = parseUsage(used);
  return parsed && { ...done, ending: parsed, ...usage && { used: usage } };
}

function parseCancelled(data: unknown): Cancelled | undefined {
  const cancelled = readForm(data, CANCELLED);
  return cancelled && { ...cancelled, ...readFacts(data) };
}

function parseUsage(data: unknown): Usage | undefined {
  const has = { memoryMiB: is.number, hosts: is.list };
  const usage = readForm(data, has, { cpuMs: is.number });
  const hosts = usage?.hosts.slice(0, MOST_HOSTS).filter(is.text)
    .filter((host) => host.length <= LONGEST_HOST);
  return usage && hosts && { ...usage, hosts };
}

/** Characters of a host, by DNS, with its port. */
const LONGEST_HOST = 253 + 6;
