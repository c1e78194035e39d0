import { assertEquals, assertThrows } from "../../deps/assert.ts";
import { parseToStore, type ToStore } from "./store_messages.ts";
import { PIECE_BYTES } from "./run_files.ts";
import { encodeMessage } from "./run_messages.ts";

const KEY = "0123456789abcdef".repeat(2);
const META = {
  ...{ owner: "ada", environment: "e1", created: 1, used: 2, runs: 3 },
};
const REQUESTS: ToStore[] = [
  { type: "begin", draft: 1, key: KEY, meta: META },
  { type: "append", draft: 1, bytes: new Uint8Array([1, 2, 255]) },
  { type: "commit", draft: 1 },
  { type: "abort", draft: 1 },
  { type: "load", key: KEY, environment: "e1" },
  { type: "read", key: KEY, sha256: KEY + KEY, offset: 7 },
  { type: "remove", key: KEY },
];

Deno.test("parseToStore() reads each request as it was sent", () => {
  for (const request of REQUESTS) {
    assertEquals(parseToStore(JSON.parse(encodeMessage(request))), request);
  }
});

Deno.test("parseToStore() takes no key that could name another file", () => {
  const keys = [
    ...["", "a", KEY.toUpperCase(), `${KEY}0`, `${KEY}\n`, `../${KEY}`],
    ...[`${KEY.slice(3)}/..`, `${KEY.slice(1)}\0`, [KEY], null, undefined],
  ];
  for (const request of REQUESTS.filter((one) => "key" in one)) {
    for (const key of keys) {
      assertThrows(() => parseToStore({ ...request, key }), TypeError);
    }
  }
});

Deno.test("parseToStore() takes no request of another form", () => {
  const [begin, append, commit, , , read] = REQUESTS;
  const tooLong = "A".repeat(4 * Math.ceil((PIECE_BYTES + 1) / 3));
  const others: unknown[] = [
    ...[null, [], "remove", {}, { type: "drop", key: KEY }],
    { ...begin, draft: -1 },
    { ...begin, meta: { ...META, owner: undefined } },
    { ...begin, meta: { ...META, created: Infinity } },
    { ...append, bytes: "no base64!" },
    { ...append, bytes: tooLong },
    { ...commit, draft: "1" },
    { ...read, offset: 0.5 },
    { ...read, sha256: "../x" },
  ];
  for (const data of others) assertThrows(() => parseToStore(data), TypeError);
});
