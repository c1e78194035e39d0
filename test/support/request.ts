import type { RunRequest } from "../../src/protocol/run_messages.ts";

/** A run with small limits, and time enough. */
export const REQUEST: RunRequest = {
  code: "1",
  globals: "{}",
  installable: [],
  hostCalls: { count: 10, size: 1000, timeoutMs: 60_000 },
  images: { count: 2, size: 1000, total: 1500 },
  timeoutMs: 60_000,
  maxOutput: 1000,
};
