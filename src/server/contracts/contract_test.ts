import { assertEquals, assertRejects } from "../../../deps/assert.ts";
import type {
  CallToolResult,
  ProtocolError,
} from "../../../deps/mcp_server.ts";
import { z } from "../../../deps/zod.ts";
import { INVALID_PARAMS } from "../error_codes.ts";
import { contract } from "./contract.ts";

/** Calls a contract that answers with this. */
function call(
  answer: () => never,
  refuse?: (text: string) => CallToolResult,
): Promise<CallToolResult> {
  const tested = contract({
    name: "tested",
    tool: () => ({}),
    schema: z.strictObject({}),
    answer,
    ...(refuse ? { refuse } : {}),
  });
  return tested.call({}, () => Promise.reject(new Error("No code to run")));
}

function wrong(): never {
  throw new RangeError("a is 5, and must be 4");
}

Deno.test("contract() makes wrong arguments a protocol error", async () => {
  await assertRejects(call(wrong), (error: ProtocolError) => {
    assertEquals(error.code, INVALID_PARAMS);
    assertEquals(error.message, "a is 5, and must be 4");
    return true;
  });
});

Deno.test("contract() answers wrong arguments as its contract does", async () => {
  const refuse = (text: string) => ({
    content: [{ type: "text" as const, text }],
  });
  assertEquals(await call(wrong, refuse), refuse("a is 5, and must be 4"));
});

Deno.test("contract() leaves a fault of ours as it is", async () => {
  const fault = new Error("ours");
  const fail = () => {
    throw fault;
  };
  await assertRejects(call(fail), (error: Error) => error === fault);
});
