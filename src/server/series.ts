// The values that labels of metrics may have: a series that comes with its first event
// would hide that event from an alert, as there is no rate before a second sample.
import type { Made } from "./pool/pool.ts";
import type { CallOutcome } from "./host_calls/tool_call_error.ts";
import type { Status } from "../protocol/run_result.ts";

export const NO_RUNS: Record<Status, number> = {
  ...{ success: 0, "run-error": 0, "invalid-arguments": 0 },
  ...{ "install-error": 0, timeout: 0, "memory-limit": 0, cancelled: 0 },
  ...{ crashed: 0, busy: 0, denied: 0, "session-lost": 0 },
};

export const NO_TOOL_CALLS: Record<CallOutcome, number> = {
  ...{ ok: 0, "tool-error": 0, denied: 0, declined: 0 },
  ...{ "failed:connection": 0, "failed:timeout": 0, "failed:protocol": 0 },
  ...{ "failed:size": 0, "failed:unknown": 0, "failed:result": 0 },
  ...{ "failed:limit": 0, "failed:cancelled": 0, "failed:fault": 0 },
};

export const NONE_ANEW: Record<Exclude<Made, "rewound">, number> = {
  ...{ engine: 0, "not-kept": 0, ending: 0, pending: 0, javascript: 0 },
  ...{ library: 0, memory: 0, files: 0, caller: 0 },
};

/** Those of the server's answers, and of the SDK's. */
export const HTTP_STATUSES = [
  ...["200", "202", "204", "304", "400", "401", "403", "404", "405", "406"],
  ...["409", "413", "415", "429", "500", "503"],
];

/** Why a call was refused, by the status of its answer. */
const BY_HTTP = {
  401: "unauthorized",
  403: "forbidden",
  /** Its MCP session is not known. */
  404: "unknown-session",
  413: "too-large",
  /** No place, too many requests, or too much unread. */
  429: "too-many",
  503: "unavailable",
} as const;

/** Why a call was refused, by the status of a run that no sandbox has had. */
const BY_RUN = {
  busy: "busy",
  denied: "denied",
  "invalid-arguments": "invalid-arguments",
  "install-error": "install-error",
  "session-lost": "session-lost",
} as const satisfies Partial<Record<Status, string>>;

type Refusal =
  | typeof BY_HTTP[keyof typeof BY_HTTP]
  | typeof BY_RUN[keyof typeof BY_RUN];

/** Calls that were refused, by reason. */
export class RefusedCalls {
  readonly counts: Record<Refusal, number> = Object.fromEntries(
    [...Object.values(BY_HTTP), ...Object.values(BY_RUN)]
      .map((reason) => [reason, 0]),
  ) as Record<Refusal, number>;

  /** @param status Of an answer of HTTP, or of a run that did not begin. */
  note(status: number | Status): void {
    const reason = { ...BY_HTTP, ...BY_RUN }[status as keyof typeof BY_RUN];
    if (reason !== undefined) this.counts[reason]++;
  }
}
