import type { ServerSettings } from "../../protocol/server_settings.ts";
import type { Share } from "../../shares.ts";
import { head } from "../../results/cut.ts";
import type { BrokerLine } from "../broker_line.ts";
import type { HostCalls } from "../host_calls/host_calls.ts";
import type { Log } from "../../protocol/log_lines.ts";
import { toRunSetup } from "../to_run_setup.ts";
import { LocalPool } from "./local_pool.ts";
import type { StartPool } from "./pool.ts";
import { readFromSandbox } from "./sandbox.ts";
import { Slots } from "./turns.ts";

/**
 * Makes the function that starts pools: the one place that knows where their
 * interpreters are. All others know a `Pool`.
 *
 * @param turns Runs at a time, of all pools together.
 */
export function poolStarter(
  broker: Pick<BrokerLine, "spawn"> & { log: Pick<Log, "write"> },
  settings: ServerSettings,
  { turns, hostCalls }: { turns: Share; hostCalls: HostCalls },
): StartPool {
  const { pool, startTimeoutSeconds } = settings;
  const slots = new Slots(turns);
  const setup = toRunSetup(settings);
  return ({ id: environment }, { engine, isOwn, onReplaced, onMade }) =>
    new LocalPool(
      () => {
        const spec = { engine: engine.name, environment };
        return broker.spawn("sandbox", spec, readFromSandbox);
      },
      pool,
      {
        ...{ engine, setup, hostCalls, slots },
        rewinds: settings.fresh === "caller" && engine.canRewind,
        startMs: startTimeoutSeconds * 1000,
        onMade(how, detail = "") {
          onMade(how);
          if (how === "rewound") return;
          const anew = { anew: how, detail: head(detail, 200) };
          broker.log.write("info", "sandbox", anew);
        },
        onEnd(reason, hasRun, cause) {
          onReplaced(cause);
          const level = hasRun ? "info" : "warning";
          broker.log.write(level, "sandbox", { ended: head(reason, 1000) });
        },
        // Calls that ask for packages of their own are rare.
        idle: isOwn ? 1 : 0,
        spare: isOwn && settings.http ? 1 : 0,
      },
    );
}
