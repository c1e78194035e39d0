import { join } from "node:path";
import { assert, assertEquals, assertMatch } from "../../deps/assert.ts";
import { namesIn, tempFolder } from "../../test/support/folder.ts";
import { log } from "../log.ts";
import {
  type KeeperBounds,
  sessionBounds,
  type ToKeeper,
} from "../protocol/keeper_messages.ts";
import { KeeperFolder } from "./keeper_folder.ts";
import { maybeOpenValue, verify } from "./open_value.ts";
import {
  Damage,
  encodeHead,
  type Head,
  nameOf,
  NO_HASH,
} from "./value_file.ts";

const NO_LINKS = Deno.build.os === "windows" && "needs links and pipes";
if (NO_LINKS) log(`skipped: links in the folder of a keeper: ${NO_LINKS}`);

const PLACE = { space: "sessions", owner: "ada", key: "k" } as const;
const FILE = nameOf(PLACE);
const OTHER = nameOf({ ...PLACE, key: "other" });
const READ = { type: "read", ...PLACE, offset: 0, length: 1000 } as const;
const NOW = 1e12;

/** A keeper of sessions, with what it says about damage. */
function open(
  folder: string,
  bounds: KeeperBounds = sessionBounds(1000, 1e6),
  now = () => NOW,
) {
  const told: string[] = [];
  const keeper = new KeeperFolder(folder, {
    ...{ bounds, lockMs: 60_000, now },
    onDamage: (sentence) => told.push(sentence),
  });
  const ask = (request: ToKeeper, body?: Uint8Array<ArrayBuffer>) =>
    keeper.obey(request, body);
  const begin = (draft: number) => ask({ type: "begin", draft, ...PLACE });
  const append = (draft: number, size: number, byte = 0) =>
    ask({ type: "append", draft }, new Uint8Array(size).fill(byte));
  /** Stores so many bytes of a value. */
  const store = async (byte: number, size = 100) => {
    await begin(1);
    const said = await append(1, size, byte);
    return said.type === "done"
      ? await ask({ type: "commit", draft: 1 })
      : said;
  };
  return { ...{ keeper, told, ask, begin, append, store } };
}

Deno.test("a value that is written again is as old as its first write", async () => {
  await using folder = await tempFolder();
  let now = NOW;
  const { store } = open(folder.path, undefined, () => now);
  await store(1);
  now += 5000;
  const again = await store(2);
  assert(again.type === "done" && again.facts);
  const { created, updated } = again.facts;
  assertEquals([created, updated], [NOW, NOW + 5000]);
});

Deno.test("a write tells the bytes of all values after it, without those that made room", async () => {
  await using folder = await tempFolder();
  const { store, ask } = open(folder.path, sessionBounds(1e6, 1.5e6));
  const roomOf = (said: object) => Object(said).room;
  const one = roomOf(await store(1));
  assert(one.bytes >= 100 && one.totalBytes === 1.5e6, Deno.inspect(one));
  // In the place of the first.
  const large = 9e5;
  const two = roomOf(await store(2, large));
  assertEquals(two.bytes, one.bytes - 100 + large);
  const write = async (draft: number, size: number) => {
    await ask({ type: "begin", draft, ...PLACE, key: "other" });
    await ask({ type: "append", draft }, new Uint8Array(size));
    return roomOf(await ask({ type: "commit", draft }));
  };
  const near = (bytes: number, wanted: number) =>
    assert(Math.abs(bytes - wanted) < 100, `${bytes}, ${wanted}`);
  near((await write(2, 100)).bytes, two.bytes + one.bytes);
  // It leaves no room for the first.
  near((await write(3, large)).bytes, two.bytes);
});

Deno.test("a value is read in the revision that is named, and in no other", async () => {
  await using folder = await tempFolder();
  const [one, two] = [open(folder.path), open(folder.path)];
  const stored = await one.store(1);
  assert(stored.type === "done" && stored.facts);
  assertEquals(stored.dropped, []);
  const { revision, bytes } = stored.facts;
  assertEquals([bytes, stored.facts.updated], [100, NOW]);
  const read = { ...READ, offset: 90, revision };
  const { body } = await one.ask(read);
  assertEquals(body, new Uint8Array(10).fill(1));
  await two.store(2);
  assertEquals((await one.ask(read)).type, "conflict");
  const remove = { type: "delete", ...PLACE } as const;
  assertEquals(
    (await two.ask({ ...remove, ifRevision: revision })).type,
    "conflict",
  );
  assertEquals((await two.ask(remove)).type, "done");
  assertEquals((await one.ask(read)).type, "absent");
  const other = { ...READ, owner: "eve" };
  await two.store(2);
  assertEquals((await one.ask(other)).type, "absent");
});

Deno.test("a value that is too large leaves the older one, and no draft", async () => {
  await using folder = await tempFolder();
  const { ask, store } = open(folder.path);
  await store(1, 1000);
  const refused = await store(2, 1001);
  assert(refused.type === "full");
  assertMatch(refused.reason, /has 1001 bytes, and may have 1000 .*--memory/);
  assertEquals(await namesIn(folder.path), [FILE, "lock"].sort());
  const late = await ask({ type: "commit", draft: 1 });
  assert(late.type === "failed" && /draft is gone/.test(late.reason));
  assertEquals((await ask(READ)).body, new Uint8Array(1000).fill(1));
});

Deno.test("a write that its asker has given up is not done", async () => {
  await using folder = await tempFolder();
  const { ask, begin, append, store } = open(folder.path);
  await store(1);
  await begin(2);
  await append(2, 10);
  const by = NOW - 1;
  const late = await ask({ type: "commit", draft: 2, by });
  assert(late.type === "failed" && /given it up/.test(late.reason));
  const put = await ask({ type: "put", ...PLACE, by }, new Uint8Array(3));
  assert(put.type === "failed" && /given it up/.test(put.reason));
  assertEquals((await ask(READ)).body, new Uint8Array(100).fill(1));
  assertEquals((await namesIn(folder.path)).length, 2);
  assertEquals((await ask({ type: "put", ...PLACE, by: NOW })).type, "done");
});

Deno.test("drafts that are never stored take no more room than the folder may", async () => {
  await using folder = await tempFolder();
  const { ask, begin, append, keeper } = open(
    folder.path,
    sessionBounds(100_000, 200_000),
  );
  for (const draft of [1, 2, 3]) await begin(draft);
  await append(1, 60_000);
  await append(2, 60_000);
  for (
    const said of [await append(3, 80_000), await begin(4), await begin(5)]
  ) {
    if (said.type === "done") continue;
    assert(said.type === "full");
    assertMatch(said.reason, /stored .*--max-stored-sessions/);
  }
  const again = await begin(1);
  assert(again.type === "failed" && /its draft is open/.test(again.reason));
  for (const draft of [1, 2]) {
    assertEquals((await ask({ type: "commit", draft })).type, "done");
  }
  await keeper.close();
  assertEquals(await namesIn(folder.path), [FILE, "lock"].sort());
});

Deno.test("the drafts that are open are gone at the end", async () => {
  await using folder = await tempFolder();
  const { begin, keeper } = open(folder.path);
  for (const draft of [1, 2]) await begin(draft);
  assertEquals((await namesIn(folder.path)).length, 2);
  await keeper.close();
  assertEquals(await namesIn(folder.path), []);
});

Deno.test({
  name:
    "a link in the place of a session is removed or replaced, and not followed",
  ignore: Boolean(NO_LINKS),
  async fn() {
    await using folder = await tempFolder();
    const [place] = await folder.make("sessions");
    const outside = join(folder.path, "outside");
    await Deno.writeTextFile(outside, "kept");
    const { ask, store, told } = open(place);
    const path = join(place, FILE);
    await Deno.symlink(outside, path);
    const said = await ask(READ);
    assertEquals(said, { type: "damaged", reason: "it is not a file" });
    assertEquals([await namesIn(place), told], [[], []]);
    await Deno.symlink(outside, path);
    await store(1);
    assert(Deno.lstatSync(path).isFile);
    assertEquals(await Deno.readTextFile(outside), "kept");
  },
});

Deno.test("other files in the folder are neither counted nor removed", async () => {
  await using folder = await tempFolder();
  const { store } = open(folder.path, sessionBounds(1000, 100_000));
  const draft = OTHER.replace("value", `${crypto.randomUUID()}.draft.txt`);
  const names = [
    ...["notes.txt", `${OTHER}.bak`, OTHER.toUpperCase(), `x${OTHER}`, draft],
  ];
  const [nested] = await folder.make(OTHER);
  for (const name of names) {
    await Deno.writeFile(join(folder.path, name), new Uint8Array(100_000));
  }
  const longAgo = new Date(0);
  for (const name of await namesIn(folder.path)) {
    await Deno.utime(join(folder.path, name), longAgo, longAgo);
  }
  const stored = await store(1);
  assert(stored.type === "done");
  assertEquals(stored.dropped, []);
  const found = await namesIn(folder.path);
  assertEquals(found.length, names.length + 3);
  assert((await Deno.stat(nested)).isDirectory);
});

Deno.test("a file of another version is refused by its name, with the remedy, and stays", async () => {
  await using folder = await tempFolder();
  const { ask, store, told } = open(folder.path);
  await store(1);
  const path = join(folder.path, FILE);
  const text = await Deno.readTextFile(path);
  await Deno.writeTextFile(path, text.replace("kept 1 ", "kept 7 "));
  const said = await ask(READ);
  assert(said.type === "failed");
  assertEquals(
    said.reason,
    `it has version 7, and this program reads version 1. Use the program and options that have written the file "${FILE}", or delete it`,
  );
  for (let times = 0; times < 2; times++) {
    await ask({ type: "list", space: "sessions", owner: "ada" });
  }
  assertEquals(told, [
    `Skipping the file "${FILE}" in "${folder.path}": ${said.reason}.`,
  ]);
  assert((await namesIn(folder.path)).includes(FILE));
  await store(2);
  assertEquals((await ask(READ)).type, "found");
});

const BODY = new TextEncoder().encode("state of a session");

/** The head of that file, and what is different in it. */
async function headOf(more: Partial<Head> = {}): Promise<Head> {
  const hash = await crypto.subtle.digest("SHA-256", BODY);
  return {
    ...{ key: "k", bytes: BODY.length, created: 1, updated: 2, revision: "r" },
    ...{ name: FILE, sha256: new Uint8Array(hash).toHex(), ...more },
  };
}

/** Reads a file with these bytes as a keeper does. */
async function read(bytes: Uint8Array, most = 100): Promise<string> {
  await using folder = await tempFolder();
  const path = join(folder.path, FILE);
  await Deno.writeFile(path, bytes);
  using value = await maybeOpenValue(path, most);
  assert(value);
  await verify(value);
  return new TextDecoder().decode(await value.read(0, 1000));
}

const failure = (bytes: Uint8Array, most?: number) =>
  read(bytes, most).then(() => undefined, (error: Error) => error);

Deno.test("maybeOpenValue() and verify() read the file that was written, and notice each change", async () => {
  const whole = new Uint8Array([...encodeHead(await headOf(), 1000), ...BODY]);
  assertEquals(await read(whole), "state of a session");
  assertEquals(await read(whole, BODY.length), "state of a session");
  const damages = [0, 30, 60, 200, 990, 999, 1000, 1010].map((at) =>
    whole.map((byte, index) => index === at ? byte ^ 1 : byte)
  );
  const cut = [0, 100, 999, 1000, -1].map((end) => whole.subarray(0, end));
  const wrong = [{ name: OTHER }, { sha256: NO_HASH }, { bytes: 17 }];
  const others = await Promise.all(
    wrong.map(async (more) =>
      new Uint8Array([...encodeHead(await headOf(more)), ...BODY])
    ),
  );
  for (
    const bytes of [
      ...[...damages, ...cut, ...others],
      new Uint8Array([...whole, 0]),
    ]
  ) {
    const error = await failure(bytes);
    assert(error instanceof Damage || error instanceof RangeError, `${error}`);
  }
  assertMatch(
    String(await failure(new Uint8Array(100_000), 100)),
    /RangeError: it has 100000 bytes, and may have 100/,
  );
  assertMatch(
    String(await failure(whole, BODY.length - 1)),
    /RangeError: it has 18 bytes, and may have 17/,
  );
});

Deno.test({
  name: "maybeOpenValue() opens no link, pipe or folder, and waits for none",
  ignore: Boolean(NO_LINKS),
  async fn() {
    await using folder = await tempFolder();
    const [inner] = await folder.make("folder");
    const path = (name: string) => join(folder.path, name);
    await Deno.writeFile(path("whole"), new Uint8Array(10));
    await Deno.symlink(path("whole"), path("link"));
    await Deno.symlink("/dev/zero", path("endless"));
    await Deno.symlink(path("none"), path("dangling"));
    await new Deno.Command("mkfifo", { args: [path("pipe")] }).output();
    const names = ["link", "endless", "dangling", "pipe"].map(path);
    for (const name of [...names, inner]) {
      const error = await maybeOpenValue(name, 100).catch((error) => error);
      assert(error instanceof Damage && /not a file/.test(error.message));
    }
    assertEquals(await maybeOpenValue(path("none"), 100), undefined);
  },
});

Deno.test("a list opens the files alone that are new, or are not as they were", async () => {
  await using folder = await tempFolder();
  const [one, two] = [open(folder.path), open(folder.path)];
  await one.store(1);
  const { open: openFile } = Deno;
  using _ = { [Symbol.dispose]: () => void (Deno.open = openFile) };
  let opened = 0;
  Deno.open = (...file) => (opened++, openFile(...file));
  const list = async () => {
    opened = 0;
    const said = await one.ask({
      type: "list",
      space: "sessions",
      owner: "ada",
    });
    assert(said.type === "listed");
    return [said.entries.map(({ bytes }) => bytes), opened];
  };
  assertEquals([await list(), await list()], [[[100], 1], [[100], 0]]);
  await two.store(2, 200);
  assertEquals([await list(), await list()], [[[200], 1], [[200], 0]]);
  await Deno.remove(join(folder.path, FILE));
  assertEquals(await list(), [[], 0]);
  await two.store(2, 200);
  await Deno.writeTextFile(join(folder.path, FILE), "damaged");
  assertEquals(await list(), [[], 1]);
});
