import { INTERNAL_ERROR } from "../error_codes.ts";
import type { JSONRPCMessage } from "../../../deps/mcp_server.ts";
import { CLIENT_LINE } from "../../protocol/bounds.ts";
import { type Refusal, refuse } from "./client_messages.ts";

const LONGEST_ANSWER = CLIENT_LINE;
const encoder = new TextEncoder();

/**
 * Writes a message for the client as a line that the broker takes; an answer, or
 * an error that repeats its request, becomes another error if it is too long.
 */
export function toAnswerLine(message: JSONRPCMessage | Refusal): string {
  const line = JSON.stringify(message);
  // No character has more than three bytes.
  if (line.length * 3 <= LONGEST_ANSWER) return line;
  const { length } = encoder.encode(line);
  if (length <= LONGEST_ANSWER) return line;
  const id = "id" in message ? message.id ?? null : null;
  const error =
    `Cannot send an answer of ${length} bytes as it may have ${LONGEST_ANSWER}: ask for less`;
  return JSON.stringify(refuse(id, INTERNAL_ERROR, error).refusal);
}
