/**
 * Lines of a client that are no messages: each is answered, none ends the server.
 *
 * @module
 */
import { assertEquals } from "../deps/assert.ts";
import { concat } from "../src/protocol/lines.ts";
import { command } from "./support/command.ts";

Deno.test("lines that are not messages are answered, and the next is served", async () => {
  const text = (line: string) => new TextEncoder().encode(`${line}\n`);
  const initialize = {
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "x", version: "1" },
    },
  };
  const stdin = concat([
    text(JSON.stringify(initialize)),
    new Uint8Array([0x22, 0xff, 0xfe, 0x22, 10]),
    text("not json"),
    text('{"a":1}'),
    text('{"jsonrpc":"2.0","id":1.5,"method":"ping"}'),
    text('{"jsonrpc":"2.0","id":null,"method":"ping"}'),
    text('{"jsonrpc":"2.0","id":{},"method":"ping"}'),
    text('{"jsonrpc":"2.0","id":7,"method":"ping","params":5}'),
    text('{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"_meta":5}}'),
    text('{"jsonrpc":"2.0","id":9,"method":"ping","extra":1}'),
    text('{"jsonrpc":"2.0","id":10,"method":"ping","result":{}}'),
    text("\x1e"),
    text("\x1e\x1e"),
    text(`"${"x".repeat(65 * 1024 * 1024)}`),
    text('\x1efrom 1 {"type":"ready"}'),
    text('\x1esettings 0 {"maxCode":1}'),
    text(""),
    text('{"jsonrpc":"2.0","id":5,"method":"ping"}'),
  ]);
  const { code, stdout } = await command(["stdio"], { stdin });
  const answers = stdout.trim().split("\n").map((line) => JSON.parse(line));
  const refused = answers.filter(({ error }) => error).map(({ error }) =>
    error.code
  );
  assertEquals(refused, [
    ...[-32700, -32700, -32600],
    ...[-32600, -32600, -32600, -32600, -32600, -32600, -32600],
    ...[-32600, -32700, -32700],
  ]);
  assertEquals(
    answers.flatMap(({ id, error }) => error && id !== null ? [id] : []),
    [7, 8, 9, 10],
  );
  assertEquals(answers.find(({ id }) => id === 5)?.result, {});
  assertEquals(code, 0);
});
