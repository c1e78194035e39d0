import { assertEquals } from "../../deps/assert.ts";
import { readRequestId, readTrace } from "./trace_context.ts";

const [TRACE, SPAN] = ["4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"];
const PARENT = `00-${TRACE}-${SPAN}-01`;

Deno.test("readTrace() takes a trace from metadata, or else from headers", () => {
  const headers = new Headers({ traceparent: PARENT, tracestate: "a=1" });
  const other = PARENT.replace(/1$/, "0");
  assertEquals(readTrace({}, headers), {
    ...{ traceparent: PARENT, tracestate: "a=1" },
  });
  assertEquals(readTrace({ traceparent: other }, headers), {
    traceparent: other,
  });
  assertEquals(readTrace({ traceparent: "x" }, headers).traceparent, PARENT);
  assertEquals(readTrace(undefined), {});
});

Deno.test("readTrace() and readRequestId() drop hostile texts", () => {
  for (
    const traceparent of [
      `${PARENT} `.repeat(2),
      `${PARENT}-${"a".repeat(10_000)}`,
      PARENT.replace("00-", "ff-"),
      PARENT.replace(TRACE, "0".repeat(32)),
      PARENT.replace(SPAN, "0".repeat(16)),
      PARENT.toUpperCase(),
      `${PARENT}\n`,
    ]
  ) assertEquals(readTrace({ traceparent }), {});
  const read = (id: string) =>
    readRequestId(new Headers({ "x-request-id": id }));
  assertEquals(read("7f3c-1"), "7f3c-1");
  for (const id of ["", "a b", "\xe9", "a".repeat(129)]) {
    assertEquals(read(id), undefined);
  }
  assertEquals(readRequestId(), undefined);
});
