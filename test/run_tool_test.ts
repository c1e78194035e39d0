/**
 * The contract of `run`, by the official client over real stdio, in both protocol eras,
 * with an engine that gives back what it gets.
 *
 * @module
 */
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { fields } from "../src/protocol/fields.ts";
import { CACHE } from "./support/command.ts";
import { connectTo, ERAS } from "./support/server.ts";

const SERVER =
  new URL("./support/echo_engine/serve_stdio.ts", import.meta.url).href;

for (const era of ERAS) {
  Deno.test(`${era}: run hands inputs and limits to the engine, and its value back by the schema`, async () => {
    await using server = await connectTo([SERVER, CACHE], { era });
    // The client checks results by the schemas that it was told.
    const { tools } = await server.client.listTools();
    const run = tools.find(({ name }) => name === "run");
    assert(run?.outputSchema?.$defs);
    const call = (args: Record<string, unknown>) =>
      server.client.callTool({ name: "run", arguments: args });
    const x = {
      Dict: [
        [{ Int: 1 }, { List: ["None", { Bytes: [0, 255] }, { Float: "NaN" }] }],
        [{ Tuple: [{ BigInt: "9".repeat(30) }] }, { Path: "/a" }],
      ],
    };
    const { structuredContent, content, isError } = await call({
      code: "x",
      inputs: { x },
    });
    assertEquals(structuredContent, { output: "said\n", result: x });
    assertEquals([isError, content], [false, [{
      type: "text",
      text: `--- stdout ---\nsaid\n--- result ---\n${
        JSON.stringify(x, null, 2)
      }`,
    }]]);
    const plain = await call({ code: "x", inputs: { x: [1, null] } });
    assertEquals(fields(plain.structuredContent).result, { Repr: "[1,null]" });
    const own = await call({
      code: "own",
      resource_limits: { max_duration: { secs: 1, nanos: 500_000 } },
    });
    assertEquals(fields(own.structuredContent).result, {
      String: '{"maxDurationMs":1000.5}',
    });
    const open = await call({ code: "open", inputs: { open: "None" } });
    assertEquals(open.structuredContent, { output: "open", result: "None" });
    const failed = await call({ code: "raise" });
    assertEquals([failed.isError, failed.structuredContent], [true, {
      ...{ output: "said\n", result: "None" },
      error: {
        ...{ type: "KeyError", message: "'x'" },
        traceback: "Traceback: KeyError: 'x'",
      },
    }]);
  });
}

Deno.test("run cuts a long value, by its schema, and refuses deep inputs; both leave the server whole", async () => {
  await using server = await connectTo([SERVER, CACHE]);
  await server.client.listTools();
  const call = (x: unknown) =>
    server.client.callTool({
      name: "run",
      arguments: { code: "x", inputs: { x } },
    });
  const many = Array.from({ length: 20_000 }, (_, Int) => ({ Int }));
  const { structuredContent, content } = await call({ List: many });
  const [first] = content;
  assertMatch(
    first?.type === "text" ? first.text : "",
    /items left out.*\n--- note ---\ntruncated: Cut to 30,000 characters/s,
  );
  assert(JSON.stringify(structuredContent).length < 40_000);
  const nest = (depth: number, wrap: (it: unknown) => unknown) => {
    let value: unknown = 1;
    for (let at = 0; at < depth; at++) value = wrap(value);
    return value;
  };
  const refused = await call(nest(110, (it) => ({ List: [it] })));
  assertMatch(JSON.stringify(refused.structuredContent), /nested too deep/);
  for (
    const wrap of [(it: unknown) => [it], (it: unknown) => ({ List: [it] })]
  ) {
    const answer = await call(nest(10_000, wrap)).catch(String);
    assertMatch(String(answer), /nested deeper than 250: send less deep data/);
  }
  const whole = await call(nest(90, (it) => ({ List: [it] })));
  assertEquals(whole.isError, false);
  const { result } = fields((await call({ Int: 1 })).structuredContent);
  assertEquals(result, { Int: 1 });
});
