import { join } from "node:path";
import {
  assertEquals,
  assertRejects,
  assertThrows,
} from "../../deps/assert.ts";
import { namesIn, tempFolder } from "../../test/support/folder.ts";
import { programsFolder, unpack } from "./unpack.ts";

Deno.test("unpack() writes a program once, whole or not at all", async () => {
  await using folder = await tempFolder();
  let count = 0;
  const packaged = {
    id: "1.0-a",
    files() {
      count++;
      return Promise.resolve({
        ...{ "cli.ts": "é", "deps/wheels/a.whl": "AQI=" },
        ...(count === 1 ? { "deps/wheels": "no folder" } : {}),
      });
    },
  };
  const programs = join(folder.path, "programs");
  await assertRejects(unpack(packaged, programs), Error);
  assertEquals(await namesIn(programs), []);
  const [one, two] = await Promise.all([
    unpack(packaged, programs),
    unpack(packaged, programs),
  ]);
  assertEquals([one, two], [join(programs, "1.0-a"), one]);
  assertEquals(await namesIn(programs), ["1.0-a"]);
  assertEquals(await Deno.readTextFile(join(one, "cli.ts")), "é");
  const wheel = await Deno.readFile(join(one, "deps/wheels/a.whl"));
  assertEquals([...wheel], [1, 2]);
  await unpack(packaged, programs);
  assertEquals(count, 3);
});

Deno.test("programsFolder() is of the user, and never of the current folder", () => {
  const toFolder = (home: string, env: Record<string, string> = {}) =>
    programsFolder(env, { os: "linux", home });
  assertEquals(toFolder("/home/a"), "/home/a/.cache/mcp-run-python-programs");
  const shared = toFolder("", { XDG_CACHE_HOME: "/c" });
  assertEquals(shared, "/c/mcp-run-python-programs");
  for (const home of ["", ".", "a/b"]) {
    assertThrows(() => toFolder(home, { XDG_CACHE_HOME: "c" }), /set HOME/);
  }
});
