import { assert, assertEquals, assertThrows } from "../../deps/assert.ts";
import { BROKER_LINE, LONGEST_ESCAPE, SERVER_LINE } from "./bounds.ts";
import { encodeMessage } from "./run_messages.ts";
import { PIECE_BYTES } from "./run_files.ts";
import { STATE_BOUNDS } from "./state_bounds.ts";
import {
  decodeFromState,
  LONGEST_KEY,
  LONGEST_METADATA,
  LONGEST_TEXT,
  parseToState,
  refuseKey,
  STATE_LINE,
  type ToState,
} from "./state_messages.ts";

const PLACE = { space: "memory", owner: "ada", key: "k" } as const;

const REQUESTS: ToState[] = [
  { type: "list", space: "catalog", owner: "" },
  { type: "get", ...PLACE },
  { type: "info", ...PLACE },
  { type: "delete", ...PLACE },
  { type: "put", ...PLACE, text: "" },
  { type: "put", ...PLACE, text: "é", metadata: "1", ifRevision: "" },
  { type: "begin", ...PLACE, draft: 1, size: 0 },
  { type: "begin", ...PLACE, draft: 1, size: 2 ** 40, metadata: "{}" },
  { type: "append", draft: 1, bytes: new Uint8Array([1, 2]) },
  { type: "commit", draft: 1 },
  { type: "abort", draft: 1 },
  { type: "read", ...PLACE, offset: 0, length: PIECE_BYTES },
  { type: "read", ...PLACE, offset: 1, length: 1, revision: "r" },
];

Deno.test("parseToState() reads what the server sends, and no field more", () => {
  for (const request of REQUESTS) {
    const sent = JSON.parse(encodeMessage(request));
    assertEquals(parseToState({ ...sent, more: 1 }), request);
  }
});

Deno.test("parseToState() takes no request of another form", () => {
  const put = { type: "put", ...PLACE, text: "1" };
  const read = { type: "read", ...PLACE, offset: 0, length: 1 };
  const wrong: unknown[] = [
    ...[null, [], "get", {}, { type: "gets" }, { type: "get" }],
    ...[{ ...put, space: "other" }, { ...put, space: "__proto__" }],
    ...[{ ...put, owner: 1 }, { ...put, owner: "x".repeat(5000) }],
    ...[{ ...put, key: "" }, { ...put, key: "x".repeat(257) }],
    ...[{ ...put, key: "\ud800" }, { ...put, key: 1 }, { ...put, text: 1 }],
    { ...put, metadata: "x".repeat(LONGEST_METADATA + 1) },
    ...[{ ...put, metadata: 1 }, { ...put, ifRevision: 1 }],
    ...[{ ...read, offset: -1 }, { ...read, offset: 0.5 }],
    ...[{ ...read, length: PIECE_BYTES + 1 }, { ...read, revision: 1 }],
    ...[{ type: "begin", ...PLACE, draft: 1 }, { type: "commit" }],
    ...[{ type: "append", draft: 1, bytes: "%" }, { type: "list", owner: "" }],
    {
      ...{ type: "append", draft: 1 },
      bytes: new Uint8Array(PIECE_BYTES + 1).toBase64(),
    },
  ];
  for (const data of wrong) {
    assertThrows(() => parseToState(data), /Cannot obey a request/);
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

Deno.test("decodeFromState() reads bytes", () => {
  const bytes = new Uint8Array([0, 255]);
  const facts = {
    ...{ key: "k", bytes: 2, created: 1, updated: 2, revision: "r" },
  };
  const piece = { type: "piece", facts, bytes } as const;
  assertEquals(decodeFromState(encodeMessage(piece)), piece);
});

Deno.test("each line of the state process fits into those of its readers", () => {
  assert(STATE_LINE <= BROKER_LINE && STATE_LINE <= SERVER_LINE);
  const { spaces } = STATE_BOUNDS;
  for (const space of ["tools", "memory", "catalog"] as const) {
    assert(spaces[space].bytes <= LONGEST_TEXT);
  }
  const facts = 300 +
    (2 * LONGEST_KEY + LONGEST_METADATA) * LONGEST_ESCAPE;
  for (const { values } of Object.values(spaces)) {
    assert(values * facts < STATE_LINE);
  }
});
