/**
 * Folders of this machine that Python sees (`--mount`): what works in them, over
 * real processes, on each Pyodide that is at hand.
 *
 * @module
 */
import { basename, dirname, join } from "node:path";
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { tryBwrap } from "../src/launcher/isolation.ts";
import { DENO_DIR } from "../src/launcher/program_files.ts";
import { log } from "../src/log.ts";
import { CACHE, command } from "./support/command.ts";
import { tempFolder } from "./support/folder.ts";
import { alwaysOnEachPyodide } from "./support/each_pyodide.ts";
import { startServer } from "./support/server.ts";

alwaysOnEachPyodide(
  "mounts: Python reads a mount lazily, and writes to one that is writable",
  async (options) => {
    await using folder = await tempFolder();
    const [data, out] = await folder.make("data", "out");
    await Deno.mkdir(join(data, "sub/deep"), { recursive: true });
    await Deno.writeTextFile(join(data, "sub/deep/a.txt"), "hello\nthere\n");
    await Deno.symlink("sub", join(data, "link"));
    const mounts = ["--mount", data, "--mount", `${out}:/mnt/out:rw`];
    await using server = await startServer([...options, ...mounts]);
    const { tools } = await server.client.listTools();
    assertMatch(
      String(tools[0]?.description),
      /\/mnt\/data \(read-only\), \/mnt\/out \(writable\)/,
    );
    const read = await server.call(`
import mmap, os, pathlib
with open("/mnt/data/sub/deep/a.txt", "rb") as file:
    mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)[6:11]
[
    open("/mnt/data/link/deep/a.txt").readlines(),
    [[folder, sorted(folders), files] for folder, folders, files in os.walk("/mnt/data")],
    [str(path) for path in pathlib.Path("/mnt/data").rglob("*.txt")],
    mapped,
    os.path.realpath("/mnt/data/link/deep"),
    os.stat("/mnt/data/sub/deep/a.txt").st_size,
]`);
    assertEquals(read.returnValue, [
      ["hello\n", "there\n"],
      [
        ["/mnt/data", ["link", "sub"], []],
        ["/mnt/data/sub", ["deep"], []],
        ["/mnt/data/sub/deep", [], ["a.txt"]],
      ],
      ["/mnt/data/sub/deep/a.txt"],
      "there",
      "/mnt/data/sub/deep",
      12,
    ], read.text);

    await Deno.symlink("/etc/hostname", join(data, "outward"));
    const refused: Record<string, RegExp> = {
      "import os; os.chdir('/mnt/data/sub'); open('../new', 'w')":
        /\nPermissionError: .*\n\/mnt\/data is mounted read-only\. Write to \/workspace, or ask the user .*: --mount FOLDER:\/mnt\/data:rw$/,
      "import os; os.remove(b'/mnt/data/sub/deep/a.txt')": /read-only\. Write/,
      "import os; os.chmod('/mnt/data/sub', 0o7)": /read-only\. Write/,
      "open('/mnt/data/outward')": /outward'$|is a link, and leads to no file/,
    };
    for (const [code, says] of Object.entries(refused)) {
      assertMatch((await server.call(code)).error ?? "no error", says);
    }

    const written = await server.call(`
import mmap, os, pathlib, shutil
out = pathlib.Path("/mnt/out")
(out / "a/b").mkdir(parents=True)
(out / "a/b/c.txt").write_text("one")
with open(out / "a/b/c.txt", "a") as file: file.write(" two")
with open(out / "a/b/c.txt", "r+") as file: file.seek(4); file.write("TWO")
os.rename(out / "a", out / "renamed")
shutil.copytree(out / "renamed", out / "copy")
shutil.rmtree(out / "copy")
(out / "cut").write_bytes(b"123456")
os.truncate(out / "cut", 3)
os.utime(out / "cut", (1e9, 1e9))
(out / "gone").write_text("x"); os.remove(out / "gone")
(out / "old").write_text("old"); (out / "new").write_text("new"); os.replace(out / "new", out / "old")
(out / "mapped").write_bytes(b"abcdef")
with open(out / "mapped", "r+b") as file:
    with mmap.mmap(file.fileno(), 0) as mapped: mapped[:2] = b"ZZ"
[sorted(os.listdir(out)), (out / "renamed/b/c.txt").read_text(), os.stat(out / "cut").st_mtime]`);
    assertEquals(written.returnValue, [
      ["cut", "mapped", "old", "renamed"],
      "one TWO",
      1e9,
    ], written.text);
    assertEquals(written.structured.files, undefined);
    const text = (path: string) => Deno.readTextFile(join(out, path));
    assertEquals(await text("renamed/b/c.txt"), "one TWO");
    assertEquals(await text("cut"), "123");
    assertEquals(await text("old"), "new");
    assertEquals(await text("mapped"), "ZZcdef");
  },
);

alwaysOnEachPyodide(
  "mounts: a file that changes while it is read is an error at worst",
  async (options) => {
    await using folder = await tempFolder();
    const [data] = await folder.make("data");
    await Deno.writeFile(join(data, "a"), new Uint8Array(1_000_000));
    await using server = await startServer([...options, "--mount", data]);
    let isOver = false;
    const changing = (async () => {
      while (!isOver) {
        await Deno.remove(join(data, "a")).catch(() => {});
        await Deno.mkdir(join(data, "a"));
        await Deno.remove(join(data, "a"));
        await Deno.writeFile(join(data, "a"), new Uint8Array(500_000));
        await Deno.truncate(join(data, "a"), 7);
      }
    })();
    const { status, text } = await server.call(`
import os
for _ in range(300):
    try:
        os.listdir("/mnt/data"); os.stat("/mnt/data/a"); open("/mnt/data/a", "rb").read()
    except OSError: pass`);
    isOver = true;
    await changing;
    assertEquals(status, "success", text);
    const last = await server.call('len(open("/mnt/data/a", "rb").read())');
    assertEquals(last.returnValue, 7);
  },
);

Deno.test("a mount that must not be is an error at the start", async () => {
  await using folder = await tempFolder();
  const [data, other] = await folder.make("data", "other");
  const cache = await Deno.realPath(
    new URL("../.cache/test", import.meta.url),
  );
  for (
    const [mounts, message] of [
      [[join(data, "none")], /does not exist/],
      [["/"], /all of this machine/],
      [["/proc"], /the system itself/],
      [[`${data}:/workspace`], /Python's own/],
      [[data, `${other}:/mnt/data`], /another mount/],
      [[cache], /which this program runs from/],
      [[`${join(cache, "../..")}:rw`], /which this program runs from/],
    ] as const
  ) {
    const options = mounts.flatMap((mount) => ["--mount", mount]);
    const { code, stderr } = await command([...options, "run", "-c", "1"]);
    assert(code !== 0, stderr);
    assertMatch(stderr, message);
    assertMatch(stderr, /^error: Cannot mount/m);
  }
});

Deno.test("a mount may hold the cache, and what this program runs from, if Python only reads it", async () => {
  const { code, stdout, stderr } = await command([
    ...["--mount", `${dirname(CACHE)}:/mnt/all`, "run", "-c"],
    `import os; print(os.listdir("/mnt/all/${basename(CACHE)}") != [])`,
  ]);
  assertEquals([stdout, code], ["True\n", 0], stderr);
});

Deno.test("a mount can come from the environment, and is seen by run", async () => {
  await using folder = await tempFolder();
  const [data, other] = await folder.make("data", "other");
  await Deno.writeTextFile(join(data, "a"), "from data");
  const { stdout, stderr } = await command(
    ["run", "-c", 'print(open("/mnt/data/a").read())'],
    { env: { MCP_RUN_PYTHON_MOUNT: `${data},${other}:/mnt/x:rw` } },
  );
  assertEquals(stdout, "from data\n", stderr);
});

const bwrap = await tryBwrap();
if ("reason" in bwrap) {
  log(`skipped: mounts behind the second wall: ${bwrap.reason}`);
}

Deno.test({
  name: "mounts are there behind the second wall, even around its own folders",
  ignore: "reason" in bwrap,
  async fn() {
    await using folder = await tempFolder();
    const [data, out] = await folder.make("data", "out");
    await Deno.writeTextFile(join(data, "a"), "seen");
    const around = dirname(DENO_DIR);
    await using server = await startServer([
      ...["--isolation", "bwrap", "--mount", data, "--mount", `${out}:rw`],
      ...["--mount", `${around}:/mnt/around`],
    ]);
    const { returnValue, text } = await server.call(`
import os
open("/mnt/out/b", "w").write("written")
[open("/mnt/data/a").read(), len(os.listdir("/mnt/around")) > 0]`);
    assertEquals(returnValue, ["seen", true], text);
    assertEquals(await Deno.readTextFile(join(out, "b")), "written");
  },
});
