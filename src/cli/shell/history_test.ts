import { join } from "node:path";
import { assertEquals } from "../../../deps/assert.ts";
import { tempFolder } from "../../../test/support/folder.ts";
import { History } from "./history.ts";

Deno.test("History keeps lines for this user alone, the last first", async () => {
  await using temp = await tempFolder();
  const path = join(temp.path, "state", "history");
  {
    using history = new History(path);
    using other = new History(path);
    for (const line of ["one", "two", "two", " "]) history.add(line);
    other.add("three");
    assertEquals(history.lines, ["two", "one"]);
  }
  using history = new History(path);
  assertEquals(history.lines, ["three", "two", "one"]);
  if (Deno.build.os === "windows") return;
  const modes = [path, join(temp.path, "state")]
    .map((it) => (Deno.statSync(it).mode ?? 0) & 0o777);
  assertEquals(modes, [0o600, 0o700]);
});

Deno.test("History shortens a file that has grown long", async () => {
  await using temp = await tempFolder();
  const path = join(temp.path, "history");
  const lines = Array.from({ length: 2001 }, (_, number) => `${number}`);
  await Deno.writeTextFile(path, lines.join("\n"));
  using history = new History(path);
  assertEquals([history.lines.length, history.lines[0]], [1000, "2000"]);
  history.add("last");
  const kept = (await Deno.readTextFile(path)).split("\n");
  assertEquals([kept[0], ...kept.slice(-3)], ["1001", "2000", "last", ""]);
});

Deno.test("History goes on without a file", async () => {
  await using temp = await tempFolder();
  const file = join(temp.path, "file");
  await Deno.writeTextFile(file, "");
  for (const path of [undefined, join(file, "history")]) {
    using history = new History(path);
    history.add("line");
    assertEquals(history.lines, ["line"]);
  }
});
