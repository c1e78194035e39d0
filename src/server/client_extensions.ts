import { CLIENT_CAPABILITIES_META_KEY } from "../../deps/mcp_server.ts";
import { fields } from "../protocol/fields.ts";

/** The extension of clients that show pages: MCP Apps. */
export const UI_EXTENSION = "io.modelcontextprotocol/ui";

/**
 * Whether a client has declared an extension.
 *
 * @param envelope Of the request: a client of 2026 declares its extensions there.
 * @param known The capabilities that a client of 2025 has declared once.
 */
export function declares(
  extension: string,
  envelope: unknown,
  known: unknown,
): boolean {
  const { [CLIENT_CAPABILITIES_META_KEY]: said = known } = fields(envelope);
  return Object.hasOwn(fields(fields(said).extensions), extension);
}
