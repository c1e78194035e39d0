import { assertEquals, assertRejects } from "../../../deps/assert.ts";
import type { CallToolResult } from "../../../deps/mcp_server.ts";
import { z } from "../../../deps/zod.ts";
import { toText } from "../../results/render.ts";
import { contract, toRunAnswer } from "./contract.ts";

const tested = {
  name: "tested",
  tool: () => ({}),
  schema: z.strictObject({ a: z.number().optional() }),
};

/** Calls a contract that answers with this. */
function call(answer: () => never, args = {}): Promise<CallToolResult> {
  return contract({ ...tested, answer })
    .call(args, () => Promise.reject(new Error("No code to run")));
}

function wrong(): never {
  throw new RangeError("a is 5, and must be 4");
}

Deno.test("contract() answers wrong arguments as a tool's error, from schema and contract", async () => {
  const refused = (text: string) => ({
    content: [{ type: "text" as const, text }],
    isError: true,
  });
  assertEquals(await call(wrong), refused("a is 5, and must be 4"));
  assertEquals(
    await call(wrong, { a: "5" }),
    refused("a must be a number, not a string"),
  );
});

Deno.test("contract() renders wrong arguments of code as a result, and runs nothing", async () => {
  const running = contract({
    ...tested,
    toRequest: wrong,
    render: ({ result }) => ({
      content: [{ type: "text", text: toText(result, "json") }],
    }),
  });
  const run = () => Promise.reject(new Error("The code ran"));
  assertEquals((await running.call({}, run)).content, [{
    type: "text",
    text:
      '{"status":"invalid-arguments","output":[],"error":"a is 5, and must be 4"}',
  }]);
});

Deno.test("contract() leaves a fault of ours as it is", async () => {
  const fault = new Error("ours");
  const fail = () => {
    throw fault;
  };
  await assertRejects(() => call(fail), (error: Error) => error === fault);
});

Deno.test("toRunAnswer() tells programs how long a call waited, if that was long", () => {
  const toMeta = (waitedMs?: number) =>
    toRunAnswer(
      {
        result: { status: "success", returnValue: 1, output: [] },
        ...{ blocks: [], waitedMs },
      },
      { text: "", structured: {} },
      { errorResults: false, structured: "fitted" },
    )._meta;
  assertEquals(toMeta(1000.4), { "mcp-run-python/waitedMs": 1000 });
  for (const short of [undefined, 0, 999]) {
    assertEquals(toMeta(short), undefined);
  }
});
