import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import {
  assert,
  assertEquals,
  assertMatch,
  assertNotEquals,
} from "../../../../deps/assert.ts";
import type { ServerEntry } from "../../../protocol/downstream.ts";
import { fingerprintOf, revisionOf, transportOf } from "./transport.ts";

const CLI = "/opt/mrp/cli.ts";

function isOwn(line: string, cwd?: string, os = "linux") {
  const [command = "", ...args] = line.split(" ");
  const entry: ServerEntry = {
    ...{ name: "x", source: "f", transport: "stdio", command, args, env: {} },
    ...(cwd === undefined ? {} : { cwd }),
  };
  return transportOf(entry).isOwn({ cli: CLI }, { os, cwd: "/srv/app" });
}

Deno.test("isOwn() finds this program by its name, with each runner", () => {
  for (
    const line of [
      "mcp-run-python stdio",
      "/home/ada/.local/bin/mcp-run-python stdio",
      "C:\\Python\\Scripts\\mcp-run-python.exe stdio",
      "npx -y mcp-run-python stdio",
      "npx -y mcp-run-python@latest stdio",
      "npx --package=mcp-run-python mcp-run-python stdio",
      "uvx mcp-run-python@latest stdio",
      "uvx --from mcp-run-python==0.1.0 mcp-run-python",
      "uvx mcp-run-python[x]>=1 stdio",
      "uv tool run mcp-run-python stdio",
      "/usr/bin/uv tool run mcp-run-python stdio",
      "uv run --with mcp-run-python python -m mcp_run_python",
      "pipx run mcp-run-python",
      "python3.12 -m mcp_run_python stdio",
      "deno run -A jsr:@mcp-run-python/server@0.1.0/cli stdio",
      "deno run -A npm:mcp-run-python stdio",
      "docker run -i --rm mcp-run-python stdio",
      "docker run -i --rm ghcr.io/ada/mcp-run-python:1.0 stdio",
      "podman run localhost:5000/mcp-run-python@sha256:00",
      "cmd /c npx -y mcp-run-python stdio",
      "npx.cmd mcp-run-python",
      "bunx mcp-run-python",
      "node /usr/lib/node_modules/mcp-run-python/bin/cli.js stdio",
    ]
  ) assertEquals(isOwn(line), true, line);
  const shell: ServerEntry = {
    ...{ name: "x", source: "f", transport: "stdio", command: "sh", env: {} },
    args: ["-c", "exec npx -y 'mcp-run-python' stdio"],
  };
  assertEquals(
    transportOf(shell).isOwn({ cli: CLI }, { os: "linux", cwd: "/" }),
    true,
  );
});

Deno.test("isOwn() finds this program by its file", () => {
  assertEquals(isOwn(`deno run -A ${CLI} stdio`), true);
  assertEquals(isOwn(`npx -y deno@2.9.6 run -A ${CLI} stdio`), true);
  assertEquals(isOwn("deno run -A cli.ts stdio", "/opt/mrp"), true);
  assertEquals(isOwn("deno run -A ./cli.ts stdio", "/opt/mrp"), true);
  assertEquals(isOwn(`deno run -A file://${CLI}`), true);
  assertEquals(isOwn("deno run -A cli.ts stdio", "/opt/another"), false);
});

Deno.test("isOwn() leaves other servers alone that only speak of this program", () => {
  for (
    const line of [
      "npx -y @modelcontextprotocol/server-filesystem /src/mcp-run-python",
      "uvx mcp-server-git --repository ./mcp-run-python",
      "docker run -v /src/mcp-run-python:/data other",
      "npx -y mcp-run-python-tools",
      "node /src/mcp-run-python/other/server.js",
      "my-server --log mcp-run-python",
      "uvx mcp-server-time",
    ]
  ) assertEquals(isOwn(line), false, line);
});

Deno.test("isOwn() finds this server by the address that it listens on", () => {
  const isOwnUrl = (url: string, host = "127.0.0.1") =>
    transportOf(
      { name: "x", source: "f", transport: "http", url, headers: {} },
    ).isOwn(
      { cli: CLI, listens: { host, port: 3001, names: ["py.example.com"] } },
      { os: "linux", cwd: "/" },
    );
  assertEquals(isOwnUrl("http://127.0.0.1:3001/mcp"), true);
  assertEquals(isOwnUrl("http://localhost:3001/mcp"), true);
  assertEquals(isOwnUrl("http://[::1]:3001/mcp", "::1"), true);
  assertEquals(isOwnUrl("http://localhost:3001/mcp", "0.0.0.0"), true);
  assertEquals(isOwnUrl("http://10.0.0.5:3001/mcp", "10.0.0.5"), true);
  assertEquals(isOwnUrl("https://py.example.com/mcp"), true);
  assertEquals(isOwnUrl("http://localhost:3002/mcp"), false);
  assertEquals(isOwnUrl("https://other.example.com:3001/mcp"), false);
});

Deno.test("isOwn() knows no address of its own over stdio", () => {
  const entry: ServerEntry = {
    ...{ name: "x", source: "f", transport: "http" },
    ...{ url: "http://localhost:3001/mcp", headers: {} },
  };
  assertEquals(
    transportOf(entry).isOwn({ cli: CLI }, { os: "linux", cwd: "/" }),
    false,
  );
});

const STDIO: ServerEntry = {
  ...{ name: "a", source: "f", transport: "stdio", command: "x", args: ["1"] },
  env: { KEY: "secret", OTHER: "" },
};
const HTTP: ServerEntry = {
  ...{ name: "a", source: "f", transport: "http" },
  url: "https://x.example/mcp?project=1",
  headers: { Authorization: "Bearer secret" },
};

Deno.test("fingerprintOf() does not depend on values of variables and headers", () => {
  assertMatch(fingerprintOf(STDIO), /^[0-9a-f]{64}$/);
  assertEquals(
    fingerprintOf({ ...STDIO, env: { OTHER: "z", KEY: "another" } }),
    fingerprintOf(STDIO),
  );
  assertEquals(
    fingerprintOf({ ...HTTP, headers: { authorization: "another" } }),
    fingerprintOf(HTTP),
  );
});

Deno.test("fingerprintOf() changes with whatever else makes another server", () => {
  const others: ServerEntry[] = [
    { ...STDIO, command: "y" },
    { ...STDIO, args: ["2"] },
    { ...STDIO, cwd: "/w" },
    { ...STDIO, env: { KEY: "secret" } },
    HTTP,
    { ...HTTP, url: "https://x.example/mcp?project=2" },
    { ...HTTP, headers: {} },
  ];
  const all = [STDIO, ...others].map(fingerprintOf);
  assertEquals(new Set(all).size, all.length);
  assertNotEquals(all[0], all[1]);
});

Deno.test("revisionOf() changes with a secret, and with nothing that leaves a bridge as it is", () => {
  const others: ServerEntry[] = [
    { ...STDIO, command: "y" },
    { ...STDIO, env: { KEY: "another", OTHER: "" } },
    HTTP,
    { ...HTTP, headers: { Authorization: "Bearer another" } },
  ];
  const all = [STDIO, ...others].map(revisionOf);
  assertEquals(new Set(all).size, all.length);
  assertEquals(
    revisionOf({ ...STDIO, source: "g", env: { OTHER: "", KEY: "secret" } }),
    revisionOf(STDIO),
  );
  assert(!all.includes(fingerprintOf(STDIO)));
});

Deno.test("shown() leaves out arguments, users, queries and keys in paths", () => {
  const shown = (url: string) =>
    transportOf({
      ...{ name: "x", source: "f", transport: "http" },
      url,
      headers: {},
    }).shown();
  assertEquals(
    shown("https://ada:pw@x.example:8443/mcp/v1?key=secret#s"),
    "https://x.example:8443/mcp/v1",
  );
  assertEquals(
    shown("https://x.example/api/s/NDc4YjY0OWQtZTQ5/mcp"),
    "https://x.example/api/s/…/mcp",
  );
  assertEquals(
    transportOf({
      ...{ name: "x", source: "f", transport: "stdio", command: "npx" },
      ...{ args: ["--key", "secret"], env: { KEY: "secret" } },
    }).shown(),
    "npx",
  );
});

Deno.test("Another transport does not compile before each place answers for it", async () => {
  const at = (path: string) => import.meta.resolve(`../../../${path}`);
  const { imports, compilerOptions } = JSON.parse(
    await Deno.readTextFile(new URL(at("../deno.json"))),
  );
  const folder = await Deno.makeTempDir();
  const types = join(folder, "downstream.ts");
  const known = await Deno.readTextFile(new URL(at("protocol/downstream.ts")));
  await Deno.writeTextFile(
    types,
    known.replace(
      "(StdioEntry | HttpEntry | WasmEntry)",
      "(StdioEntry | HttpEntry | WasmEntry | Third)",
    )
      .replaceAll('"./fields.ts"', JSON.stringify(at("protocol/fields.ts")))
      .replaceAll('"../', JSON.stringify(at("")).slice(0, -1)) +
      'interface Third { transport: "third" }\n',
  );
  const config = join(folder, "deno.json");
  // Every file finds the copy in the place of the union.
  const third = { [at("protocol/downstream.ts")]: pathToFileURL(types).href };
  await Deno.writeTextFile(
    config,
    JSON.stringify({ imports: { ...imports, ...third }, compilerOptions }),
  );
  const { stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "check",
      "--config",
      config,
      at("bridge/connect.ts"),
      import.meta.resolve("./transport.ts"),
    ],
    env: { NO_COLOR: "1" },
  }).output();
  const places = new TextDecoder().decode(stderr)
    .matchAll(/parameter of type 'never'[^]*?src\/([\w/]+\.ts)/g);
  assertEquals([...places].map(([, place]) => place).sort(), [
    "bridge/connect.ts",
    "launcher/downstream/transports/transport.ts",
    "protocol/masks.ts",
  ]);
  await Deno.remove(folder, { recursive: true });
});

Deno.test("No file asks for a transport but in a complete switch", async () => {
  const asked: string[] = [];
  const root = fileURLToPath(import.meta.resolve("../../../"));
  for (const path of await readdir(root, { recursive: true })) {
    if (!/(?<!_test)\.ts$/.test(path)) continue;
    const text = await Deno.readTextFile(join(root, path));
    const isAsked = /transport\s*[!=]==|switch \(\w+\.transport\)/.test(text);
    if (isAsked) asked.push(path.replaceAll("\\", "/"));
  }
  assertEquals(asked.sort(), [
    "bridge/connect.ts",
    "launcher/downstream/transports/transport.ts",
    "protocol/downstream.ts",
    "protocol/masks.ts",
  ]);
});
