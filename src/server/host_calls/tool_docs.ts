import { type IndexedServer, ToolIndex } from "../../catalog/tool_index.ts";
import type { DownstreamTool } from "../../protocol/downstream.ts";
import type { Json } from "../../protocol/run_result.ts";
import type { CodeModeRun } from "../code_mode/code_mode_run.ts";
import {
  askTools,
  codeModeOf,
  findServer,
  findTool,
  loadRemedy,
  type MayCall,
  type NamedServer,
  nameServers,
  nameTools,
  quote,
} from "../code_mode/find_downstream.ts";
import type { Hub } from "../code_mode/hub.ts";
import { type HostCall, hostCall, HostCallError } from "./host_call.ts";
import {
  type Detail,
  DETAILS,
  toToolDoc,
} from "../../catalog/describe_tool.ts";
import { fields } from "../../protocol/fields.ts";

/** `query_tool_docs(server, tool=None, detail="summary")`. */
export function openToolDocs(hub: Hub, mayCall: MayCall): HostCall {
  return hostCall({
    name: "mcp_tool_docs",
    parse: parseToolDocs,
    async answer(args, { run, signal }): Promise<Json> {
      const codeMode = codeModeOf(run);
      const { server, alias } = await findServer(hub, args.server);
      const tools = await toolsFor(codeMode, server.name, signal);
      const named = nameTools(server.name, tools, mayCall);
      const wanted = args.tool === undefined
        ? named
        : [findTool(server.name, named, args.tool)];
      const docs = wanted.map(({ tool, alias: toolAlias }) => {
        const names = { server: server.name, serverAlias: alias, toolAlias };
        return toToolDoc(tool, names, args.detail);
      });
      return { docs };
    },
  });

  /** Asks the run's own servers only; of others it gives the last known tools. */
  async function toolsFor(
    codeMode: CodeModeRun,
    name: string,
    signal: AbortSignal,
  ): Promise<readonly DownstreamTool[]> {
    if (codeMode.servers.includes(name)) {
      return await askTools(hub, name, signal);
    }
    const known = hub.knownTools(name);
    if (known) return known;
    throw new HostCallError(
      "PermissionError",
      `The tools of server ${
        quote(name)
      } are not known yet, and this run has not loaded it. ${
        loadRemedy(codeMode, name)
      }`,
    );
  }
}

/** `search_tool_docs(query, *, limit=5, detail="summary")`. */
export function openSearchTools(hub: Hub, mayCall: MayCall): HostCall {
  const index = new ToolIndex();
  return hostCall({
    name: "mcp_search_tools",
    parse: parseSearchTools,
    async answer({ query, limit, detail }, { run, signal }): Promise<Json> {
      const codeMode = codeModeOf(run);
      const all = await nameServers(hub);
      await askLoaded(hub, codeMode, signal);
      const known = all.flatMap((server) => toIndexed(hub, server));
      const hits = await index.search(known, query, {
        limit,
        isFound: ({ server, tool }) => mayCall(server, tool.name),
      });
      const aliases = new Map(
        all.map(({ server, alias }) => [server.name, alias]),
      );
      const docs = hits.map(({ server, tool, alias: toolAlias }) => {
        const serverAlias = aliases.get(server) ?? server;
        return toToolDoc(tool, { server, serverAlias, toolAlias }, detail);
      });
      const found = [...new Set(hits.map(({ server }) => server))];
      const isKnown = new Set(known.map(({ name }) => name));
      return {
        docs,
        notLoaded: found.filter((name) => !codeMode.servers.includes(name)),
        unknown: all.map(({ server }) => server.name)
          .filter((name) => !isKnown.has(name)),
      };
    },
  });
}

/** A server of the run that does not answer counts as unknown. */
async function askLoaded(
  hub: Hub,
  { servers }: CodeModeRun,
  signal: AbortSignal,
): Promise<void> {
  await Promise.allSettled(
    servers.filter((name) => hub.knownTools(name) === undefined)
      .map((name) => askTools(hub, name, signal)),
  );
}

function toIndexed(hub: Hub, { server }: NamedServer): IndexedServer[] {
  const tools = hub.knownTools(server.name);
  if (tools === undefined) return [];
  const { name, description } = server;
  return [{
    name,
    tools,
    ...(description === undefined ? {} : { description }),
  }];
}

// Requests of code to the catalog of tools: data of a hostile guest.

/** Characters of a name. */
const LONGEST_NAME = 1000;
/** Characters of a query. */
const LONGEST_QUERY = 10_000;
/** Tools that a search gives. */
const MOST_HITS = 20;

interface ListToolsArguments {
  server: string;
  /** The list that Python has; it may be any value. */
  known: unknown;
}

/** @throws {TypeError | RangeError} If they are not right. */
export function parseListTools(data: unknown): ListToolsArguments {
  const { server, known } = fields(data);
  return { server: toText(server, "server", LONGEST_NAME), known };
}

interface ToolDocsArguments {
  server: string;
  /** Undefined for all. */
  tool?: string;
  detail: Detail;
}

/** @throws {TypeError | RangeError} If they are not right. */
function parseToolDocs(data: unknown): ToolDocsArguments {
  const { server, tool, detail } = fields(data);
  return {
    server: toText(server, "server", LONGEST_NAME),
    ...(tool === null || tool === undefined
      ? {}
      : { tool: toText(tool, "tool", LONGEST_NAME) }),
    detail: toDetail(detail),
  };
}

interface SearchToolsArguments {
  query: string;
  limit: number;
  detail: Detail;
}

/** @throws {TypeError | RangeError} If they are not right. */
function parseSearchTools(data: unknown): SearchToolsArguments {
  const { query, limit, detail } = fields(data);
  const text = toText(query, "query", LONGEST_QUERY);
  if (text.trim() === "") {
    throw new RangeError(
      'Cannot search for "": give words, such as "read file".',
    );
  }
  return { query: text, limit: toLimit(limit), detail: toDetail(detail) };
}

function toText(data: unknown, name: string, longest: number): string {
  if (typeof data !== "string") {
    throw new TypeError(`${name} is not a text; it is a ${typeof data}.`);
  }
  if (data.length <= longest) return data;
  throw new RangeError(
    `${name} has ${data.length} characters, and may have ${longest}.`,
  );
}

function toLimit(data: unknown): number {
  if (typeof data !== "number" || !Number.isInteger(data)) {
    throw new TypeError("limit is not a whole number, such as 5.");
  }
  if (data >= 1 && data <= MOST_HITS) return data;
  throw new RangeError(`limit is ${data}, and may be from 1 to ${MOST_HITS}.`);
}

function toDetail(data: unknown): Detail {
  const detail = DETAILS.find((detail) => detail === data);
  if (detail) return detail;
  throw new RangeError('detail is neither "summary" nor "full".');
}
