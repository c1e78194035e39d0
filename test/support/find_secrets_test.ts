import { assertEquals, assertThrows } from "../../deps/assert.ts";
import { findSecrets } from "./find_secrets.ts";

const SECRET = 'p4ss "word" 0123456789abcdef';
const encoded = new TextEncoder().encode(`x=${SECRET}`);

Deno.test("findSecrets() finds a secret in texts, keys, bytes, errors and collections", () => {
  const error = new Error("outer", { cause: new TypeError(`has ${SECRET}`) });
  const recorded = {
    text: [`a ${SECRET} b`],
    ...{ [SECRET]: 1 },
    bytes: encoded,
    map: new Map([["k", SECRET]]),
    set: new Set([SECRET]),
    error,
    fine: ["p4ss", 'p4ss "word', 1, null, undefined, true],
  };
  const places = findSecrets(recorded, [SECRET]);
  for (
    const place of [
      ...["text.0", " (key)", "bytes.bytes", "map.k", "set.0"],
      "error.cause.message",
    ]
  ) assertEquals(places.includes(place), true, `${place} of ${places}`);
  assertEquals(places.filter((place) => place.startsWith("fine")), []);
});

Deno.test("findSecrets() finds a secret that is encoded, or of which a part is left", () => {
  const forms = [
    ...[SECRET.slice(3, 16), JSON.stringify({ SECRET }), SECRET.toUpperCase()],
    ...[encodeURIComponent(SECRET), encoded.toBase64(), encoded.toHex()],
    ...["ab", "abc"].map((start) => btoa(start + SECRET)),
    [...SECRET].reverse().join(""),
  ];
  for (const form of forms) assertEquals(findSecrets([form], [SECRET]), ["0"]);
  assertEquals(findSecrets(["nothing of it"], [SECRET]), []);
});

Deno.test("findSecrets() ends in a circle, and refuses a marker that is too short to be told", () => {
  const circle: { self?: unknown } = {};
  circle.self = circle;
  assertEquals(findSecrets(circle, [SECRET]), []);
  assertThrows(() => findSecrets("", ["short"]), /has 5 characters/);
});
