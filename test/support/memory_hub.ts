import { NO_OFFERS } from "./no_parts.ts";
import type { DownstreamTool } from "../../src/protocol/downstream.ts";
import {
  type CallOptions,
  DownstreamError,
  type Hub,
  ToolsChanged,
} from "../../src/server/code_mode/hub.ts";

/** A tool of a server in memory. */
export interface MemoryTool extends Partial<DownstreamTool> {
  /** Gives the result of a call, as text; by default the arguments. */
  call?(
    args: string,
    options: CallOptions,
  ): string | Promise<string>;
}

export interface MemoryHub extends Hub {
  /** Starts a server anew, with these facts about a tool. */
  change(server: string, tool: Partial<DownstreamTool>): void;
  /** The calls that have reached a server. */
  called: { server: string; tool: string; args: string }[];
}

/** Downstream servers in the memory of a test, by name and then by tool. */
export function openMemoryHub(
  servers: Record<string, Record<string, MemoryTool>>,
): MemoryHub {
  const lists = new Map(
    Object.entries(servers).map(([server, tools]) => [
      server,
      Object.entries(tools).map(([name, { call: _, ...tool }]) => ({
        ...{ name, inputSchema: { type: "object" } },
        ...tool,
      })),
    ]),
  );
  const called: MemoryHub["called"] = [];
  const hub: MemoryHub = {
    called,
    change(server, tool) {
      const tools = lists.get(server) ?? [];
      lists.set(server, tools.map((one) => ({ ...one, ...tool })));
    },
    servers: () =>
      Promise.resolve(
        Object.keys(servers).map((name) => ({
          ...{ name, transport: "stdio", source: "a test" },
          ...{ fingerprint: name, revision: name },
        })),
      ),
    warm() {},
    ...NO_OFFERS,
    maybeUnjudged: () => undefined,
    judge() {},
    knownTools: (name) => lists.get(name),
    tools(name) {
      const tools = lists.get(name);
      return tools ? Promise.resolve(tools) : Promise.reject(
        new DownstreamError("connection", `Cannot start ${name}: not there`),
      );
    },
    async call(server, tool, args, options) {
      if (options.tools && options.tools !== lists.get(server)) {
        throw new ToolsChanged(`Server "${server}" has other tools by now`);
      }
      called.push({ server, tool, args });
      const { call } = servers[server]?.[tool] ?? {};
      return await (call?.(args, options) ?? toResult(args));
    },
    currentTools: (name) => hub.tools(name),
  };
  return hub;
}

/** A result with a text, as a downstream server gives it. */
export function toResult(text: string, more: object = {}): string {
  return JSON.stringify({ content: [{ type: "text", text }], ...more });
}
