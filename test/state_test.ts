/**
 * What outlives sessions, in the real process with its real permissions.
 *
 * @module
 */
import { withEnd } from "./support/with_end.ts";
import { join } from "node:path";
import { assert, assertEquals, assertRejects } from "../deps/assert.ts";
import { log } from "../src/log.ts";
import { type Space, STATE_BOUNDS } from "../src/protocol/keeper_messages.ts";
import { makeReadOnly, mountDisk, whyNoTmpfs } from "./support/disk.ts";
import { namesIn, tempFolder } from "./support/folder.ts";
import { startState } from "./support/state_process.ts";

const NO_MODES = Deno.build.os === "windows" && "needs modes";
const NO_TMPFS = await whyNoTmpfs();
if (NO_TMPFS) log(`skipped: state on a full or read-only disk: ${NO_TMPFS}`);

const isValue = (name: string) => name.endsWith(".value");

async function valuesIn(folder: string): Promise<string[]> {
  return (await namesIn(folder)).filter(isValue);
}

Deno.test("a value outlives the process that keeps it, for its owner alone", async () => {
  await using folder = await tempFolder();
  {
    await using state = startState(folder.path);
    const { kept } = state;
    const owners = ["ada", "../../etc/passwd", "ada\0", ""];
    for (const owner of owners) {
      assert(await kept.put("memory", owner, "k", { text: `of ${owner}` }));
    }
    await kept.put("memory", "ada", "k", { text: '{"é":1}', metadata: "[1]" });
  }
  await using state = startState(folder.path);
  const { kept } = state;
  const found = await kept.get("memory", "ada", "k");
  assertEquals(found?.text, '{"é":1}');
  assertEquals(found?.facts.metadata, "[1]");
  const other = await kept.get("memory", "../../etc/passwd", "k");
  assertEquals(other?.text, "of ../../etc/passwd");
  assertEquals(await kept.get("memory", "eve", "k"), undefined);
  assertEquals(await kept.list("memory", "eve"), []);
  assertEquals(await kept.list("tools", "ada"), []);
  assertEquals((await kept.list("memory", "ada")).map(({ key }) => key), ["k"]);
  assertEquals(await kept.delete("memory", "eve", "k"), false);
  assertEquals(await kept.delete("memory", "ada", "k"), true);
  assertEquals(await kept.delete("memory", "ada", "k"), false);
  assertEquals((await valuesIn(folder.path)).length, 3);
});

Deno.test({
  name: "values are files for their user alone, whose names tell nothing",
  ignore: Boolean(NO_MODES),
  async fn() {
    await using folder = await tempFolder();
    await using state = startState(folder.path);
    await state.kept.put("memory", "ada", "secret/../key", { text: "1" });
    const names = await namesIn(folder.path);
    assertEquals(names.length, 2);
    for (const name of names) {
      assert(/^(lock|[0-9a-f]{32}\.memory\.[0-9a-f]{32}\.value)$/.test(name));
      const { mode } = await Deno.stat(join(folder.path, name));
      assertEquals(mode! & 0o777, 0o600);
    }
  },
});

Deno.test("two processes that update a value at once lose no update", async () => {
  await using folder = await tempFolder();
  await using one = startState(folder.path);
  await using two = startState(folder.path);
  const add = async ({ kept }: typeof one, times: number) => {
    for (let left = times; left > 0;) {
      const found = await kept.get("memory", "ada", "count");
      const text = String(Number(found?.text ?? "0") + 1);
      const ifRevision = found?.facts.revision ?? "";
      if (await kept.put("memory", "ada", "count", { text, ifRevision })) {
        left--;
      }
    }
  };
  await Promise.all([add(one, 40), add(two, 40), add(one, 40)]);
  assertEquals((await one.kept.get("memory", "ada", "count"))?.text, "120");
});

Deno.test("a process that is killed while it writes leaves each value whole", async () => {
  await using folder = await tempFolder();
  await using state = startState(folder.path);
  const { kept, processes } = state;
  const text = (byte: number) => String(byte % 10).repeat(900_000);
  await kept.put("memory", "ada", "k", { text: text(0) });
  for (let round = 1; round <= 8; round++) {
    // With a revision that is gone, none is asked again.
    const before = await kept.info("memory", "ada", "k");
    const writes = [1, 2, 3].map((turn) =>
      kept.put("memory", "ada", "k", {
        text: text(round + turn),
        ...(turn === 2 ? { ifRevision: before?.revision ?? "" } : {}),
      }).then(() => "done", (error) => String(error))
    );
    // The first is written, and others are on their way.
    await writes[round % 2];
    processes.at(-1)?.kill("SIGKILL");
    const said = await Promise.all(writes);
    assert(said.every((one) => /^done$|has ended/.test(one)), said.join());
    const found = await kept.get("memory", "ada", "k");
    assert(found);
    assertEquals(found.text, found.text.charAt(0).repeat(900_000));
  }
  assert(processes.length > 8);
  // The drafts of killed processes go once they are old.
  const old = new Date(Date.now() - 2 * 60 * 60 * 1000);
  for (const name of await namesIn(folder.path)) {
    await Deno.utime(join(folder.path, name), old, old);
  }
  await using next = startState(folder.path);
  await next.kept.put("memory", "ada", "k", { text: "1" });
  assertEquals((await namesIn(folder.path)).length, 2);
});

Deno.test("a file that is damaged is named, and hides no other", async () => {
  await using folder = await tempFolder();
  await using state = startState(folder.path);
  const { kept } = state;
  const put = (key: string) =>
    kept.put("memory", "ada", key, { text: `"a text of ${key}"` });
  await put("first");
  const [first = ""] = await valuesIn(folder.path);
  await put("second");
  const path = join(folder.path, first);
  const whole = await Deno.readFile(path);
  const at = (share: number) => Math.floor(share * whole.length);
  const changed = (index: number) =>
    whole.map((byte, n) => n === index ? byte ^ 1 : byte);
  const other = (await valuesIn(folder.path)).find((name) => name !== first);
  const damages: Uint8Array[] = [
    ...[new Uint8Array(), whole.subarray(0, 10), whole.subarray(0, -1)],
    ...[new Uint8Array([...whole, 1]), changed(0), changed(at(0.5))],
    ...[changed(whole.length - 1), changed(30), new Uint8Array(100_000)],
    await Deno.readFile(join(folder.path, other ?? "")),
  ];
  for (const bytes of damages) {
    await Deno.writeFile(path, bytes);
    await assertRejects(
      () => kept.get("memory", "ada", "first"),
      /Cannot read "first" in memory: its file is damaged \(.*\)\. Delete it, or write it anew\./,
    );
    assertEquals((await kept.get("memory", "ada", "second"))?.text.length, 18);
    const keys = (await kept.list("memory", "ada")).map(({ key }) => key);
    assert(keys.includes("second") && keys.length <= 2, `${keys}`);
  }
  // Another version is not damage.
  const text = new TextDecoder().decode(whole);
  await Deno.writeTextFile(path, text.replace("kept 1 ", "kept 2 "));
  await assertRejects(
    () => kept.get("memory", "ada", "first"),
    /it has version 2, and this program reads version 1/,
  );
  await put("first");
  assertEquals((await kept.list("memory", "ada")).length, 2);
  await Deno.writeFile(path, damages[0] ?? whole);
  assertEquals(await kept.delete("memory", "ada", "first"), true);
});

Deno.test({
  name: "a link or a pipe in the place of a value is not followed",
  ignore: Boolean(NO_MODES),
  async fn() {
    await using folder = await tempFolder();
    const [kept, elsewhere] = await folder.make("kept", "elsewhere");
    await using state = startState(kept);
    await state.kept.put("memory", "ada", "k", { text: "1" });
    const [name = ""] = await valuesIn(kept);
    const path = join(kept, name);
    await Deno.rename(path, join(elsewhere, name));
    await Deno.symlink(join(elsewhere, name), path);
    await assertRejects(
      () => state.kept.get("memory", "ada", "k"),
      /it is not a file/,
    );
    await Deno.remove(path);
    await new Deno.Command("mkfifo", { args: [path] }).output();
    await assertRejects(
      () => state.kept.get("memory", "ada", "k"),
      /it is not a file/,
    );
    assertEquals(await state.kept.list("memory", "ada"), []);
  },
});

Deno.test("a full folder refuses with the bound and the remedy, and drops nothing but its catalog", async () => {
  await using folder = await tempFolder();
  const few = { bytes: 1000, values: 3 };
  await using state = startState(folder.path, {
    spaces: { tools: few, memory: few, artifacts: few, catalog: few },
    ...{ ownerBytes: 4000, totalBytes: 5400, totalValues: 9 },
  });
  const { kept } = state;
  const put = (space: Space, owner: string, key: string, size = 1) =>
    kept.put(space, owner, key, { text: "x".repeat(size) });
  await assertRejects(
    () => put("memory", "ada", "k", 1001),
    /Cannot keep "k" in memory: it has 1001 bytes, and may have 1000/,
  );
  for (const key of ["1", "2", "3"]) await put("memory", "ada", key);
  await assertRejects(
    () => put("memory", "ada", "4"),
    /there are 3 memories, and may be 3: delete_memory\(key\) removes one/,
  );
  await put("memory", "ada", "3", 900);
  await put("tools", "ada", "a", 900);
  await assertRejects(
    () => put("tools", "ada", "b", 900),
    /may have 4000 bytes: delete_saved_tool\(name\)/,
  );
  // Tool lists are asked for anew, so the oldest of them make room.
  for (const key of ["1", "2", "3", "4"]) {
    await put("catalog", "", key);
    const old = new Date(1000 * (1 + Number(key)));
    for (const name of await valuesIn(folder.path)) {
      const path = join(folder.path, name);
      const { mtime } = await Deno.stat(path);
      if (name.includes("catalog") && Number(mtime) > 1e6) {
        await Deno.utime(path, old, old);
      }
    }
  }
  const keys = async (space: Space, owner: string) =>
    (await kept.list(space, owner)).map(({ key }) => key).join();
  assertEquals(await keys("catalog", ""), "2,3,4");
  await put("memory", "eve", "k", 1000);
  assertEquals(await keys("catalog", ""), "4");
  await assertRejects(
    () => put("memory", "eve", "l", 1000),
    /the folder of --state-dir may hold 9 values and 5400 bytes of all clients/,
  );
  assertEquals(await keys("memory", "ada"), "1,2,3");
  assertEquals(await keys("tools", "ada"), "a");
  assertEquals(await keys("memory", "eve"), "k");
});

Deno.test(
  "an artifact comes and goes in pieces, whole or not at all",
  withEnd(async () => {
    await using folder = await tempFolder();
    await using state = startState(folder.path);
    const { kept, processes } = state;
    const piece = new Uint8Array(1 << 20).map((_, index) => index % 251);
    const small = kept.begin("artifacts", "ada", "small", { size: 0 });
    assertEquals((await (await small).commit()).facts.bytes, 0);
    const draft = await kept.begin("artifacts", "ada", "a", { size: 3 << 20 });
    await draft.append(piece);
    await assertRejects(
      () => draft.commit(),
      /has 1048576 of the 3145728 bytes that were announced/,
    );
    assertEquals(await kept.info("artifacts", "ada", "a"), undefined);
    const whole = await kept.begin("artifacts", "ada", "a", { size: 3 << 20 });
    for (let turn = 0; turn < 3; turn++) await whole.append(piece);
    await assertRejects(
      () => whole.append(piece),
      /more than the 3145728 bytes/,
    );
    const again = await kept.begin("artifacts", "ada", "a", { size: 3 << 20 });
    for (let turn = 0; turn < 3; turn++) await again.append(piece);
    const { revision, bytes } = (await again.commit()).facts;
    assertEquals(bytes, 3 << 20);
    const length = 1 << 20;
    for (let offset = 0; offset < bytes; offset += length) {
      const part = { offset, length, revision };
      const read = await kept.read("artifacts", "ada", "a", part);
      assertEquals(read?.bytes, piece);
    }
    const other = { offset: 0, length, revision: "another" };
    assertEquals(await kept.read("artifacts", "ada", "a", other), undefined);
    const lost = await kept.begin("artifacts", "ada", "a", { size: 10 });
    processes.at(-1)?.kill("SIGKILL");
    await processes.at(-1)?.status;
    await assertRejects(
      () => lost.append(piece.subarray(0, 10)),
      /draft is gone|has ended/,
    );
    assertEquals(
      (await kept.info("artifacts", "ada", "a"))?.revision,
      revision,
    );
    await assertRejects(
      () => kept.begin("artifacts", "ada", "b", { size: (64 << 20) + 1 }),
      /may have 67108864/,
    );
  }),
);

Deno.test("a process that ends removes the drafts that are open", async () => {
  await using folder = await tempFolder();
  {
    await using state = startState(folder.path);
    await state.kept.begin("artifacts", "ada", "a", { size: 10 });
    assertEquals((await namesIn(folder.path)).length, 1);
  }
  assertEquals(await namesIn(folder.path), []);
});

Deno.test({
  name: "a full disk keeps the older value, and says why",
  ignore: Boolean(NO_TMPFS),
  async fn() {
    await using disk = await mountDisk("size=1m,mode=700");
    await using state = startState(disk.folder);
    const { kept } = state;
    await kept.put("memory", "ada", "k", { text: "older" });
    await assertRejects(
      () => kept.put("memory", "ada", "k", { text: "x".repeat(1 << 20) }),
      /Cannot keep "k" in memory: No space left on device\./,
    );
    assertEquals((await kept.get("memory", "ada", "k"))?.text, "older");
    const draft = await kept.begin("artifacts", "ada", "a", { size: 4 << 20 });
    const bytes = new Uint8Array(1 << 20);
    await assertRejects(
      () => draft.append(bytes),
      /Cannot keep "a" in artifacts: No space left on device\./,
    );
    assertEquals((await namesIn(disk.folder)).length, 2);
  },
});

Deno.test({
  name: "a folder that is read-only is still read",
  ignore: Boolean(NO_TMPFS),
  async fn() {
    await using disk = await mountDisk("size=1m,mode=700");
    {
      await using state = startState(disk.folder);
      await state.kept.put("memory", "ada", "k", { text: "1" });
    }
    await makeReadOnly(disk.folder);
    await using state = startState(disk.folder);
    const { kept } = state;
    assertEquals((await kept.get("memory", "ada", "k"))?.text, "1");
    assertEquals((await kept.list("memory", "ada")).length, 1);
    await assertRejects(
      () => kept.put("memory", "ada", "k", { text: "2" }),
      /Cannot keep "k" in memory: Read-only file system/,
    );
    await assertRejects(
      () => kept.delete("memory", "ada", "k"),
      /Cannot delete "k" in memory: Read-only file system/,
    );
  },
});

Deno.test("the bounds of the product let one client fill a part of the folder only", () => {
  assert(STATE_BOUNDS.ownerBytes * 4 <= STATE_BOUNDS.totalBytes);
});
