import type { CodeModeParts } from "../../src/server/code_mode/code_mode.ts";
import { DownstreamError, type Hub } from "../../src/server/code_mode/hub.ts";

/** Of a hub without components. */
export const NO_OFFERS: Pick<
  Hub,
  "offers" | "ask" | "grant" | "notify" | "known"
> = {
  known: () => undefined,
  offers: () => Promise.resolve([]),
  ask: refuse,
  grant() {},
  notify() {},
};

/** Code mode without other servers, and without anything that outlives sessions. */
export const NO_PARTS: CodeModeParts = {
  hub: {
    servers: () => Promise.resolve([]),
    warm() {},
    ...NO_OFFERS,
    maybeUnjudged: () => undefined,
    judge() {},
    tools: refuse,
    currentTools: refuse,
    knownTools: () => undefined,
    call: refuse,
  },
  kept: {
    list: () => Promise.resolve([]),
    get: () => Promise.resolve(undefined),
  },
};

function refuse(name: string): Promise<never> {
  const message = `Cannot call "${name}", as no MCP server is configured.`;
  return Promise.reject(new DownstreamError("connection", message));
}
