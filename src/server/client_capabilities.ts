import { CLIENT_CAPABILITIES_META_KEY } from "../../deps/mcp_server.ts";
import { fields } from "../protocol/fields.ts";

/** The extension of clients that show pages: MCP Apps. */
export const UI_EXTENSION = "io.modelcontextprotocol/ui";

/**
 * Whether a client has declared an extension.
 *
 * @param envelope Of the request: a client of 2026 declares its capabilities there.
 * @param known The capabilities that a client of 2025 has declared once.
 */
export function declares(
  extension: string,
  envelope: unknown,
  known?: unknown,
): boolean {
  const { extensions } = capabilitiesIn(envelope, known);
  return Object.hasOwn(fields(extensions), extension);
}

/** Whether a client can show a form to its user; parameters as of `declares()`. */
export function canShowForms(envelope: unknown, known?: unknown): boolean {
  const { elicitation } = capabilitiesIn(envelope, known);
  if (typeof elicitation !== "object" || elicitation === null) return false;
  // Clients of before there were kinds of questions name none.
  return "form" in elicitation || Object.keys(elicitation).length === 0;
}

function capabilitiesIn(envelope: unknown, known: unknown) {
  const { [CLIENT_CAPABILITIES_META_KEY]: said = known } = fields(envelope);
  return fields(said);
}
