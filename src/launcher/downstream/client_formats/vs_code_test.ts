import { assert, assertEquals, assertMatch } from "../../../../deps/assert.ts";
import {
  clientFile,
  readEntries,
  reasonsOf,
} from "../../../../test/support/mcp_client_files.ts";
import { vsCode } from "./mcp_servers.ts";

Deno.test("vsCode() reads the real keys of mcp.json: servers, and not mcpServers", () => {
  const { entries, skipped, notes } = readEntries(
    vsCode,
    clientFile("vs_code/mcp.json"),
  );
  assertEquals(entries, {
    memory: {
      ...{ transport: "stdio", command: "npx" },
      args: ["-y", "@modelcontextprotocol/server-memory"],
      env: { MEMORY_FILE: "/srv/app/memory.json" },
    },
    context7: {
      ...{ transport: "http", url: "https://mcp.context7.com/mcp" },
      headers: {},
    },
    sandboxed: {
      ...{ transport: "stdio", command: "sandboxed-mcp", args: [], env: {} },
    },
  });
  assertEquals(reasonsOf(skipped), {
    perplexity: 'VS Code asks the user for its input "perplexity-key"',
    socket: "its URL is not one of http or https",
    picker: "only its editor knows ${command:pick.server}",
    legacy: "its transport is SSE, which MCP has given up for streamable HTTP",
  });
  assertMatch(skipped.perplexity?.remedy ?? "", /--mcp-config.*\$\{env:NAME\}/);
  assertMatch(notes.sandboxed?.join() ?? "", /without VS Code's sandbox/);
  assert(!("perplexity" in entries));
});

Deno.test("vsCode() reads mcp.servers of settings.json, nested or with a dot", () => {
  const text = clientFile("vs_code/settings.json");
  const { entries } = readEntries(vsCode, text, { env: { TZ: "UTC" } });
  assertEquals(Object.keys(entries), ["fetch", "time"]);
  const { skipped } = readEntries(vsCode, text);
  assertEquals(reasonsOf(skipped), { time: "the variable TZ is not set" });
});
