/**
 * The rules of Prometheus and the dashboard of Grafana in `deploy/`.
 *
 * @module
 */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { assert, assertEquals } from "../deps/assert.ts";
import { log } from "../src/log.ts";
import { run } from "../src/launcher/bundling/write_program.ts";
import { findDebianProgram } from "./support/debian_program.ts";
import { tempFolder } from "./support/folder.ts";
import { startHttp } from "./support/http_server.ts";
import { readOpenMetrics } from "./support/open_metrics.ts";

const DEPLOY = fileURLToPath(import.meta.resolve("../deploy/"));
const [RULES, DASHBOARD] = [
  await Deno.readTextFile(join(DEPLOY, "alerts.yaml")),
  await Deno.readTextFile(join(DEPLOY, "grafana.json")),
];

Deno.test("the alerts fire on a server's worst day, and on no other; Prometheus reads the dashboard's queries", async (test) => {
  const promtool = await findDebianProgram("promtool", "prometheus");
  if ("reason" in promtool) {
    return log(`skipped: rules of Prometheus: ${promtool.reason}`);
  }
  const check = (args: string[], cwd = DEPLOY) =>
    run(promtool.path, args, { cwd });
  await test.step("rules", async () => {
    await check(["check", "rules", "alerts.yaml"]);
    await check(["test", "rules", "alerts_test.yaml"]);
  });
  await test.step("each rule has a test", async () => {
    const cases = await Deno.readTextFile(join(DEPLOY, "alerts_test.yaml"));
    const names = [...RULES.matchAll(/- alert: (\w+)/g)].map(([, name]) =>
      name
    );
    assert(names.length >= 5);
    for (const name of names) {
      assert(cases.includes(`alertname: ${name} `), name);
      assert(cases.includes(`alertname="${name}"`), name);
    }
  });
  await test.step("the dashboard's queries", async () => {
    await using folder = await tempFolder();
    const rules = queries().map((expr, at) => ({
      record: `query_${at}`,
      // As Grafana fills them in.
      expr: expr.replaceAll("$__rate_interval", "1m"),
    }));
    const groups = [{ name: "dashboard", rules }];
    const file = join(folder.path, "queries.yaml");
    // JSON is YAML.
    await Deno.writeTextFile(file, JSON.stringify({ groups }));
    await check(["check", "rules", "queries.yaml"], folder.path);
  });
});

Deno.test("each metric and label of alerts and dashboard is in /metrics", async () => {
  await using server = await startHttp();
  const response = await server.fetch({}, "/metrics");
  const series = [...readOpenMetrics(await response.text()).keys()];
  const asked = [RULES, ...queries(), ...variables()].join("\n")
    .matchAll(/mcp_run_python_(?!\w*\*)(\w+)(?:\{([^}]*)\})?/g);
  const names = new Set<string>();
  for (const [, name = "", matchers = ""] of asked) {
    names.add(name);
    const own = series.filter((one) =>
      one.replace(/\{.*/, "") === `mcp_run_python_${name}`
    );
    assert(own.length > 0, `There is no metric ${name}`);
    for (const [, label, values = ""] of matchers.matchAll(MATCHER)) {
      if (label === "job" || label === "instance") continue;
      for (const value of values.split("|")) {
        const wanted = `${label}="${value}"`;
        assert(own.some((one) => one.includes(wanted)), `${name} ${wanted}`);
      }
    }
  }
  assert(names.size > 20, `${names.size}`);
});

Deno.test("the dashboard's panels have ids of their own, and places that do not overlap", () => {
  const { panels } = JSON.parse(DASHBOARD);
  const taken = new Set<string>();
  let cells = 0;
  for (const { gridPos: { x, y, w, h } } of panels) {
    assert(x + w <= 24);
    for (let row = y; row < y + h; row++) {
      for (let column = x; column < x + w; column++, cells++) {
        taken.add(`${row} ${column}`);
      }
    }
  }
  assertEquals(taken.size, cells);
  const ids = panels.map(({ id }: { id: number }) => id);
  assertEquals(new Set(ids).size, ids.length);
});

const MATCHER = /(\w+)\s*(?:=~|!=|=)\s*"([^"]*)"/g;

function queries(): string[] {
  const { panels } = JSON.parse(DASHBOARD);
  // deno-lint-ignore no-explicit-any
  return panels.flatMap(({ targets }: any) => targets)
    .map(({ expr }: { expr: string }) => expr);
}

function variables(): string[] {
  const { templating: { list } } = JSON.parse(DASHBOARD);
  return list.map(({ query }: { query: string }) => query);
}
