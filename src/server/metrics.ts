import type { Share, ShareStatus } from "../shares.ts";
import { MIB } from "../units.ts";
import type { Histogram } from "./histogram.ts";
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
  const { preparing, ready, busy, kept, waiting } = status;
  const byShare = (figure: keyof ShareStatus) =>
    Object.entries<Share>(shares).map(([resource, { status }]) => ({
      labels: { resource },
      value: status[figure],
    }));
  return [
    metric("build", "info", "Versions.", [
      { suffix: "_info", labels: { version, python }, value: 1 },
    ]),
    gauge("ready", "1 if calls can run.", watch.unready ? 0 : 1),
    counter("runs", "Runs that have ended.", by("status", watch.runs)),
    counter(
      "tool_calls",
      "Calls of tools of MCP servers that code has made.",
      by("outcome", watch.toolCalls),
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
      [...watch.requests.values()].map(({ count, ...labels }) => ({
        labels,
        value: count,
      })),
    ),
    gauge(
      "sandboxes",
      "Sandbox processes.",
      by("state", { preparing, ready, busy }),
    ),
    gauge("session_sandboxes", "Those that sessions have, busy or not.", kept),
    gauge("waiting_calls", "Calls that wait for their turn.", waiting),
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
      by("cause", anew),
    ),
    counter(
      "installs",
      "Installs of packages that have ended.",
      by("outcome", { ...installs }),
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
  unit?: "bytes",
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

/** A metric, and its samples. */
export interface Metric {
  /** Without the suffixes of samples; ends with its unit. */
  name: string;
  type: "counter" | "gauge" | "histogram" | "info";
  unit?: "seconds" | "bytes" | undefined;
  help: string;
  samples: readonly Sample[];
}

export interface Sample {
  suffix?: string;
  labels?: Readonly<Record<string, string>>;
  value: number;
}

export const OPEN_METRICS =
  "application/openmetrics-text; version=1.0.0; charset=utf-8";

/** Writes metrics as OpenMetrics 1.0 has them. */
export function toOpenMetrics(metrics: readonly Metric[]): string {
  const lines = metrics.flatMap(({ name, type, unit, help, samples }) => [
    `# TYPE ${name} ${type}`,
    ...unit ? [`# UNIT ${name} ${unit}`] : [],
    `# HELP ${name} ${escape(help)}`,
    ...samples.map(({ suffix = "", labels = {}, value }) =>
      `${name}${suffix}${toLabels(labels)} ${toNumber(value)}`
    ),
  ]);
  return [...lines, "# EOF", ""].join("\n");
}

/** A bound of a bucket must have a fraction, as `1.0`. */
export function toBound(value: number): string {
  return Number.isInteger(value) ? `${value}.0` : toNumber(value);
}

function toNumber(value: number): string {
  return value === Infinity ? "+Inf" : `${value}`;
}

function toLabels(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels)
    .map(([name, value]) => `${name}="${escape(value)}"`);
  return pairs.length > 0 ? `{${pairs.join(",")}}` : "";
}

function escape(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")
    .replaceAll('"', '\\"');
}
