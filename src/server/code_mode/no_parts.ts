import type { CodeModeParts } from "./code_mode.ts";
import type { CodeModeRun } from "./code_mode_run.ts";
import { DownstreamError } from "./hub.ts";

/** Code mode without other servers, and without anything that outlives sessions. */
export const NO_PARTS: CodeModeParts = {
  hub: {
    servers: () => Promise.resolve([]),
    warm() {},
    tools: refuse,
    knownTools: () => undefined,
    call: refuse,
  },
  kept: {
    list: () => Promise.resolve([]),
    get: () => Promise.resolve(undefined),
    put: () => Promise.resolve(undefined),
    delete: () => Promise.resolve(false),
  },
};

/** A run whose user cannot be asked, and whose audit is not written. */
export const UNTOLD: Pick<CodeModeRun, "audit" | "approve"> = {
  audit() {},
  approve: () => Promise.resolve("unable"),
};

function refuse(name: string): Promise<never> {
  const message = `Cannot call "${name}", as no MCP server is configured.`;
  return Promise.reject(new DownstreamError("connection", message));
}
