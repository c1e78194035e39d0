import { assertEquals } from "../../deps/assert.ts";
import { Client } from "../../deps/mcp_client_core.ts";
import type { DownstreamTool } from "../protocol/downstream.ts";
import { callTool } from "./tools.ts";

/** What callTool() has a client do for a call of this tool. */
async function asked(tool: DownstreamTool | string) {
  const client = new Client({ name: "test", version: "1" });
  const calls: unknown[] = [];
  for (const method of ["callTool", "request"]) {
    Reflect.set(client, method, (...args: unknown[]) => {
      calls.push([method, args[0], Object(args[1]).toolDefinition]);
      return Promise.resolve({ content: [] });
    });
  }
  const json = await callTool(client, {
    cover: (data) => data,
    ...{ tool, arguments: '{"region":"eu"}', timeoutMs: 1000 },
    ...{ maxResult: 100, signal: new AbortController().signal },
  });
  assertEquals(json, '{"content":[]}');
  return calls;
}

Deno.test("callTool() has the client write arguments into headers where a tool says so, and judge no result", async () => {
  const params = { name: "t", arguments: { region: "eu" } };
  const request = { method: "tools/call", params };
  const region = { type: "string", "x-mcp-header": "Region" };
  const tool = {
    name: "t",
    inputSchema: { properties: { region } },
    outputSchema: { type: "object", required: ["never"] },
  };
  const inputSchema = { properties: { region }, type: "object" };
  assertEquals(await asked(tool), [
    ["callTool", params, { name: "t", inputSchema }],
  ]);
  const plain = { name: "t", inputSchema: {} };
  for (const other of ["t", plain]) {
    assertEquals(await asked(other), [["request", request, undefined]]);
  }
});
