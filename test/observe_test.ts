/**
 * What operators see of a server: probes, metrics, logs, audit, traces.
 *
 * @module
 */
import { join } from "node:path";
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { tempFolder } from "./support/folder.ts";
import { startHttp } from "./support/http_server.ts";
import { readOpenMetrics } from "./support/open_metrics.ts";

Deno.test("observe: probes, metrics and logs of HTTP tell of runs, sessions and refusals", async () => {
  await using folder = await tempFolder();
  const log = join(folder.path, "server.log");
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
  const opened = await client.call(code, { session: "new" });
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
  const text = await Deno.readTextFile(log);
  const lines = text.trim().split("\n").map((line) => JSON.parse(line));
  const named = (event: string) => lines.filter((one) => one.event === event);
  assertEquals(named("listening").map(({ url }) => url), [server.url.href]);
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
