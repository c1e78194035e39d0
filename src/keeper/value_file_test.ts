import { assert, assertEquals, assertThrows } from "../../deps/assert.ts";
import { LONGEST_KEY, LONGEST_METADATA } from "../protocol/keeper_messages.ts";
import {
  Damage,
  encodeHead,
  type Head,
  MOST_HEAD,
  nameOf,
  NO_HASH,
  ownerName,
  parseHead,
} from "./value_file.ts";

const HEAD: Head = {
  ...{ key: "k\n", bytes: 3, created: 1, updated: 2, revision: "r" },
  ...{ metadata: "[1]", name: "n", sha256: NO_HASH },
};
const encoder = new TextEncoder();

Deno.test("parseHead() reads each head, and where the value begins", () => {
  const { metadata: _, ...without } = HEAD;
  for (const head of [HEAD, without]) {
    const bytes = encodeHead(head);
    const whole = new Uint8Array([...bytes, 1, 2, 3]);
    assertEquals(parseHead(whole), { head, begin: bytes.length });
  }
});

Deno.test("parseHead() notices each byte that has changed", () => {
  const bytes = encodeHead(HEAD);
  for (let at = 0; at < bytes.length; at++) {
    const changed = bytes.map((byte, index) => index === at ? byte ^ 2 : byte);
    assertThrows(() => parseHead(changed), Error);
    assertThrows(
      () => parseHead(bytes.subarray(0, at)),
      (error) => error instanceof Damage,
    );
  }
});

Deno.test("parseHead() takes no facts of another form", () => {
  const others = [
    ...[{ bytes: -1 }, { bytes: 1e300 }, { bytes: "1" }, { created: null }],
    ...[{ key: 1 }, { metadata: 1 }, { name: 1 }, { sha256: null }],
  ];
  for (const wrong of others) {
    const head = Object.assign({}, HEAD, wrong);
    assertThrows(() => parseHead(encodeHead(head)), Damage);
  }
});

Deno.test("parseHead() says that another version has written a file", () => {
  const text = new TextDecoder().decode(encodeHead(HEAD));
  assertThrows(
    () => parseHead(encoder.encode(text.replace("kept 1 ", "kept 2 "))),
    (error) => !(error instanceof Damage) && /version 2,/.test(String(error)),
  );
  for (const line of ["kept one ", "kept  1 ", "session 1\n", "KEPT 1 "]) {
    const other = encoder.encode(text.replace("kept 1 ", line));
    assertThrows(() => parseHead(other), Damage);
  }
});

Deno.test("a head has its length whatever the hash, and room for the longest facts", () => {
  const length = (head: Head) => encodeHead(head).length;
  assertEquals(length({ ...HEAD, sha256: "f".repeat(64) }), length(HEAD));
  const padded = encodeHead(HEAD, 1000);
  assertEquals(padded.length, 1000);
  assertEquals(parseHead(padded), { head: HEAD, begin: 1000 });
  assertEquals(encodeHead(HEAD, 10), encodeHead(HEAD));
  const longest = {
    ...HEAD,
    key: "\u0001".repeat(2 * LONGEST_KEY),
    metadata: "\u0001".repeat(LONGEST_METADATA),
    name: nameOf({ space: "artifacts", owner: "", key: "k" }),
  };
  assert(length(longest) < MOST_HEAD);
  assertEquals(parseHead(encodeHead(longest)).head, longest);
});

Deno.test("nameOf() keeps owners, spaces and keys apart, and tells none", () => {
  const names = [
    nameOf({ space: "memory", owner: "a", key: "bc" }),
    nameOf({ space: "memory", owner: "ab", key: "c" }),
    nameOf({ space: "tools", owner: "a", key: "bc" }),
    nameOf({ space: "memory", owner: "../a", key: "/bc" }),
  ];
  assertEquals(new Set(names).size, 4);
  for (const name of names) {
    assert(/^[0-9a-f]{32}\.[a-z]+\.[0-9a-f]{32}\.value$/.test(name));
  }
  assert(names[0]?.startsWith(ownerName("a")));
  assert(encoder.encode(names[0]).length < 255);
});
