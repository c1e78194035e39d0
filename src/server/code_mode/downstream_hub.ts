import {
  type AskMethod,
  MOST_BRIDGES,
  type Offer,
  parseFromBridge,
} from "../../protocol/bridge_messages.ts";
import type { Denied } from "../../grants/guest_grants.ts";
import {
  type ChangedEntry,
  type DownstreamTool,
  type ListedServer,
  processOf,
} from "../../protocol/downstream.ts";
import type { Log } from "../../protocol/log_lines.ts";
import type { BrokerLine } from "../broker_line.ts";
import {
  type BridgeProcess,
  CLOCK,
  type Clock,
  readFromBridge,
} from "./running_bridge.ts";
import { DownstreamServer, type ToolList } from "./downstream_server.ts";
import { quote, suggest } from "./find_downstream.ts";
import {
  type CallOptions,
  DownstreamError,
  type Hub,
  type Notification,
  type UnjudgedServer,
} from "./hub.ts";
import type { Kept } from "../keeper.ts";
import { fields } from "../../protocol/fields.ts";

interface HubOptions {
  startTimeoutSeconds: number;
  /** Keeps lists of tools beyond the end of this program. */
  kept?: Kept;
  log?: Pick<Log, "write">;
  clock?: Clock;
  mostBridges?: number;
}

/** Bridges to downstream servers, each started when it is first needed. */
export class DownstreamHub implements Hub {
  #servers = new Map<string, DownstreamServer>();
  #refreshed = 0;
  #isKnown = false;
  /** What the user has said of changed entries, by their revisions. */
  #judged = new Map<string, boolean>();
  /** What the user has granted to components, by the same. */
  #granted = new Map<string, readonly Denied[]>();

  constructor(
    private readonly line: Pick<BrokerLine, "askServers" | "spawn">,
    private readonly options: HubOptions,
  ) {}

  async servers(): Promise<readonly ListedServer[]> {
    const turn = ++this.#refreshed;
    const listed = await this.line.askServers();
    // A later answer is newer.
    if (turn === this.#refreshed) await this.#takeOver(listed);
    this.#isKnown = true;
    return listed;
  }

  known(): readonly ListedServer[] | undefined {
    return this.#isKnown
      ? [...this.#servers.values()].map(({ listed }) => listed)
      : undefined;
  }

  maybeUnjudged(name: string): UnjudgedServer | undefined {
    const { listed } = this.#servers.get(name) ?? {};
    return listed?.changed && !this.#judged.has(keyOf(listed))
      ? { ...listed, changed: listed.changed }
      : undefined;
  }

  judge(server: UnjudgedServer, mayStart: boolean): void {
    this.#judged.set(keyOf(server), mayStart);
  }

  warm(name: string): void {
    this.#servers.get(name)?.warm();
  }

  async tools(
    name: string,
    signal?: AbortSignal,
  ): Promise<readonly DownstreamTool[]> {
    return await (await this.#find(name)).tools(signal);
  }

  async currentTools(
    name: string,
    signal: AbortSignal,
  ): Promise<readonly DownstreamTool[]> {
    return await (await this.#find(name)).currentTools(signal);
  }

  knownTools(name: string): readonly DownstreamTool[] | undefined {
    return this.#servers.get(name)?.known;
  }

  async call(
    name: string,
    tool: string,
    args: string,
    options: CallOptions,
  ): Promise<string> {
    return await (await this.#find(name)).call(tool, args, options);
  }

  async offers(name: string, signal: AbortSignal): Promise<readonly Offer[]> {
    return await (await this.#find(name)).offers(signal);
  }

  async ask(
    name: string,
    method: AskMethod,
    params: string,
    options: CallOptions,
  ): Promise<string> {
    return await (await this.#find(name)).ask(method, params, options);
  }

  grant(
    entry: Pick<ListedServer, "name" | "revision">,
    granted: readonly Denied[],
  ): void {
    const key = keyOf(entry);
    this.#granted.set(key, [...this.#granted.get(key) ?? [], ...granted]);
    const server = this.#servers.get(entry.name);
    if (server && keyOf(server.listed) === key) server.close();
  }

  notify(name: string, notification: Notification): void {
    this.#servers.get(name)?.notify(notification);
  }

  /** Ends all bridges. */
  close(): void {
    for (const server of this.#servers.values()) server.close();
  }

  async #find(name: string): Promise<DownstreamServer> {
    if (!this.#servers.has(name)) await this.servers();
    const server = this.#servers.get(name);
    if (server) return server;
    throw new DownstreamError(
      "connection",
      `There is no server ${quote(name)}. ${
        suggest(name, [...this.#servers.keys()])
      }`,
    );
  }

  /** A server whose entry has changed is another server. */
  async #takeOver(listed: readonly ListedServer[]): Promise<void> {
    const before = this.#servers;
    this.#servers = new Map(listed.map((one) => {
      const old = before.get(one.name);
      // It is the same entry still once the user has agreed to it, and may start.
      const isSame = old?.listed.revision === one.revision &&
        !old.listed.changed === !one.changed;
      return [one.name, isSame ? old : this.#make(one)];
    }));
    const added: Promise<void>[] = [];
    for (const [name, server] of this.#servers) {
      const old = before.get(name);
      if (old !== server) added.push(this.#load(server));
      before.delete(name);
      if (old !== server) old?.close();
    }
    for (const gone of before.values()) gone.close();
    await Promise.all(added);
  }

  #make(listed: ListedServer): DownstreamServer {
    const { clock = CLOCK, startTimeoutSeconds, log, kept } = this.options;
    return new DownstreamServer(listed, {
      clock,
      startMs: startTimeoutSeconds * 1000,
      connect: (server) => this.#connect(server),
      onTools: (list: ToolList) => void saveTools(kept, listed, list),
      onEvent: (event, reason) =>
        log?.write(event === "down" ? "warning" : "info", "server", {
          downstream: listed.name,
          event,
          ...(reason === undefined ? {} : { reason }),
        }),
    });
  }

  async #load(server: DownstreamServer): Promise<void> {
    const kept = await loadTools(this.options.kept, server.listed);
    if (kept) server.remember(kept);
  }

  /** Ends the bridge that was not used for longest, if there are too many. */
  #connect({ listed }: DownstreamServer): BridgeProcess {
    const { name, revision } = listed;
    const { mostBridges = MOST_BRIDGES } = this.options;
    const isAgreed = this.#judged.get(keyOf(listed)) === true;
    if (listed.changed && !isAgreed) throw refuse(listed, listed.changed);
    const running = [...this.#servers.values()].filter(({ isRunning }) =>
      isRunning
    );
    if (running.length >= mostBridges) {
      const [oldest] = running.filter(({ isIdle }) => isIdle)
        .sort((one, other) => one.lastUsed - other.lastUsed);
      if (!oldest) {
        throw new DownstreamError(
          "connection",
          `Server ${
            JSON.stringify(name)
          } cannot be started: ${running.length} servers are in use, which is all there may be. Try again when a call has ended.`,
        );
      }
      oldest.close();
    }
    const granted = this.#granted.get(keyOf(listed));
    const spec = {
      ...{ server: name, revision },
      ...isAgreed && { isAgreed },
      ...granted && { granted },
    };
    return this.line.spawn(processOf(listed), spec, readFromBridge);
  }
}

/** What is agreed to is one entry, and its name: patterns of tools are for names. */
function keyOf(
  { name, revision }: Pick<ListedServer, "name" | "revision">,
): string {
  return JSON.stringify([name, revision]);
}

function refuse(
  { name, source }: ListedServer,
  { how }: ChangedEntry,
): DownstreamError {
  return new DownstreamError(
    "connection",
    `Server ${
      quote(name)
    } is not started: its entry in ${source} was ${how} after mcp-run-python had started, and the user has not agreed to it. The user is asked at the next call that may use it, if the client can ask; else a restart of mcp-run-python takes the entry.`,
  );
}

// The tools of servers, as an earlier start of this program has seen them. They are
// words of downstream servers, and of a file: they are read as carefully.

/** Undefined if they are not kept, or cannot be read. */
async function loadTools(
  kept: Pick<Kept, "get"> | undefined,
  { fingerprint }: ListedServer,
): Promise<ToolList | undefined> {
  try {
    const found = await kept?.get("catalog", "", fingerprint);
    if (!found) return undefined;
    const list = fields(JSON.parse(found.text));
    const read = parseFromBridge({ ...list, type: "tools", id: 0 });
    return read?.type === "tools" ? read : undefined;
  } catch {
    return undefined;
  }
}

/** Keeps them if that is possible: a search can do without. */
async function saveTools(
  kept: Pick<Kept, "put"> | undefined,
  { fingerprint }: ListedServer,
  list: ToolList,
): Promise<void> {
  try {
    const text = JSON.stringify(list);
    await kept?.put("catalog", "", fingerprint, { text });
  } catch {
    // It is too large, or there are too many.
  }
}
