/**
 * What operators see of a server: probes, metrics, logs, audit, traces.
 *
 * @module
 */
import { join } from "node:path";
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { tempFolder } from "./support/folder.ts";
import { CACHE, CLI, command, POOL } from "./support/command.ts";
import { startHttp } from "./support/http_server.ts";
import { startReceiver } from "./support/otlp.ts";
import { maybeRead } from "./support/proc.ts";
import { processesNamed } from "./support/processes.ts";
import { connectTo, ERAS, startServer } from "./support/server.ts";
import { readOpenMetrics, untilFigure } from "./support/open_metrics.ts";

Deno.test("observe: probes, metrics and logs of HTTP tell of runs, sessions and refusals", async () => {
  await using folder = await tempFolder();
  const log = join(folder.path, "server.log");
  let opened;
  let url;
  {
    await using server = await startHttp([
      ...["--log-file", log, "--log-format", "json"],
    ]);
    const metrics = async () => {
      const response = await server.fetch({}, "/metrics");
      assertMatch(
        `${response.headers.get("content-type")}`,
        /^application\/openmetrics-text; version=1\.0\.0; charset=utf-8$/,
      );
      const values = readOpenMetrics(await response.text());
      return (name: string) => values.get(`mcp_run_python_${name}`);
    };
    const health = await server.fetch({}, "/healthz");
    assertEquals([health.status, await health.text()], [200, "ok\n"]);
    await using client = await server.connect();
    const code = "secret = 6 * 7";
    opened = await client.call(code, { session: "new" });
    await client.call("1 / 0");
    const ready = await server.fetch({}, "/readyz");
    assertEquals([ready.status, await ready.json()], [200, { state: "ready" }]);
    const now = await metrics();
    assertEquals(
      [
        ...[now("ready"), now("mcp_sessions"), now('sessions{state="awake"}')],
        ...[now('runs_total{status="success"}'), now("session_sandboxes")],
        ...[now('runs_total{status="run-error"}'), now("run_seconds_count")],
        ...[now('run_seconds_bucket{le="+Inf"}'), now("runs_under_way")],
        now('http_requests_total{route="/healthz",status="200"}'),
      ],
      [1, 1, 1, 1, 1, 1, 2, 2, 0, 1],
    );
    // As it counts within the limit of sessions.
    const sessionsBytes = now("session_memory_bytes");
    assertEquals(
      sessionsBytes,
      now('share_used{resource="sessionMemory"}')! * (1 << 20),
    );
    assert(sessionsBytes! > 64 << 20);
    assert(now("run_seconds_sum")! > 0 && now("wait_seconds_sum")! > 0);
    assert(now('server_memory_bytes{kind="resident"}')! > 1 << 20);
    // A flood of refused requests is counted, and logged in few lines.
    const flood = Array.from({ length: 50 }, async () => {
      const init = { headers: { origin: "http://evil.example" } };
      const response = await server.fetch(init, "/mcp");
      await response.body?.cancel();
      return response.status;
    });
    assertEquals(new Set(await Promise.all(flood)), new Set([403]));
    const after = await metrics();
    assertEquals(
      after('http_requests_total{route="/mcp",status="403"}'),
      50,
    );
    await (await server.fetch({}, "/any")).body?.cancel();
    const last = await metrics();
    const others = last('http_requests_total{route="other",status="404"}');
    assertEquals(others, 1);
    url = server.url.href;
  }
  const text = await Deno.readTextFile(log);
  const lines = text.trim().split("\n").map((line) => JSON.parse(line));
  const named = (event: string) => lines.filter((one) => one.event === event);
  assertEquals(named("listening").map((one) => one.url), [url]);
  const refused = named("refused");
  assert(refused.length > 0 && refused.length < 25, `${refused.length}`);
  assertEquals(refused[0].origin, "http://evil.example");
  const [run] = named("run");
  assertMatch(run.session, /^[\da-f]{32}$/);
  assertMatch(run.mcp_session, /^[\da-f]{8}$/);
  assertEquals([run.caller, run.client], ["local", "test"]);
  // Neither code nor handles of sessions are logged.
  assert(!text.includes("secret") && opened.structured.session !== undefined);
  assert(!text.includes(`${opened.structured.session}`), text);
});

Deno.test({
  name:
    "observe: metrics have all series from the start, and lines that could not be written",
  // There all writes fail, as the disk is full.
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using server = await startHttp([
      ...["--audit", "/dev/full", "--log-level", "error"],
    ]);
    const metrics = async () => {
      const response = await server.fetch({}, "/metrics");
      return readOpenMetrics(await response.text());
    };
    const before = await metrics();
    const figure = (name: string, of = before) =>
      of.get(`mcp_run_python_${name}`);
    assertEquals(
      [
        ...[figure('calls_refused_total{reason="busy"}')],
        ...[figure('sessions_lost_total{reason="memory"}')],
        ...[figure('sessions_evicted_total{reason="idle"}')],
        ...[figure('sessions_not_saved_total{reason="store"}')],
        ...[figure("session_save_seconds_count")],
        ...[figure("session_restore_seconds_sum")],
        ...[figure('waiting_calls{cause="turn"}')],
        ...[figure('unwritten_lines_total{file="audit"}')],
      ],
      Array.from({ length: 8 }, () => 0),
    );
    const started = figure("start_time_seconds")! * 1000;
    assert(started <= Date.now() && started > Date.now() - 3_600_000);
    await using client = await server.connect();
    const { structured } = await client.call("1 / 0", { session: "new" });
    await client.call("while True: pass", { timeout: 0.2 });
    await client.call("1", { session: "unknown" });
    await client.client.callTool({
      name: "end_session",
      arguments: { session: structured.session },
    });
    const refused = { headers: { origin: "http://evil.example" } };
    await (await server.fetch(refused, "/mcp")).body?.cancel();
    // The launcher tells of a line after its call is answered.
    const unwritten = 'unwritten_lines_total{file="audit"}';
    await untilFigure(server, "", unwritten, (count) => count >= 4);
    const after = await metrics();
    const isNew = (name: string) => !before.has(name);
    // Versions are there once Python is.
    assertEquals(
      [...after.keys()].filter(isNew).filter((one) => !one.includes("build")),
      [],
    );
    assertEquals(
      [
        figure(unwritten, after),
        figure('calls_refused_total{reason="forbidden"}', after),
        figure('calls_refused_total{reason="invalid-arguments"}', after),
        figure('sessions_evicted_total{reason="client"}', after),
      ],
      // Three calls, and the refused request.
      [4, 1, 1, 1],
    );
    // A process says it once its interpreter is ready.
    const isMuch = (bytes: number) => bytes > 64 << 20;
    await untilFigure(server, "", "sandbox_memory_bytes", isMuch);
  },
});

Deno.test("observe: the audit has a line for each run, of all eras and transports, and neither code nor output", async () => {
  await using folder = await tempFolder();
  const file = join(folder.path, "audit.jsonl");
  const code = 'print("secret" * 2); open("a.txt", "w").write("123"); 6';
  const hash = await crypto.subtle.digest(
    "SHA-256",
    new TextEncoder().encode(code),
  );
  let session: unknown;
  {
    const tokens = join(folder.path, "tokens");
    await Deno.writeTextFile(tokens, `alice ${TOKEN}\n`, { mode: 0o600 });
    await using server = await startHttp([
      ...["--audit", file, "--token-file", tokens],
    ]);
    // Figures are for callers, and probes for all.
    const statuses = ["/metrics", "/status", "/healthz"].map(async (path) => {
      const response = await server.fetch({}, path);
      await response.body?.cancel();
      return response.status;
    });
    assertEquals(await Promise.all(statuses), [401, 401, 200]);
    await using client = await server.connect("2026-07-28", { token: TOKEN });
    const called = await client.call(code, { session: "new" });
    session = called.structured.session;
    await client.call("while True: pass", { timeout: 0.2 });
    // Its run is under way when the server ends.
    void client.call("while True: pass").catch(() => {});
    await untilFigure(server, TOKEN, "runs_under_way", (count) => count > 0);
  }
  {
    await using server = await startServer([
      ...["--audit", file, "--log-code", "--log-level", "error"],
    ]);
    await server.call(code);
  }
  const text = await Deno.readTextFile(file);
  // deno-lint-ignore no-explicit-any
  const [http, late, cut, stdio]: any[] = text.trim().split("\n")
    .map((line) => JSON.parse(line)).filter(({ event }) => event === "run");
  for (const line of [http, stdio]) {
    assertEquals(
      [line.client, line.client_version, line.status, line.code_bytes],
      ["test", "1", "success", code.length],
    );
    assertEquals(line.code_sha256, new Uint8Array(hash).toHex());
    assertEquals([line.files, line.file_bytes, line.hosts], [1, 3, []]);
    const figures = [line.wall_ms, line.waited_ms, line.cpu_ms];
    assert(figures.every((figure) => figure >= 0), JSON.stringify(line));
    assert(line.memory_mib >= 0 && Date.parse(line.time) <= Date.now());
  }
  assertEquals([http.caller, http.code, late.code], [
    ...["alice", undefined, undefined],
  ]);
  assertMatch(http.session, /^[\da-f]{32}$/);
  assertEquals([late.status, cut.status], ["timeout", "cancelled"]);
  assertEquals([stdio.caller, stdio.code], [undefined, code]);
  for (const secret of [`${session}`, TOKEN, "secretsecret"]) {
    assert(!text.includes(secret), secret);
  }
  if (Deno.build.os !== "windows") {
    assertEquals((await Deno.stat(file)).mode! & 0o777, 0o600);
  }
});

Deno.test("observe: an audit file that Python could see, or that cannot be opened, is an error at the start", async () => {
  await using folder = await tempFolder();
  const [shared] = await folder.make("shared");
  const refuse = async (...args: string[]) => {
    const { code, stderr } = await command([...args, "stdio"]);
    assertEquals(code, 2);
    return stderr;
  };
  const file = join(shared, "audit.jsonl");
  assertMatch(
    await refuse("--audit", file, "--mount", shared),
    /^error: Cannot write the audit to ".*": it is within ".*shared", which Python sees\. Choose another file with --audit\.$/m,
  );
});

Deno.test("observe: OpenTelemetry hears of runs as parts of their clients' traces, and of no code", async () => {
  await using receiver = startReceiver();
  const { env } = receiver;
  const call = {
    name: "run_python_code",
    arguments: { python_code: "secret = 1 / 0", session: "new" },
  };
  const trace = (digit: string) => digit.repeat(32);
  const traceparent = (digit: string) =>
    `00-${trace(digit)}-${digit.repeat(16)}-01`;
  {
    await using server = await startHttp([], { env });
    for (const [index, era] of ERAS.entries()) {
      await using client = await server.connect(era);
      const _meta = { traceparent: traceparent(`${index + 1}`) };
      await client.client.callTool({ ...call, _meta });
    }
    const response = await server.fetch({
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": call.name,
        "mcp-param-session": call.arguments.session,
        traceparent: traceparent("3"),
      },
      body: JSON.stringify({
        ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
        params: {
          ...call,
          _meta: {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": { name: "c", version: "1" },
          },
        },
      }),
    });
    assertMatch(await response.text(), /run-error/);
    if (Deno.build.os === "linux") {
      const [sandbox] = processesNamed("sandbox", server.pid);
      const variables = maybeRead(`/proc/${sandbox}/environ`) ?? "";
      assert(variables !== "" && !/OTEL|credential/.test(variables), variables);
    }
  }
  {
    await using server = await connectTo(
      [CLI, "--cache-dir", CACHE, ...POOL, "stdio"],
      { env },
    );
    const _meta = { traceparent: traceparent("4") };
    await server.client.callTool({ ...call, _meta });
  }
  const spans = receiver.spans("tools/call run_python_code");
  assertEquals(
    spans.map(({ traceId, parentSpanId }) => [traceId, parentSpanId]).sort(),
    ["1", "2", "3", "4"].map((digit) => [trace(digit), digit.repeat(16)]),
  );
  for (const { attributes } of spans) {
    assertEquals(
      [attributes["mcp_run_python.status"], attributes["gen_ai.tool.name"]],
      ["run-error", "run_python_code"],
    );
    assertMatch(`${attributes["mcp_run_python.session"]}`, /^[\da-f]{32}$/);
  }
  const all = receiver.bodies.join("\n");
  assertMatch(all, /"mcp\.server\.operation\.duration"/);
  assertMatch(all, /"mcp_run_python\.runs"/);
  assert(!all.includes("secret"));
  assertEquals([...receiver.headers], ["credential"]);
});

const TOKEN = "a-token-of-the-test";
