import { assert, assertEquals } from "../../../deps/assert.ts";
import { FileStore } from "./file_store.ts";

const file = (path: string, size: number) => ({
  path,
  bytes: new Uint8Array(size),
});
const KIB = 1024;

Deno.test("FileStore drops the oldest run's files first, and whole", () => {
  const store = new FileStore(20 * KIB);
  const [first] = store.add([file("a", 4 * KIB), file("b", 4 * KIB)]);
  const [second] = store.add([file("a", 4 * KIB)]);
  const [third] = store.add([file("a", 4 * KIB)]);
  assertEquals(store.get(first?.uri ?? ""), undefined);
  assertEquals(store.list(), [third, second]);
  const [fourth] = store.add([file("a", 4 * KIB)]);
  assertEquals(store.list(), [fourth, third, second]);
});

Deno.test("FileStore writes an address with each folder's name in it", () => {
  const store = new FileStore(20 * KIB);
  const kept = store.add(
    ["ü/b c/d", "ü/b c/e", "ü/f", "g"].map((path) => file(path, 0)),
  );
  assertEquals(
    kept.map(({ uri }) => uri?.slice(uri.indexOf("/", 15))),
    ["/%C3%BC/b%20c/d", "/%C3%BC/b%20c/e", "/%C3%BC/f", "/g"],
  );
});

Deno.test("FileStore gives no address to what it cannot keep, and keeps the rest", () => {
  const store = new FileStore(8 * KIB);
  const [small, large] = store.add([file("s", 1), file("l", 8 * KIB)]);
  assert(small?.uri);
  assertEquals(large?.uri, undefined);
  assertEquals(store.list(), [small]);
});

Deno.test("FileStore counts what an empty file takes", () => {
  const store = new FileStore(8 * KIB);
  const names = Array.from({ length: 100 }, (_, n) => file(`${n}`, 0));
  store.add(names);
  assert(store.list().length < 8);
});

Deno.test("FileStore gives each run addresses that cannot be guessed", () => {
  const store = new FileStore(8 * KIB);
  const [one] = store.add([file("d/ü ?#%", 0)]);
  const [other] = store.add([file("d/ü ?#%", 0)]);
  assert(one?.uri && one.uri !== other?.uri);
  assert(new URL(one.uri).pathname.endsWith("/d/%C3%BC%20%3F%23%25"));
  assertEquals(store.get(one.uri), one);
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
    assertEquals(store.get(uri), undefined);
  }
});

Deno.test("escape: addresses of one length do not make the store compare them all", () => {
  // 36,000 characters each: V8 hashes such a text by its length only.
  const folder = Array.from({ length: 100 }, () => "語".repeat(39)).join("/");
  const store = new FileStore(1 << 30);
  const kept = store.add(
    Array.from({ length: 8000 }, (_, at) => file(`${folder}/${1000 + at}`, 0)),
  );
  const last = kept.at(-1);
  assert(last?.uri && store.get(last.uri) === last);
});

Deno.test("FileStore gives a file by its address", () => {
  const store = new FileStore(20 * KIB);
  const [kept] = store.add([{ path: "a b", bytes: new Uint8Array([7]) }]);
  assertEquals(store.get(kept?.uri ?? "")?.bytes[0], 7);
});
