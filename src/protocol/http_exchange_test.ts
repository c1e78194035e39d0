import { assertEquals } from "../../deps/assert.ts";
import { parseToNetwork } from "./http_exchange.ts";

const REQUEST = {
  method: "GET",
  url: "http://a/",
  headers: [["a", "b"], ["a", "c"]],
};

Deno.test("parseToNetwork() reads each message, and drops what else is in it", () => {
  const body = new Uint8Array(3);
  const request = { ...REQUEST, body, more: 1 };
  assertEquals(parseToNetwork({ type: "send", id: 1, request, more: 1 }), {
    type: "send",
    id: 1,
    request: { ...REQUEST, body },
  });
  for (const type of ["read", "drop"]) {
    assertEquals(parseToNetwork({ type, id: 1, more: 1 }), { type, id: 1 });
  }
});

Deno.test("parseToNetwork() refuses all that is none of its messages", () => {
  const shared = new Uint8Array(new SharedArrayBuffer(1));
  const requests = [
    ...[undefined, null, 1, [], {}],
    ...[{ ...REQUEST, url: 1 }, { ...REQUEST, method: null }],
    ...[{ ...REQUEST, headers: {} }, { ...REQUEST, headers: [["a"]] }],
    ...[{ ...REQUEST, headers: [["a", 1]] }, { ...REQUEST, headers: ["ab"] }],
    { ...REQUEST, headers: Array(257).fill(["a", "b"]) },
    { ...REQUEST, headers: [["a", "b".repeat(2 ** 16)]] },
    { ...REQUEST, url: `http://a/${"b".repeat(2 ** 16)}` },
    { ...REQUEST, method: "x".repeat(2 ** 16) },
    ...[{ ...REQUEST, body: "x" }, { ...REQUEST, body: shared }],
  ];
  for (const request of requests) {
    const message = { type: "send", id: 1, request };
    assertEquals(parseToNetwork(message), undefined, JSON.stringify(request));
  }
  for (const id of [undefined, "1", 1.5, NaN, Infinity, 2 ** 53]) {
    assertEquals(parseToNetwork({ type: "read", id }), undefined, String(id));
  }
  for (
    const message of [undefined, null, "read", [], { id: 1 }, {
      type: "x",
      id: 1,
    }]
  ) {
    assertEquals(parseToNetwork(message), undefined);
  }
});
