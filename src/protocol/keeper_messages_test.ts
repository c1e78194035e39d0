import { assert, assertEquals, assertThrows } from "../../deps/assert.ts";
import { BROKER_LINE, LONGEST_ESCAPE, SERVER_LINE } from "./bounds.ts";
import {
  KEEPER_BODY,
  KEEPER_LINE,
  LONGEST_KEY,
  LONGEST_METADATA,
  LONGEST_TEXT,
  parseToKeeper,
  refuseKey,
  STATE_BOUNDS,
  type ToKeeper,
} from "./keeper_messages.ts";
import { PIECE_BYTES } from "./run_files.ts";

const PLACE = { space: "memory", owner: "ada", key: "k" } as const;
const BODY = new Uint8Array([1, 2]);

const REQUESTS: [ToKeeper, Uint8Array?][] = [
  [{ type: "list", space: "catalog", owner: "" }],
  [{ type: "get", ...PLACE }],
  [{ type: "info", ...PLACE, space: "sessions" }],
  [{ type: "delete", ...PLACE }],
  [{ type: "delete", ...PLACE, ifRevision: "r" }],
  [{ type: "put", ...PLACE }, new Uint8Array()],
  [{ type: "put", ...PLACE, metadata: "1", ifRevision: "", by: 1 }, BODY],
  [{ type: "begin", ...PLACE, draft: 1 }],
  [{ type: "begin", ...PLACE, draft: 1, size: 0, used: 3 }],
  [{ type: "begin", ...PLACE, draft: 1, size: 2 ** 40, metadata: "{}" }],
  [{ type: "append", draft: 1 }, BODY],
  [{ type: "commit", draft: 1 }],
  [{ type: "commit", draft: 1, by: 2 ** 41 }],
  [{ type: "abort", draft: 1 }],
  [{ type: "read", ...PLACE, offset: 0, length: PIECE_BYTES }],
  [{ type: "read", ...PLACE, offset: 1, length: 1, revision: "r" }],
];

Deno.test("parseToKeeper() reads what the server sends, and no field more", () => {
  for (const [request, body] of REQUESTS) {
    const sent = JSON.parse(JSON.stringify({ ...request, more: 1, ask: 1 }));
    assertEquals(parseToKeeper(sent, body), request);
  }
});

Deno.test("parseToKeeper() takes no request of another form", () => {
  const put = { type: "put", ...PLACE };
  const read = { type: "read", ...PLACE, offset: 0, length: 1 };
  const begin = { type: "begin", ...PLACE, draft: 1 };
  const append = { type: "append", draft: 1 };
  const many = new Uint8Array(PIECE_BYTES + 1);
  const wrong: [unknown, Uint8Array?][] = [
    ...[null, [], "get", {}, { type: "gets" }, { type: "get" }]
      .map((data): [unknown] => [data]),
    ...["constructor", "__proto__", ["get"], 1]
      .map((type): [unknown] => [{ ...PLACE, type }]),
    ...[
      ...[{ space: "other" }, { space: "__proto__" }, { owner: 1 }],
      ...[{ owner: "x".repeat(5000) }, { key: "" }, { key: "x".repeat(257) }],
      ...[{ key: "\ud800" }, { key: 1 }, { metadata: 1 }, { ifRevision: 1 }],
      ...[{ metadata: "x".repeat(LONGEST_METADATA + 1) }, { by: "1" }],
    ].map((more): [unknown, Uint8Array] => [{ ...put, ...more }, BODY]),
    ...[{ offset: -1 }, { offset: 0.5 }, { revision: 1 }]
      .map((more): [unknown] => [{ ...read, ...more }]),
    ...[[{ ...read, length: PIECE_BYTES + 1 }], [{ type: "commit" }]] as [
      unknown,
    ][],
    ...[[{ ...begin, size: -1 }], [{ ...begin, draft: "1" }]] as [unknown][],
    ...[[put], [append], [{ ...begin, used: 0.5 }]] as [unknown][],
    ...[[append, many], [read, BODY], [begin, BODY]] as [unknown, Uint8Array][],
    [put, new Uint8Array(LONGEST_TEXT + 1)],
  ];
  for (const [data, body] of wrong) {
    assertThrows(() => parseToKeeper(data, body), /Cannot obey a request/);
  }
});

Deno.test("refuseKey() counts characters, as Python does", () => {
  assertEquals(refuseKey("😀".repeat(LONGEST_KEY)), undefined);
  assertEquals(
    refuseKey("😀".repeat(LONGEST_KEY + 1)),
    "it has 257 characters, and may have 256",
  );
  assertEquals(refuseKey("../\0\n"), undefined);
  assertEquals(refuseKey(""), "it is empty");
});

Deno.test("each line and body of a keeper fits into those of its readers", () => {
  assert(KEEPER_LINE <= BROKER_LINE && KEEPER_LINE <= SERVER_LINE);
  assert(PIECE_BYTES <= KEEPER_BODY);
  const { spaces } = STATE_BOUNDS;
  for (const space of ["tools", "memory", "catalog"] as const) {
    assert((spaces[space]?.bytes ?? Infinity) <= LONGEST_TEXT);
  }
  const facts = 300 +
    (2 * LONGEST_KEY + LONGEST_METADATA) * LONGEST_ESCAPE;
  for (const { values } of Object.values(spaces)) {
    assert(values * facts < KEEPER_LINE);
  }
});
