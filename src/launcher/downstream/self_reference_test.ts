import { assertEquals } from "../../../deps/assert.ts";
import type { ServerEntry } from "../../protocol/downstream.ts";
import { isOwnServer } from "./self_reference.ts";

const CLI = "/opt/mrp/cli.ts";

function isOwn(line: string, cwd?: string, os = "linux") {
  const [command = "", ...args] = line.split(" ");
  const entry: ServerEntry = {
    ...{ name: "x", source: "f", transport: "stdio", command, args, env: {} },
    ...(cwd === undefined ? {} : { cwd }),
  };
  return isOwnServer(entry, { cli: CLI }, { os, cwd: "/srv/app" });
}

Deno.test("isOwnServer() finds this program by its name, with each runner", () => {
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
    isOwnServer(shell, { cli: CLI }, { os: "linux", cwd: "/" }),
    true,
  );
});

Deno.test("isOwnServer() finds this program by its file", () => {
  assertEquals(isOwn(`deno run -A ${CLI} stdio`), true);
  assertEquals(isOwn(`npx -y deno@2.9.6 run -A ${CLI} stdio`), true);
  assertEquals(isOwn("deno run -A cli.ts stdio", "/opt/mrp"), true);
  assertEquals(isOwn("deno run -A ./cli.ts stdio", "/opt/mrp"), true);
  assertEquals(isOwn(`deno run -A file://${CLI}`), true);
  assertEquals(isOwn("deno run -A cli.ts stdio", "/opt/another"), false);
});

Deno.test("isOwnServer() leaves other servers alone that only speak of this program", () => {
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

Deno.test("isOwnServer() finds this server by the address that it listens on", () => {
  const isOwnUrl = (url: string, host = "127.0.0.1") =>
    isOwnServer(
      { name: "x", source: "f", transport: "http", url, headers: {} },
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

Deno.test("isOwnServer() knows no address of its own over stdio", () => {
  const entry: ServerEntry = {
    ...{ name: "x", source: "f", transport: "http" },
    ...{ url: "http://localhost:3001/mcp", headers: {} },
  };
  assertEquals(
    isOwnServer(entry, { cli: CLI }, { os: "linux", cwd: "/" }),
    false,
  );
});
