// The longest line of each hop, in bytes. Each bound follows from those before it,
// so that a line which a process may write is a line which the next process reads.
import { MIB } from "../units.ts";

const encoder = new TextEncoder();

/** Bytes that a character of text can take as JSON: `\u0000`. */
export const LONGEST_ESCAPE = 6;

/** Mark, kind and number of a frame, with room to spare. */
const FRAME_HEADER = 64;

/** All of a message but its texts: names of fields, numbers, small lists. */
const MESSAGE = 64 * 1024;

/** Client to server: an MCP message. */
export const CLIENT_LINE = 64 * MIB;

/** Bytes of code that a call may send. */
export const MOST_CODE = 32 * MIB;

/** Code as JSON: code that a client can send fits, as no encoding is shorter. */
export const ENCODED_CODE = CLIENT_LINE;

/** Global variables of a run as JSON in JSON. */
export const ENCODED_GLOBALS = 32 * MIB;

/** Environment variables of all runs as JSON: the user's command line bounds them. */
const ENCODED_VARIABLES = 16 * MIB;

/** Server to sandbox process: a run request is the longest, longer than the setup. */
export const TO_SANDBOX_LINE = ENCODED_CODE + ENCODED_GLOBALS + MESSAGE;

/** Server to broker: a frame for a sandbox process, or an answer to the client. */
export const SERVER_LINE = TO_SANDBOX_LINE + FRAME_HEADER;

/** Launcher and server to bridge: a call's arguments are JSON in JSON. */
export const TO_BRIDGE_LINE = TO_SANDBOX_LINE;

/** Characters of a result that a model reads, if `--max-output` is not given. */
export const USUAL_OUTPUT = 30_000;

/** Characters of output, and of an error, that a run keeps at least. */
export const KEPT_OUTPUT = 100_000;

/** Characters of output and of an error to keep (`--max-output` at its largest). */
export const MOST_OUTPUT = 400_000;

/** Characters of a host call. */
export const LONGEST_CALL = 8 * MIB;

/** Characters of an error that nothing else bounds. */
export const LONGEST_ERROR = 4 * MIB;

/** Characters of the note that says how much was left out. */
export const NOTE_CHARS = 200;

/** Times the limit of output that our own encoder writes of a value. */
const SLACK = 4;

/** Characters after which our own encoder cuts a value. */
export function wholeValue(limit: number): number {
  return SLACK * limit;
}

/** Characters that the JSON text of a value can have. */
export function longestValue(limit: number | null): number {
  return (wholeValue(limit ?? MOST_OUTPUT) + 1000) * LONGEST_ESCAPE;
}

/** Characters of JSON of a value that no summary stands for. */
export const LONGEST_PLAIN = 4000;

/** Characters of a summary as Python writes it, with room for notes. */
export const LONGEST_SUMMARY = 4 * LONGEST_PLAIN;

/** Characters of a value, of its table as a text, and of its summary. */
const LONGEST_SUCCESS = longestValue(MOST_OUTPUT) + MOST_OUTPUT + NOTE_CHARS +
  LONGEST_SUMMARY;

/** Sandbox process to server, its token included. */
export const FROM_SANDBOX_LINE = LONGEST_ESCAPE *
    Math.max(LONGEST_SUCCESS, LONGEST_CALL, LONGEST_ERROR) +
  MESSAGE;

/** Bridge to server: a result is JSON in JSON, of the length of a host call. */
export const FROM_BRIDGE_LINE = FROM_SANDBOX_LINE;

/** Launcher to server: the settings, with the code of `run` and its variables. */
const SETTINGS_LINE = ENCODED_CODE + ENCODED_VARIABLES + MIB;

/** Broker to server. */
export const BROKER_LINE =
  Math.max(CLIENT_LINE, FROM_SANDBOX_LINE, SETTINGS_LINE) + FRAME_HEADER;

/** Launcher to installer and back; a preloader's snapshot comes in pieces. */
export const INSTALLER_LINE = 64 * MIB;

/** Lines for a client that may be under way to it, unless a single one is longer. */
export const CLIENT_WINDOW = MIB;

/** Added to the bytes of a line, as each line takes memory until it is read. */
export const LINE_COST = 1024;

/** Answers that may wait for a client before the server takes its next message. */
export const WAITING_ANSWERS = 16 * MIB;

export function fitsEncoded(text: string, bytes: number): boolean {
  return text.length * LONGEST_ESCAPE + 2 <= bytes ||
    encoder.encode(JSON.stringify(text)).length <= bytes;
}
