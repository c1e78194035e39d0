import { NO_OFFERS } from "./no_parts.ts";
import type { CodeModeRun } from "../../src/server/code_mode/code_mode_run.ts";
import { DownstreamError, type Hub } from "../../src/server/code_mode/hub.ts";
import type { DownstreamTool } from "../../src/protocol/downstream.ts";
import { readTools } from "./recorded_tools.ts";

/** Servers of a hub, by name. */
export type HubServers = Record<
  string,
  { tools: readonly DownstreamTool[]; isKnown?: boolean } | DownstreamError
>;

/** A hub over lists of tools; an error in the place of a list is what asking gives. */
export function openRecordedHub(
  servers: HubServers,
  transport: "stdio" | "wasm" = "stdio",
): Hub & { asked: string[] } {
  const known = new Map(
    Object.entries(servers).flatMap(([name, server]) =>
      "tools" in server && server.isKnown ? [[name, server.tools]] : []
    ),
  );
  const asked: string[] = [];
  return {
    asked,
    servers: () =>
      Promise.resolve(
        Object.keys(servers).map((name) => ({
          name,
          transport,
          source: "a test",
          fingerprint: name,
          revision: name,
        })),
      ),
    warm() {},
    ...NO_OFFERS,
    maybeUnjudged: () => undefined,
    judge() {},
    tools(name) {
      asked.push(name);
      const server = servers[name];
      if (!server || !("tools" in server)) return Promise.reject(server);
      known.set(name, server.tools);
      return Promise.resolve(server.tools);
    },
    currentTools: () => Promise.reject(new DownstreamError("protocol", "none")),
    knownTools: (name) => known.get(name),
    call: () => Promise.reject(new DownstreamError("protocol", "not here")),
  };
}

/** The servers of recorded tools. */
export function recorded(...names: string[]): HubServers {
  return Object.fromEntries(
    names.map((name) => [name, { tools: readTools(name) }]),
  );
}

/** A run that may call these servers. */
export function codeModeRun(...servers: string[]): { codeMode: CodeModeRun } {
  return {
    codeMode: {
      servers,
      owner: "",
      audit() {},
      approve: () => Promise.resolve("declined"),
    },
  };
}
