import type { Mutation } from "./mutation.ts";

const REAL = ["test/observe_test.ts"];

/** Walls around what operators see of a server. */
export const OBSERVING: readonly Mutation[] = [
  {
    name: "the audit has code without --audit-code",
    file: "src/server/run_lines.ts",
    text: "codeChars: auditCode ? MIB : 0",
    replacement: "codeChars: MIB",
    tests: REAL,
    filter: "the audit has",
  },
  {
    name: "sandboxes get the credentials of OpenTelemetry",
    file: "src/launcher/spawn.ts",
    text: '...(name === "server" ? TELEMETRY : {}),',
    replacement: "...TELEMETRY,",
    tests: REAL,
    filter: "OpenTelemetry",
  },
  {
    name: "Python sees, or writes, the file of the audit",
    file: "src/launcher/serve.ts",
    text: "openLog(settings.audit, settings.mounts, AUDIT)",
    replacement: "openLog(settings.audit, [], AUDIT)",
    tests: REAL,
    filter: "Python could see",
  },
  {
    name: "a flood of refused requests floods the logs",
    file: "src/server/transports/http/observed.ts",
    text: "if (++lines > MOST_LINES) return void unlogged++;",
    replacement: "",
    tests: REAL,
    filter: "probes",
  },
  {
    name: "any path of a request is a series of metrics",
    file: "src/server/transports/http/observed.ts",
    text: 'routes.includes(url.pathname) ? url.pathname : "other"',
    replacement: "url.pathname",
    tests: REAL,
    filter: "probes",
  },
  {
    name: "a caller sees the clients and sessions of other callers' runs",
    file: "src/server/watch.ts",
    text: "client.caller === caller;",
    replacement: "client.caller !== undefined;",
    tests: ["src/server/watch_test.ts"],
  },
  {
    name: "the figures of a server need no token",
    file: "src/server/transports/http/serve_http.ts",
    text: "      metadataTeller(http),\n",
    replacement:
      '      (request) => request.url.endsWith("/metrics") ? toMetricsAnswer(watch) : undefined,\n',
    tests: REAL,
    filter: "the audit has",
  },
  {
    name: "a probe tells anyone why packages could not be installed",
    file: "src/server/transports/http/routes/probes.ts",
    text: "const { state } = unready;",
    replacement: "return Response.json(unready, { status: 503 });",
    tests: ["src/server/transports/http/routes/probes_test.ts"],
  },
];
