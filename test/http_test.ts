import {
  assert,
  assertEquals,
  assertMatch,
  assertRejects,
} from "../deps/assert.ts";
import { INVALID_PARAMS } from "../src/server/error_codes.ts";
import { startHttp } from "./support/http_server.ts";
import { ERAS, type TestClient } from "./support/server.ts";

Deno.test("clients of both eras run code over HTTP, at the same endpoint", async (test) => {
  await using server = await startHttp();
  for (const era of ERAS) {
    await test.step(era, async () => {
      await using client = await server.connect(era);
      const { output, returnValue } = await client.call("print(1)\n6 * 7");
      assertEquals([output, returnValue], [["1"], 42]);
      // It has an answer, and not a status of HTTP alone.
      const wrong = { name: "run_python_code", arguments: Object([]) };
      await assertRejects(() => client.client.callTool(wrong), {
        code: INVALID_PARAMS,
      });
    });
  }
});

Deno.test("streamable-http-stateless gives 2025 clients no session of MCP, and answers both eras", async () => {
  await using server = await startHttp([], {
    command: "streamable-http-stateless",
  });
  for (const era of ERAS) {
    await using client = await server.connect(era);
    assertEquals((await client.call("6 * 7")).returnValue, 42, era);
  }
  const answer = await fetch(server.url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
    body: JSON.stringify({
      ...{ jsonrpc: "2.0", id: 1, method: "initialize" },
      params: {
        ...{ protocolVersion: "2025-11-25", capabilities: {} },
        clientInfo: { name: "raw", version: "1" },
      },
    }),
  });
  assertMatch(await answer.text(), /"protocolVersion":"2025-11-25"/);
  assertEquals(answer.headers.get("mcp-session-id"), null);
});

Deno.test("--sessions always keeps a session for each MCP session of 2025; clients of 2026 without a token name theirs", async () => {
  await using server = await startHttp(["--file-tools"]);
  const [one, other, later] = await Promise.all([
    server.connect("2025-11-25"),
    server.connect("2025-11-25"),
    server.connect("2026-07-28"),
  ]);
  await Promise.all([one.call("x = 1"), other.call("x = 10")]);
  assertEquals((await one.call("x + 1")).returnValue, 2);
  assertEquals((await other.call("x + 1")).returnValue, 11);
  await write(one, {});
  assertEquals((await one.call("open('a.txt').read()")).returnValue, "kept");
  assert((await other.call("open('a.txt')")).error?.includes("a.txt"));

  const first = await later.call("x = 100");
  const { session } = first.structured;
  assertEquals(typeof session, "string", first.text);
  const second = await later.call("'x' in globals()");
  assertEquals(second.returnValue, false);
  assert(second.structured.session !== session);
  assertEquals((await later.call("x", { session })).returnValue, 100);
  assertMatch(await write(later, {}), /no default session: name a session/);
  assertMatch(await write(later, { session }), /a\.txt/);
  const read = await later.call("open('a.txt').read()", { session });
  assertEquals(read.returnValue, "kept");
  for (const client of [one, other, later]) await client.client.close();
});

/** Writes a file by its tool; gives the answer's text. */
async function write(
  { client }: TestClient,
  session: { session?: unknown },
): Promise<string> {
  const { content } = await client.callTool({
    name: "write_file",
    arguments: { path: "a.txt", text: "kept", ...session },
  });
  return JSON.stringify(content);
}
