import { assert, assertEquals } from "../../../deps/assert.ts";
import { mcpManual } from "../host_calls/mcp_manual.ts";
import { isManualUri, MANUAL, MANUAL_URI, readManual } from "./manual.ts";

Deno.test("the manual is short, and shows each name that a run has", () => {
  assert(MANUAL.split("\n").length < 150);
  const names = [
    ...["discovered_servers", "search_tool_docs", "query_tool_docs"],
    ...["list_servers_sync", "list_tools", "list_tools_sync", "call_tool"],
    ...["list_loaded_server_metadata", "mcp_servers", "MCPError", "gather"],
    ...["save_tool", "save_memory", "load_memory", "update_memory"],
    ...["delete_memory", "list_memories", "memory_exists", "get_memory_info"],
  ];
  assertEquals(names.filter((name) => !MANUAL.includes(name)), []);
});

Deno.test("mcp_manual gives Python the text of the resource", async () => {
  const { signal } = new AbortController();
  const answer = await mcpManual.perform({}, { run: {}, signal });
  const uri = "resource://mcp-server-code-execution-mode/capabilities";
  assert(isManualUri(MANUAL_URI) && isManualUri(uri));
  const { text, ...rest } = readManual(uri);
  assertEquals(answer, { text });
  assertEquals(rest, { uri, mimeType: "text/markdown" });
});
