import type { DownstreamTool } from "../protocol/downstream.ts";
import { boundSchema, type JsonObject } from "./bound_schema.ts";
import { toDescription, toStub, toSummary } from "./describe_tool.ts";

/** How much a document says. */
export const DETAILS = ["summary", "full"] as const;

export type Detail = typeof DETAILS[number];

/** A tool, as a model reads of it. */
export type ToolDoc = {
  server: string;
  serverAlias: string;
  tool: string;
  toolAlias: string;
  /** Its first paragraph, unless all is wanted. */
  description?: string;
  inputSchema?: JsonObject;
  /** Typed Python. */
  stub?: string;
};

/** The names of a tool; an alias is its name in Python. */
export interface ToolNames {
  server: string;
  serverAlias: string;
  toolAlias: string;
}

/** Documents a tool. */
export function toToolDoc(
  tool: DownstreamTool,
  { server, serverAlias, toolAlias }: ToolNames,
  detail: Detail,
): ToolDoc {
  const whole = toDescription(tool);
  const description = detail === "full" ? whole : toSummary(whole);
  return {
    server,
    serverAlias,
    tool: tool.name,
    toolAlias,
    ...(description === "" ? {} : { description }),
    ...(detail === "full"
      ? {
        inputSchema: boundSchema(tool.inputSchema),
        stub: toStub(tool, toolAlias),
      }
      : {}),
  };
}
