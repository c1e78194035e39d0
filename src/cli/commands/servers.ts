import { UserError } from "../../errors.ts";
import type { Settings } from "../../settings.ts";
import type { ServersOrder } from "../arguments.ts";

/** Shows the downstream MCP servers that are configured, and their tools. */
export function servers(
  _settings: Settings,
  { action }: ServersOrder,
): Promise<number> {
  throw new UserError(`Cannot do servers ${action} yet.`);
}
