import { join } from "node:path";
import { assert, assertEquals, assertRejects } from "../../deps/assert.ts";
import { namesIn, tempFolder } from "../../test/support/folder.ts";
import { log } from "../log.ts";
import { SessionFolder } from "./session_folder.ts";
import { HEADER_BYTES } from "./session_file.ts";

const NO_LINKS = Deno.build.os === "windows" && "needs links";
if (NO_LINKS) log(`skipped: links in the folder of sessions: ${NO_LINKS}`);

const KEY = "0123456789abcdef".repeat(2);
const FILE = `${KEY}.session`;
const OTHER = KEY.replaceAll("0", "f");
const META = {
  ...{ owner: "ada", environment: "e1", created: 1, used: 2, runs: 3 },
};
const BOUNDS = { mostBytes: 1000, totalBytes: 100_000 };
const LOAD = { type: "load", key: KEY, environment: "e1" } as const;

/** Stores so many bytes of a value. */
async function store(sessions: SessionFolder, byte: number, size = 100) {
  await sessions.obey({ type: "begin", draft: 1, key: KEY, meta: META });
  const bytes = new Uint8Array(size).fill(byte);
  await sessions.obey({ type: "append", draft: 1, bytes });
  return await sessions.obey({ type: "commit", draft: 1 });
}

Deno.test("a session is read from the file that was loaded, and from no other", async () => {
  await using folder = await tempFolder();
  const [one, two] = [0, 1].map(() => new SessionFolder(folder.path, BOUNDS));
  assert(one && two);
  assertEquals(await store(one, 1), { type: "stored", dropped: [] });
  const loaded = await one.obey(LOAD);
  assert(loaded.type === "loaded");
  const { sha256, size, meta } = loaded;
  assertEquals([size, meta], [100, META]);
  const read = { type: "read", key: KEY, sha256, offset: 90 } as const;
  const bytes = new Uint8Array(10).fill(1);
  assertEquals(await one.obey(read), { type: "piece", bytes });
  await store(two, 2);
  await assertRejects(() => one.obey(read), /has replaced or removed it/);
  await two.obey({ type: "remove", key: KEY });
  await assertRejects(() => one.obey(read), /has replaced or removed it/);
  assertEquals(await one.obey(LOAD), { type: "absent" });
});

Deno.test("a session that is too large leaves the older one, and no draft", async () => {
  await using folder = await tempFolder();
  const sessions = new SessionFolder(folder.path, BOUNDS);
  await store(sessions, 1, 1000);
  await assertRejects(() => store(sessions, 2, 1001), /larger than 1000 bytes/);
  assertEquals((await namesIn(folder.path)).length, 2);
  await sessions.obey({ type: "abort", draft: 1 });
  assertEquals(await namesIn(folder.path), [FILE]);
  await assertRejects(() => sessions.obey({ type: "commit", draft: 1 }));
  assertEquals((await sessions.obey(LOAD)).type, "loaded");
});

Deno.test("drafts that are never stored take no more room than sessions may", async () => {
  await using folder = await tempFolder();
  const totalBytes = 4 * HEADER_BYTES + 2000;
  const sessions = new SessionFolder(folder.path, { ...BOUNDS, totalBytes });
  const begin = (draft: number) =>
    sessions.obey({ type: "begin", draft, key: KEY, meta: META });
  const append = (draft: number) =>
    sessions.obey({ type: "append", draft, bytes: new Uint8Array(1000) });
  for (const draft of [1, 2, 3, 4]) await begin(draft);
  await append(1);
  await append(2);
  await assertRejects(() => append(3), /stored .*--max-stored-sessions/);
  await assertRejects(() => begin(5), /stored .*--max-stored-sessions/);
  await assertRejects(() => begin(1), /its draft is open/);
  assertEquals((await namesIn(folder.path)).length, 4);
  for (const draft of [3, 4]) await sessions.obey({ type: "abort", draft });
  await begin(5);
  for (const draft of [1, 2]) await sessions.obey({ type: "commit", draft });
  await sessions.close();
  assertEquals(await namesIn(folder.path), [FILE]);
});

Deno.test("the drafts that are open are gone at the end", async () => {
  await using folder = await tempFolder();
  const sessions = new SessionFolder(folder.path, BOUNDS);
  for (const draft of [1, 2]) {
    await sessions.obey({ type: "begin", draft, key: KEY, meta: META });
  }
  assertEquals((await namesIn(folder.path)).length, 2);
  await sessions.close();
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
    const sessions = new SessionFolder(place, BOUNDS);
    const path = join(place, FILE);
    await Deno.symlink(outside, path);
    await assertRejects(() => sessions.obey(LOAD), /it is not a file/);
    assertEquals(await namesIn(place), []);
    await Deno.symlink(outside, path);
    await store(sessions, 1);
    assert(Deno.lstatSync(path).isFile);
    assertEquals(await Deno.readTextFile(outside), "kept");
  },
});

Deno.test("other files in the folder are neither counted nor removed", async () => {
  await using folder = await tempFolder();
  const sessions = new SessionFolder(folder.path, {
    ...{ mostBytes: 1000, totalBytes: HEADER_BYTES + 1000 },
  });
  const names = [
    ...["notes.txt", `${OTHER}.session.bak`, `${OTHER}.SESSION`],
    ...[`x${OTHER}.session`, `${OTHER}.${crypto.randomUUID()}.draft.txt`],
  ];
  const [nested] = await folder.make(`${"f".repeat(32)}.session`);
  for (const name of names) {
    await Deno.writeFile(join(folder.path, name), new Uint8Array(10_000));
  }
  const longAgo = new Date(0);
  for (const name of await namesIn(folder.path)) {
    await Deno.utime(join(folder.path, name), longAgo, longAgo);
  }
  assertEquals(await store(sessions, 1), { type: "stored", dropped: [] });
  const found = await namesIn(folder.path);
  assertEquals(found.length, names.length + 2);
  assert((await Deno.stat(nested)).isDirectory);
});
