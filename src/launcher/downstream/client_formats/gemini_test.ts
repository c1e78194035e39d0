import { assert, assertEquals, assertMatch } from "../../../../deps/assert.ts";
import {
  clientFile,
  readEntries,
  reasonsOf,
} from "../../../../test/support/mcp_client_files.ts";

import { gemini } from "./gemini.ts";

Deno.test("gemini() tells httpUrl from url, and honours mcp.excluded", () => {
  const env = { MY_KEY: "k", API_URL: "https://a.example", GITHUB_TOKEN: "g" };
  const { entries, skipped, notes } = readEntries(
    gemini,
    clientFile("gemini/settings.json"),
    { env },
  );
  assertEquals(entries, {
    pythonTools: {
      ...{ transport: "stdio", command: "python" },
      args: ["-m", "my_mcp_server", "--port", "8080"],
      env: { API_KEY: "k", URL: "https://a.example/v1" },
      cwd: "/srv/app/mcp-servers/python",
    },
    github: {
      ...{ transport: "http", url: "https://api.githubcopilot.com/mcp/" },
      headers: { Authorization: "Bearer g" },
    },
    typed: {
      ...{ transport: "http", url: "https://typed.example/mcp", headers: {} },
    },
  });
  assertMatch(reasonsOf(skipped).events ?? "", /transport is SSE/);
  assertMatch(skipped.events?.remedy ?? "", /write "httpUrl"/);
  assertEquals(
    reasonsOf(skipped).experimental,
    "the file's mcp.excluded disables it",
  );
  assertMatch(notes.github?.join() ?? "", /--allow-tool 'github\.…'/);
});

Deno.test("gemini() uses only the servers of mcp.allowed, if it names any", () => {
  const text = JSON.stringify({
    mcp: { allowed: ["a"] },
    mcpServers: { a: { command: "a" }, b: { command: "b" } },
  });
  const { names, skipped } = readEntries(gemini, text);
  assertEquals(names, ["a"]);
  assert(/mcp\.allowed/.test(reasonsOf(skipped).b ?? ""));
});
