import { UserError } from "../../errors.ts";
import type { Settings } from "../../settings.ts";
import type { ListedServer } from "../../protocol/downstream.ts";
import type { Configurations } from "./configurations.ts";
import { revisionOf } from "./transports/transport.ts";
import { startBridge, type StartedBridge } from "./start_bridge.ts";

/** The downstream servers, as the broker needs them. */
export interface Downstream {
  list(): ListedServer[];
  /** @throws {UserError} If there is no such server, or it cannot be started. */
  start(name: string, revision: string): StartedBridge;
}

/** Lists the configured servers without their secrets, and starts their bridges. */
export function toDownstream(
  configurations: Pick<Configurations, "list" | "find">,
  { startTimeoutSeconds, maxHostCallSize }: Pick<
    Settings,
    "startTimeoutSeconds" | "maxHostCallSize"
  >,
): Downstream {
  return {
    list: () => configurations.list(),
    start(name, revision) {
      const entry = configurations.find(name);
      if (!entry) {
        throw new UserError(
          `There is no server "${name}" any more: it was taken out of its file.`,
        );
      }
      if (revisionOf(entry) !== revision) {
        throw new UserError(
          `The server "${name}" has another entry now: its file has changed.`,
        );
      }
      return startBridge(entry, {
        startMs: startTimeoutSeconds * 1000,
        maxResult: maxHostCallSize,
      });
    },
  };
}
