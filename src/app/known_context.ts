import {
  McpUiDisplayModeSchema,
  McpUiHostContextSchema,
} from "../../deps/ext_apps.ts";
import { fieldsOf } from "../page/mcp_client.ts";

/**
 * Takes out of a chat's message what this version of the protocol does not know of a
 * context: for one new word, such as a theme, the package refuses the whole message.
 */
export function keepKnown(message: unknown): void {
  const { method, params, result } = fieldsOf(message);
  const context = Object(
    method === "ui/notifications/host-context-changed"
      ? params
      : fieldsOf(result).hostContext,
  );
  if (Array.isArray(context.availableDisplayModes)) {
    context.availableDisplayModes = context.availableDisplayModes
      .filter((mode: unknown) =>
        McpUiDisplayModeSchema.safeParse(mode).success
      );
  }
  for (const [name, schema] of Object.entries(McpUiHostContextSchema.shape)) {
    if (!schema.safeParse(context[name]).success) delete context[name];
  }
}
