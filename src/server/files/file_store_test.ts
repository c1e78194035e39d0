import { assert, assertEquals, assertMatch } from "../../../deps/assert.ts";
import { Share } from "../../shares.ts";
import { FileStore } from "./file_store.ts";

const file = (path: string, size: number) => ({
  path,
  bytes: new Uint8Array(size),
});
const KIB = 1024;

const openStore = (bytes: number) => new FileStore(new Share(bytes));

Deno.test("FileStore drops the oldest run's files first, and whole", () => {
  const store = openStore(20 * KIB);
  const [first] = store.add("a", [file("a", 4 * KIB), file("b", 4 * KIB)]);
  const [second] = store.add("a", [file("a", 4 * KIB)]);
  const [third] = store.add("a", [file("a", 4 * KIB)]);
  assertEquals(store.get("a", first?.uri ?? ""), undefined);
  assertEquals(store.list("a"), [third, second]);
  const [fourth] = store.add("a", [file("a", 4 * KIB)]);
  assertEquals(store.list("a"), [fourth, third, second]);
});

Deno.test("FileStore writes an address with each folder's name in it", () => {
  const store = openStore(20 * KIB);
  const kept = store.add(
    "a",
    ["ü/b c/d", "ü/b c/e", "ü/f", "g"].map((path) => file(path, 0)),
  );
  assertEquals(
    kept.map(({ uri }) => uri?.slice(uri.indexOf("/", 15))),
    ["/%C3%BC/b%20c/d", "/%C3%BC/b%20c/e", "/%C3%BC/f", "/g"],
  );
});

Deno.test("FileStore begins an address with the name of its server, and finds it so", () => {
  const store = new FileStore(new Share(20 * KIB), "one");
  const [kept] = store.add("a", [file("g", 0)]);
  assertMatch(kept?.uri ?? "", /^run-python:\/\/one\.[\da-f-]{36}\/g$/);
  assertEquals(store.get("a", kept?.uri ?? ""), kept);
});

Deno.test("FileStore gives no address to what it cannot keep, and keeps the rest", () => {
  const store = openStore(8 * KIB);
  const [small, large] = store.add("a", [file("s", 1), file("l", 8 * KIB)]);
  assert(small?.uri);
  assertEquals(large?.uri, undefined);
  assertEquals(store.list("a"), [small]);
});

Deno.test("FileStore counts what an empty file takes", () => {
  const store = openStore(8 * KIB);
  const names = Array.from({ length: 100 }, (_, n) => file(`${n}`, 0));
  store.add("a", names);
  assert(store.list("a").length < 8);
});

Deno.test("FileStore gives each run addresses that cannot be guessed", () => {
  const store = openStore(8 * KIB);
  const [one] = store.add("a", [file("d/ü ?#%", 0)]);
  const [other] = store.add("a", [file("d/ü ?#%", 0)]);
  assert(one?.uri && one.uri !== other?.uri);
  assert(new URL(one.uri).pathname.endsWith("/d/%C3%BC%20%3F%23%25"));
  assertEquals(store.get("a", one.uri), one);
  for (
    const uri of [
      "",
      "run-python://",
      "run-python:///a",
      "file:///a",
      one.uri.replace("d/", "d%2F"),
      `${one.uri}%`,
    ]
  ) {
    assertEquals(store.get("a", uri), undefined);
  }
});

Deno.test("escape: addresses of one length do not make the store compare them all", () => {
  // 36,000 characters each: V8 hashes such a text by its length only.
  const folder = Array.from({ length: 100 }, () => "語".repeat(39)).join("/");
  const store = openStore(1 << 30);
  const kept = store.add(
    "a",
    Array.from({ length: 8000 }, (_, at) => file(`${folder}/${1000 + at}`, 0)),
  );
  const last = kept.at(-1);
  assert(last?.uri && store.get("a", last.uri) === last);
});

Deno.test("FileStore gives a file by its address", () => {
  const store = openStore(20 * KIB);
  const [kept] = store.add("a", [{ path: "a b", bytes: new Uint8Array([7]) }]);
  assertEquals(store.get("a", kept?.uri ?? "")?.bytes[0], 7);
});

Deno.test("FileStore gives no owner the files of another", () => {
  const store = openStore(20 * KIB);
  const [kept] = store.add("a", [file("f", 1)]);
  const uri = kept?.uri ?? "";
  assertEquals(store.get("a", uri), kept);
  assertEquals(store.get("b", uri), undefined);
  assertEquals(store.list("b"), []);
});

Deno.test("FileStore bounds the files of all owners together, and keeps each owner's share", () => {
  const store = openStore(40 * KIB);
  const [mine] = store.add("a", [file("f", 8 * KIB)]);
  for (let run = 0; run < 20; run++) {
    store.add("b", [file(`${run}`, 4 * KIB)]);
    store.add("c", [file(`${run}`, 12 * KIB)]);
  }
  assertEquals(store.list("a"), [mine]);
  const all = ["a", "b", "c"].flatMap((owner) => store.list(owner));
  const bytes = all.reduce((sum, { bytes }) => sum + bytes.length, 0);
  assert(bytes > 24 * KIB && bytes <= 40 * KIB, `${bytes} bytes`);
  // A run of more than all others leave room for.
  const [large] = store.add("d", [file("l", 38 * KIB)]);
  assertEquals(large?.uri, undefined);
  assertEquals(store.list("a"), [mine]);
  // A newcomer gets its share of an owner that has more.
  const alone = openStore(40 * KIB);
  for (let run = 0; run < 10; run++) alone.add("a", [file("f", 4 * KIB)]);
  const [small] = alone.add("b", [file("f", 15 * KIB)]);
  assertEquals(alone.list("b"), [small]);
  assert(alone.list("a").length >= 4);
});
