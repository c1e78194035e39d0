import type { Denied } from "../../grants/guest_grants.ts";
import type {
  ChangedEntry,
  DownstreamTool,
  ListedServer,
} from "../../protocol/downstream.ts";
import type {
  AskMethod,
  FailureKind,
  Offer,
} from "../../protocol/bridge_messages.ts";

/** The downstream servers, as code mode uses them. */
export interface Hub {
  /** All that are configured, in the order of their sources; looks for changed files. */
  servers(): Promise<readonly ListedServer[]>;
  /** The same as of the last look; undefined before the first. */
  known(): readonly ListedServer[] | undefined;
  /** A server that may start only once the user has agreed, and has not said. */
  maybeUnjudged(name: string): UnjudgedServer | undefined;
  /** Notes what the user says of a server, until its entry is another. */
  judge(server: UnjudgedServer, mayStart: boolean): void;
  /** Starts the bridge of a server if it does not run; never waits, never fails. */
  warm(name: string): void;
  /**
   * The tools of a server, from its last list if nothing has changed since.
   *
   * @throws {DownstreamError} If the server cannot be asked.
   */
  tools(name: string, signal?: AbortSignal): Promise<readonly DownstreamTool[]>;
  /**
   * The same for a call: a server that has ended, or been ended, is started and asked.
   *
   * @throws {DownstreamError} If the server cannot be asked.
   */
  currentTools(
    name: string,
    signal: AbortSignal,
  ): Promise<readonly DownstreamTool[]>;
  /** The last known tools; undefined if the server was never asked. */
  knownTools(name: string): readonly DownstreamTool[] | undefined;
  /**
   * Calls a tool.
   *
   * @param args An object, as JSON text.
   * @returns The whole `CallToolResult`, as JSON text.
   * @throws {DownstreamError} If there is no result.
   * @throws {ToolsChanged} If its tools are not those of the options any more.
   */
  call(
    name: string,
    tool: string,
    args: string,
    options: CallOptions,
  ): Promise<string>;
  /**
   * What a component has beside tools.
   *
   * @throws {DownstreamError} If the component cannot be asked.
   */
  offers(name: string, signal: AbortSignal): Promise<readonly Offer[]>;
  /**
   * Asks a component for what it offers.
   *
   * @param params Of the method in MCP, as JSON text.
   * @returns The result in MCP, as JSON text.
   * @throws {DownstreamError} If there is no result.
   */
  ask(
    name: string,
    method: AskMethod,
    params: string,
    options: CallOptions,
  ): Promise<string>;
  /** Has an entry of a component start with more grants, which the user has agreed to. */
  grant(
    server: Pick<ListedServer, "name" | "revision">,
    granted: readonly Denied[],
  ): void;
  /** Passes a notification of a client on, if the component runs; never fails. */
  notify(name: string, notification: Notification): void;
}

/** A notification of a client. */
export interface Notification {
  name: string;
  /** As JSON text. */
  params?: string;
  /** The client's caller. */
  owner: string;
}

/** A server whose entry is another than at the start of this program. */
export type UnjudgedServer = ListedServer & { changed: ChangedEntry };

export interface CallOptions {
  signal: AbortSignal;
  timeoutMs: number;
  /** Callers share the turns of a server. */
  caller?: string;
  /** The list by which the call was judged. */
  tools?: readonly DownstreamTool[];
}

/** A server lives anew, or has other tools, and was not called. */
export class ToolsChanged extends Error {}

/** A downstream server that gave no answer. */
export class DownstreamError extends Error {
  override name = "DownstreamError";

  /** @param message A sentence that names server, tool and cause. */
  constructor(public readonly kind: FailureKind, message: string) {
    super(message);
  }
}
