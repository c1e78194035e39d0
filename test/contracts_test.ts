/**
 * Tools that come and go while clients are connected, and a tool that has JSON
 * Schema alone: over real processes and the official client.
 *
 * @module
 */
import { fileURLToPath } from "node:url";
import { assertEquals, assertRejects } from "../deps/assert.ts";
import { ensurePython } from "./support/cache.ts";
import { ERAS, startServer } from "./support/server.ts";

const CLI = fileURLToPath(import.meta.resolve("./support/answering_cli.ts"));

for (const era of ERAS) {
  Deno.test(`a client hears of tools that come and go, and the next list and call have them (${era})`, async () => {
    await ensurePython();
    await using server = await startServer([], era, CLI);
    const { client } = server;
    const call = async (name: string, args = {}) => {
      const result = await client.callTool({ name, arguments: args });
      return result.structuredContent ?? result.content;
    };
    const others = async () =>
      (await client.listTools()).tools
        .filter(({ name }) => name === "other")
        .map(({ description }) => description);
    const changes: (() => void)[] = [];
    client.setNotificationHandler(
      "notifications/tools/list_changed",
      () => changes.shift()?.(),
    );
    if (era !== "2025-11-25") await client.listen({ toolsListChanged: true });
    /** Changes the tools, and waits for as many notifications. */
    const turn = async (args: { on?: string }, count = 1) => {
      const heard = Array.from(
        { length: count },
        () => new Promise<void>((resolve) => changes.push(resolve)),
      );
      assertEquals(await call("turn", args), { done: true });
      await Promise.all(heard);
    };
    assertEquals(await others(), []);
    await assertRejects(() => call("other"), /Unknown tool "other"/);
    await turn({ on: "one" });
    assertEquals(await others(), ["It is one"]);
    assertEquals(await call("other", { x: 1 }), { on: "one", x: 1 });
    await turn({ on: "two" }, 2);
    assertEquals(await others(), ["It is two"]);
    assertEquals(await call("other"), { on: "two" });
    await turn({});
    assertEquals(await others(), []);
    await assertRejects(() => call("other"), /Unknown tool "other"/);
  });
}

Deno.test("a tool that has JSON Schema alone shows it as it is, and refuses what it does not allow", async () => {
  await ensurePython();
  await using server = await startServer([], ERAS[0], CLI);
  const { tools } = await server.client.listTools();
  const turn = tools.find(({ name }) => name === "turn");
  assertEquals(turn?.inputSchema, {
    type: "object",
    properties: { on: { type: "string", maxLength: 9 } },
    additionalProperties: false,
  });
  const refusal = async (args: Record<string, unknown>) => {
    const answer = await server.client
      .callTool({ name: "turn", arguments: args });
    assertEquals(answer.isError, true);
    return answer.content;
  };
  const text = (text: string) => [{ type: "text", text }];
  assertEquals(
    await refusal({ on: 1 }),
    text("on must be a string, not a number"),
  );
  assertEquals(
    await refusal({ off: "x" }),
    text('Unknown argument "off": the arguments are on'),
  );
});
