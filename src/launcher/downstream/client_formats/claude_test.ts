import { assert, assertEquals, assertMatch } from "../../../../deps/assert.ts";
import {
  clientFile,
  readEntries,
  reasonsOf,
} from "../../../../test/support/mcp_client_files.ts";

import { claudeCode, claudeDesktop } from "./claude.ts";

const SSE = "its transport is SSE, which MCP has given up for streamable HTTP";

Deno.test("claudeCode() reads ~/.claude.json, the project of this folder first", () => {
  const { servers } = claudeCodeOf({});
  assertEquals(servers[0], "db");
  const { entries, skipped } = readEntries(
    claudeCode,
    clientFile("claude_code/.claude.json"),
    { env: { GITHUB_TOKEN: "g", HOME: "/home/ada", PGPASSWORD: "p" } },
  );
  assertEquals(entries, {
    db: {
      transport: "stdio",
      command: "/home/ada/bin/db-mcp",
      args: ["--dsn", "postgres://localhost/app"],
      env: { PGPASSWORD: "p" },
    },
    github: {
      transport: "http",
      url: "https://api.githubcopilot.com/mcp/",
      headers: { Authorization: "Bearer g" },
    },
    notes: {
      transport: "stdio",
      command: "npx",
      args: ["-y", "notes-mcp", "--vault", "/srv/vault"],
      env: {},
    },
  });
  assertEquals(reasonsOf(skipped), {
    linear: SSE,
    sentry: "the variable SENTRY_TOKEN is not set",
    "off-here": "Claude Code disables it in this folder",
  });
});

Deno.test("claudeCode() tells users of SSE and of variables the remedy", () => {
  const { skipped } = readEntries(
    claudeCode,
    clientFile("claude_code/.claude.json"),
  );
  assertMatch(skipped.linear?.remedy ?? "", /streamable HTTP/);
  assertMatch(skipped.sentry?.remedy ?? "", /^Set SENTRY_TOKEN/);
});

Deno.test("claudeCode() finds the project of a folder of Windows, whatever its slashes", () => {
  const text =
    '{"projects": {"C:/src/app": {"mcpServers": {"a": {"command": "a"}}}}}';
  const { names } = readEntries(claudeCode, text, {
    ...{ os: "windows", cwd: "C:\\src\\app" },
  });
  assertEquals(names, ["a"]);
});

Deno.test("claudeCode() reads .mcp.json with defaults of variables", () => {
  const { entries, notes } = readEntries(
    claudeCode,
    clientFile("claude_code/.mcp.json"),
  );
  assertEquals(entries, {
    docs: { transport: "http", url: "https://docs.example/mcp", headers: {} },
    build: {
      ...{ transport: "stdio", command: "/srv/app/scripts/build-mcp" },
      ...{ args: [], env: {} },
    },
  });
  assertMatch(notes.docs?.join() ?? "", /^headersHelper does not count here/);
});

Deno.test("claudeDesktop() reads its file, and fills in no variables", () => {
  const { entries } = readEntries(
    claudeDesktop,
    clientFile("claude_desktop/claude_desktop_config.json"),
  );
  assertEquals(entries, {
    filesystem: {
      ...{ transport: "stdio", command: "npx", env: {} },
      args: [
        ...["-y", "@modelcontextprotocol/server-filesystem"],
        "/home/ada/Documents",
      ],
    },
    literal: {
      ...{ transport: "stdio", command: "uvx", env: {} },
      args: ["x", "${NOT_FILLED}"],
    },
  });
});

function claudeCodeOf(env: Record<string, string>) {
  const { entries, skipped } = readEntries(
    claudeCode,
    '{"mcpServers": {"user": {"command": "u"}}, "projects": {"/srv/app": {"mcpServers": {"db": {"command": "d"}}}}}',
    { env },
  );
  assert(Object.keys(skipped).length === 0);
  return { servers: Object.keys(entries) };
}
