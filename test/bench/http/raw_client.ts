import { assert, assertEquals } from "../../../deps/assert.ts";

const NUMBER = 4711;

/**
 * Opens an MCP session of 2025 and gives a call of the no-op: the same bytes each
 * time, whose answer is searched for the number and not parsed. Nearly all time is
 * the server's.
 */
export async function openRaw(url: string): Promise<() => Promise<void>> {
  const version = "2025-11-25";
  const headers = new Headers({
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  });
  const post = async (message: object) => {
    const body = JSON.stringify({ jsonrpc: "2.0", ...message });
    const response = await fetch(url, { method: "POST", headers, body });
    await response.text();
    return response;
  };
  const clientInfo = { name: "bench", version: "1" };
  const params = { protocolVersion: version, capabilities: {}, clientInfo };
  const opened = await post({ id: 1, method: "initialize", params });
  assertEquals(opened.status, 200);
  headers.set("mcp-protocol-version", version);
  headers.set("mcp-session-id", opened.headers.get("mcp-session-id") ?? "");
  await post({ method: "notifications/initialized" });
  const body = JSON.stringify({
    ...{ jsonrpc: "2.0", id: 2, method: "tools/call" },
    params: { name: "noop", arguments: { number: NUMBER } },
  });
  return async () => {
    const response = await fetch(url, { method: "POST", headers, body });
    const text = await response.text();
    assert(text.includes(`"number":${NUMBER}`), text);
  };
}
