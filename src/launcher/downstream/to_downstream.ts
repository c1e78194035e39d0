import { UserError } from "../../errors.ts";
import type { Settings } from "../../settings.ts";
import type { Downstream } from "./bridges.ts";
import type { Configurations } from "./configurations.ts";
import { startBridge } from "./start_bridge.ts";

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
    start(name) {
      const entry = configurations.find(name);
      if (!entry) {
        throw new UserError(
          `There is no server "${name}" any more: it was taken out of its file.`,
        );
      }
      return startBridge(entry, {
        startMs: startTimeoutSeconds * 1000,
        maxResult: maxHostCallSize,
      });
    },
  };
}
