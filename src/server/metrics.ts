import type { Share, ShareStatus } from "../shares.ts";
import { MIB } from "../units.ts";
import type { Histogram } from "./histogram.ts";
import { type Metric, type Sample, toBound } from "./open_metrics.ts";
import { HTTP_STATUSES, NO_RUNS, NO_TOOL_CALLS, NONE_ANEW } from "./series.ts";
import type { Watch } from "./watch.ts";

const PREFIX = "mcp_run_python";

/** All figures of a server; no label has values without bound, such as names of callers. */
export function toMetrics(watch: Watch): Metric[] {
  const { pools, sessions, shares } = watch.watched;
  const { environment, installs, restarts, status } = pools;
  const { rewound = 0, ...anew } = pools.made;
  const python = environment?.python ?? "";
  const { rss, heapUsed } = Deno.memoryUsage();
  const { version, pool, memoryMiB, maxSessions, http } = watch.settings;
  const { awake, saved, lost, memoryMiB: sessionsMiB } = sessions.status;
  const { preparing, ready, busy, kept, memoryMiB: sandboxesMiB } = status;
  const { losses, evictions, unsaved, saveSeconds, restoreSeconds } =
    sessions.figures;
  const byShare = (figure: keyof ShareStatus) =>
    Object.entries<Share>(shares).map(([resource, { status }]) => ({
      labels: { resource },
      value: status[figure],
    }));
  return [
    metric("build", "info", "Versions.", [
      { suffix: "_info", labels: { version, python }, value: 1 },
    ]),
    gauge(
      "start_time_seconds",
      "When the server has started, since 1970.",
      watch.started / 1000,
      "seconds",
    ),
    gauge("ready", "1 if calls can run.", watch.unready ? 0 : 1),
    counter(
      "runs",
      "Runs that have ended.",
      by("status", { ...NO_RUNS, ...watch.runs }),
    ),
    counter(
      "tool_calls",
      "Calls of tools of MCP servers that code has made.",
      by("outcome", { ...NO_TOOL_CALLS, ...watch.toolCalls }),
    ),
    counter(
      "calls_refused",
      "Calls that did not run.",
      by("reason", watch.refused.counts),
    ),
    gauge("runs_under_way", "Runs that run or wait.", watch.underWay),
    histogram("run_seconds", "Time of runs in a sandbox.", watch.runSeconds),
    histogram(
      "wait_seconds",
      "Time of calls before and after their run.",
      watch.waitedSeconds,
    ),
    counter(
      "http_requests",
      "Requests that were answered.",
      requestsOf(watch),
    ),
    gauge(
      "sandboxes",
      "Sandbox processes.",
      by("state", { preparing, ready, busy }),
    ),
    gauge("session_sandboxes", "Those that sessions have, busy or not.", kept),
    gauge(
      "sandbox_memory_bytes",
      "Resident memory of sandbox processes, as they have said last.",
      sandboxesMiB * MIB,
      "bytes",
    ),
    gauge("waiting_calls", "Calls that wait.", by("cause", pools.waits)),
    gauge(
      "limit",
      "Limits by options.",
      by("name", {
        running: pool.running,
        waiting: pool.waiting,
        sessions: maxSessions,
        ...(http ? { mcp_sessions: http.maxMcpSessions } : {}),
      }),
    ),
    gauge(
      "memory_limit_bytes",
      "Memory that there may be, of a run and of all sessions.",
      by("name", {
        run: memoryMiB * MIB,
        sessions: watch.settings.maxSessionsMiB * MIB,
      }),
      "bytes",
    ),
    gauge("sessions", "Sessions.", by("state", { awake, saved, lost })),
    gauge(
      "session_memory_bytes",
      "Memory of sessions beyond ready interpreters, as last measured.",
      sessionsMiB * MIB,
      "bytes",
    ),
    counter(
      "sessions_lost",
      "Sessions whose state is gone, though their clients have not ended them.",
      by("reason", losses),
    ),
    counter(
      "sessions_evicted",
      "Interpreters of sessions that were given up with their state.",
      by("reason", evictions),
    ),
    counter(
      "sessions_not_saved",
      "Saves of sessions that have failed.",
      by("reason", unsaved),
    ),
    histogram("session_save_seconds", "Time of saves.", saveSeconds),
    histogram("session_restore_seconds", "Time of restores.", restoreSeconds),
    gauge(
      "session_store_bytes",
      "All stored sessions, as of the last save of this server.",
      sessions.storeRoom.bytes,
      "bytes",
    ),
    gauge(
      "session_store_limit_bytes",
      "Bytes that they may have, known as of that save.",
      sessions.storeRoom.totalBytes,
      "bytes",
    ),
    gauge(
      "mcp_sessions",
      "MCP sessions of 2025 clients.",
      shares.mcpSessions.status.used,
    ),
    gauge("share_used", "Use of what callers share.", byShare("used")),
    gauge("share_limit", "All that there is of it.", byShare("total")),
    gauge("share_callers", "Callers that have some of it.", byShare("callers")),
    counter(
      "share_refused",
      "Items that have found no room.",
      byShare("refused"),
    ),
    counter(
      "share_gave_way",
      "Items that made room for others.",
      byShare("gaveWay"),
    ),
    gauge(
      "server_memory_bytes",
      "Memory of the server's process.",
      by("kind", { resident: rss, heap: heapUsed }),
      "bytes",
    ),
    counter(
      "sandbox_restarts",
      "Sandbox processes that have ended and are replaced.",
      by("cause", restarts),
    ),
    counter(
      "interpreters_rewound",
      "Interpreters that were made clean for the next run of their caller.",
      [{ value: rewound }],
    ),
    counter(
      "interpreters_made_anew",
      "Interpreters that were not rewound, but made anew.",
      by("cause", { ...NONE_ANEW, ...anew }),
    ),
    counter(
      "installs",
      "Installs of packages that have ended.",
      by("outcome", { ...installs }),
    ),
    counter(
      "unwritten_lines",
      "Lines of logs and of the audit that could not be written.",
      by("file", watch.watched.broker.unwritten),
    ),
  ];
}

function counter(name: string, help: string, samples: Sample[]): Metric {
  const all = samples.map((sample) => ({ ...sample, suffix: "_total" }));
  return metric(name, "counter", help, all);
}

function gauge(
  name: string,
  help: string,
  value: number | Sample[],
  unit?: Metric["unit"],
): Metric {
  const samples = typeof value === "number" ? [{ value }] : value;
  return metric(name, "gauge", help, samples, unit);
}

function histogram(name: string, help: string, of: Histogram): Metric {
  const buckets = of.cumulated.map(({ bound, count }) => ({
    suffix: "_bucket",
    labels: { le: toBound(bound) },
    value: count,
  }));
  const count = { suffix: "_count", value: buckets.at(-1)?.value ?? 0 };
  const sum = { suffix: "_sum", value: of.sum };
  return metric(name, "histogram", help, [...buckets, count, sum], "seconds");
}

function metric(
  name: string,
  type: Metric["type"],
  help: string,
  samples: Sample[],
  unit?: Metric["unit"],
): Metric {
  return { name: `${PREFIX}_${name}`, type, unit, help, samples };
}

function by(label: string, values: Record<string, number>): Sample[] {
  return Object.entries(values)
    .map(([name, value]) => ({ labels: { [label]: name }, value }));
}

/** Those that were made, and zero for all others that can be told apart. */
function requestsOf({ routes, requests }: Watch): Sample[] {
  const none = [...routes, "other"].flatMap((route) =>
    HTTP_STATUSES.map((status) => ({ route, status, count: 0 }))
  );
  const all = new Map(none.map((one) => [`${one.route} ${one.status}`, one]));
  for (const [key, one] of requests) all.set(key, one);
  return [...all.values()]
    .map(({ count, ...labels }) => ({ labels, value: count }));
}
