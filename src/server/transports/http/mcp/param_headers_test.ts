import { assertEquals } from "../../../../../deps/assert.ts";
import type { JSONRPCMessage } from "../../../../../deps/mcp_server.ts";
import { maybeRefuseParam } from "./param_headers.ts";

const call = (args: object, method = "tools/call"): JSONRPCMessage => ({
  ...{ jsonrpc: "2.0", id: 7, method },
  params: { name: "run_python_code", arguments: args },
});
const refused = (message: JSONRPCMessage, header?: string) =>
  maybeRefuseParam(
    message,
    new Headers(header === undefined ? {} : { "mcp-param-session": header }),
  );

Deno.test("maybeRefuseParam() lets calls through whose header repeats their session, encoded too, or is not there", () => {
  assertEquals(refused(call({ session: "new" })), undefined);
  assertEquals(refused(call({ session: "new" }), "new"), undefined);
  const encoded = `=?base64?${btoa("new")}?=`;
  assertEquals(refused(call({ session: "new" }), encoded), undefined);
});

Deno.test("maybeRefuseParam() refuses a session if the header names another", () => {
  for (
    const header of [
      ...["", "old", "new, new", "=?base64?b2xk?="],
      ...["=?base64?*?=", "=?base64?/w==?="],
    ]
  ) {
    const { id, error } = refused(call({ session: "new" }), header) ?? {};
    assertEquals([id, error?.code], [7, -32020], header);
  }
});

Deno.test("maybeRefuseParam() refuses a run if the header names another", () => {
  const message = call({ run: "one.1" });
  const refusal = (run: string) =>
    maybeRefuseParam(message, new Headers({ "mcp-param-run": run }))?.error;
  assertEquals(refusal("one.1"), undefined);
  const { code, message: told } = refusal("two.1") ?? {};
  assertEquals([code, told?.includes("the argument run")], [-32020, true]);
});

Deno.test("maybeRefuseParam() looks at sessions of calls alone", () => {
  for (
    const message of [
      ...[call({}), call({ session: null }), call({ session: 5 })],
      call({ session: "new" }, "resources/read"),
    ]
  ) {
    assertEquals(refused(message), undefined);
    assertEquals(refused(message, "other"), undefined);
  }
});
