import { NO_PLACE } from "./component_place.ts";
import type { Configurations } from "../../src/launcher/downstream/configurations.ts";
import {
  fingerprintOf,
  revisionOf,
} from "../../src/launcher/downstream/transports/transport.ts";
import { toDownstream } from "../../src/launcher/downstream/start_bridge.ts";
import type { ListedServer } from "../../src/protocol/downstream.ts";
import { bridgeKind } from "../../src/launcher/kinds.ts";
import { fields } from "../../src/protocol/fields.ts";
import { DownstreamHub } from "../../src/server/code_mode/downstream_hub.ts";
import { type ConfiguredServer, toEntry } from "./downstream_servers.ts";
import type { Kept } from "../../src/server/keeper.ts";
import { openChannel } from "./open_channel.ts";

export interface TestHub extends AsyncDisposable {
  hub: DownstreamHub;
  /** The configured servers; a test may change them. */
  configured: Record<string, ConfiguredServer>;
  /** Names of the servers whose bridges were started, in this order. */
  started: string[];
  /** Calls a tool; gives the text of its result. */
  call(name: string, tool: string, args?: unknown): Promise<string>;
}

/** Configurations of the servers that an object has now. */
export function configurationsOf(
  configured: Record<string, ConfiguredServer>,
): Pick<Configurations, "list" | "find" | "isFirst"> {
  const list = (): ListedServer[] =>
    Object.entries(configured).map(([name, server]) => {
      const entry = toEntry(name, server);
      return {
        ...{ name, source: "a test", transport: entry.transport },
        fingerprint: fingerprintOf(entry),
        revision: revisionOf(entry),
      };
    });
  return {
    list,
    // The tests change them as the user does.
    isFirst: () => true,
    find(name) {
      const server = configured[name];
      return server && toEntry(name, server);
    },
  };
}

/** A hub whose bridges the launcher's own code starts, without a broker between. */
export async function openHub(
  configured: Record<string, ConfiguredServer>,
  { startTimeoutSeconds = 120, ...options }: {
    startTimeoutSeconds?: number;
    kept?: Kept;
    mostBridges?: number;
  } = {},
): Promise<TestHub> {
  const settings = { startTimeoutSeconds, maxHostCallSize: 1 << 20 };
  const downstream = toDownstream(
    ...[configurationsOf(configured), settings, NO_PLACE] as const,
  );
  const started: string[] = [];
  const channels: { kill(): void; ended: Promise<unknown> }[] = [];
  const hub = new DownstreamHub({
    askServers: () => Promise.resolve(downstream.list()),
    spawn(_kind, spec, parse) {
      started.push(String(fields(spec).server));
      const kind = bridgeKind(downstream);
      const channel = openChannel<never, ReturnType<typeof parse>>(
        ...[kind, spec, parse] as const,
      );
      channels.push(channel);
      return channel as never;
    },
  }, { startTimeoutSeconds, ...options });
  await hub.servers();
  return {
    ...{ hub, configured, started },
    async call(name, tool, args = {}) {
      const options = { signal: NEVER, timeoutMs: 120_000 };
      const text = JSON.stringify(args);
      const result = JSON.parse(await hub.call(name, tool, text, options));
      return result.content[0].text;
    },
    async [Symbol.asyncDispose]() {
      hub.close();
      for (const channel of channels) channel.kill();
      await Promise.all(channels.map(({ ended }) => ended));
    },
  };
}

const NEVER = new AbortController().signal;
