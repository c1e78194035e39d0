import type { DownstreamTool } from "../protocol/downstream.ts";
import { lastPart, toSnakeCase } from "./names.ts";
import type { Wit, WitFunction } from "./types.ts";

export function toolNameOf(fn: WitFunction): string {
  const name = toSnakeCase(fn.name);
  return fn.interface === undefined
    ? name
    : `${toSnakeCase(lastPart(fn.interface))}__${name}`;
}

export function toTools(wit: Wit): DownstreamTool[] {
  return wit.functions.map((fn) => ({
    name: toolNameOf(fn),
    inputSchema: {
      type: "object",
      properties: Object.fromEntries(
        fn.params.map(({ name }) => [toSnakeCase(name), {}]),
      ),
    },
  }));
}
