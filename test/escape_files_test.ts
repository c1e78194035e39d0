/**
 * What files that a run writes, and their names, do to others: to its result, to
 * the client, and to calls that come later.
 *
 * @module
 */
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { makeCache } from "./support/cache.ts";
import { onEachPyodide } from "./support/each_pyodide.ts";
import { startIndex } from "./support/index_server.ts";
import { ALL_ROUNDS } from "./support/rounds.ts";
import { startServer } from "./support/server.ts";
import { shareServer } from "./support/shared_server.ts";
import { wheel } from "./support/wheel.ts";

/** Goes into folders below folders, of so many names. */
const DEEP = `
import os
def go_deep(name, times):
    for _ in range(times):
        os.mkdir(name); os.chdir(name)
`;

onEachPyodide(
  "escape: a path that is too long for others fails no run",
  async (options) => {
    const server = await shareServer(options);
    const { returnValue, structured, text } = await server.call(`${DEEP}
open("kept", "w").close()
go_deep("x" * 250, 20)
open("lost", "w").close()
"alive"`);
    assertEquals(returnValue, "alive", text);
    const files = structured.files as { path: string }[];
    assertEquals(files.map(({ path }) => path), ["kept"]);
    assertMatch(
      text,
      /Not sent back .* has 50\d\d characters, and may have 4096/,
    );
  },
);

Deno.test("escape: no list of files is more than the client takes", async () => {
  await using server = await startServer(["--file-tools"]);
  // As long as paths can be, in characters that are long in JSON, or in a URI.
  for (const character of ALL_ROUNDS ? ["\\x1b", "語"] : ["\\x1b"]) {
    const { status, structured, text } = await server.call(`${DEEP}
import shutil
os.chdir("/workspace")
for before in os.listdir(): shutil.rmtree(before)
name = "${character}" * (255 // len("${character}".encode()))
go_deep(name, 4080 // (len(name) + 1))
for at in range(600): open(f"{at:03}", "w").close()`);
    assertEquals(status, "success", text.slice(0, 200));
    assertEquals(structured.truncated, { files: 600 });
    const { resources } = await server.client.listResources();
    // One of them is the session.
    assertEquals((resources.length - 1) % 600, 0);
    let after: unknown = "";
    let count = 0;
    while (after !== undefined) {
      const { structuredContent } = await server.client.callTool({
        name: "list_files",
        arguments: { after },
      });
      const { files, next_after: next } = Object(structuredContent);
      assert(files.length > 0);
      count += files.length;
      after = next;
    }
    assertEquals(count, 600);
  }
});

Deno.test("escape: no text is more than the client takes", async () => {
  await using server = await startServer(["--file-tools"]);
  const { structured } = await server.call(
    `open("out", "w").write("\\x1b" * 6_000_000)`,
  );
  const [{ uri }] = structured.files as [{ uri: string }];
  const { contents: [whole] } = await server.client.readResource({ uri });
  assert(whole && "blob" in whole);
  assertEquals(Uint8Array.fromBase64(whole.blob).length, 6_000_000);
  const limit = 1 << 20;
  const { structuredContent } = await server.client.callTool({
    name: "read_file",
    arguments: { path: "out", limit },
  });
  const { base64, next_offset: next } = Object(structuredContent);
  assertEquals([Uint8Array.fromBase64(base64).length, next], [limit, limit]);
});

/** Bounds work, and not the time that a busy machine takes for it. */
const CPU_TIME = ["--cpu-time", "25"];

onEachPyodide(
  "escape: many files in deep folders do not take all of a run's time",
  async (options) => {
    await using server = await startServer([...options, ...CPU_TIME]);
    const folder = Array(15).fill("\x1b".repeat(250)).join("/");
    const files = Array.from(
      { length: 1000 },
      (_, at) => ({ path: `${folder}/${at}`, text: "" }),
    );
    const called = await server.call("'alive'", { files, timeout: 600 });
    assertEquals(called.returnValue, "alive", called.text);
  },
);

Deno.test("escape: pictures and output together are no more than the client takes", async () => {
  await using server = await startServer(["--max-output", "400000"]);
  const code = `
class Picture:
    def _repr_png_(self): return b"\\x89PNG\\r\\n\\x1a\\n" + bytes(1_700_000)
for _ in range(3): display(Picture())
print("\\x01" * 399_000)
raise ValueError("\\x01" * 399_000)`;
  const { content } = await server.client.callTool({
    name: "run_python_code",
    arguments: { python_code: code },
  });
  const note = content.at(-1);
  assert(note?.type === "text");
  assert(note.text.startsWith("The last 1 pictures or links are left out"));
  assertEquals(content.length, 4);
});

/** Names that every plain object of JavaScript has a meaning for. */
const MEANT = [
  ...["toString", "valueOf", "hasOwnProperty", "constructor"],
  ...["__defineGetter__", "__proto__"],
];
/** Each as a file, and as a folder with a file of the same name. */
const MEANT_PATHS = MEANT.flatMap((name) => [name, `as/${name}/${name}`]);

onEachPyodide(
  "escape: a name that JavaScript's objects know is a name like any other",
  async (options) => {
    await using server = await startServer(["--file-tools", ...options]);
    const use = async (name: string, args: Record<string, unknown>) => {
      const { structuredContent } = await server.client
        .callTool({ name, arguments: args });
      return Object(structuredContent);
    };
    const look = `
import os, shutil
paths = ${JSON.stringify(MEANT_PATHS)}
def seen():
    below = [os.path.relpath(os.path.join(folder, name)) for folder, _, names in os.walk(".") for name in names]
    return sorted(below) == sorted(paths) and [open(path).read() for path in paths] == paths
`;
    const wrote = await server.call(`${look}
import sysconfig
for path in paths:
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "w") as file: file.write(path)
others = []
for folder in ["/tmp", sysconfig.get_path("purelib")]:
    before = set(os.listdir(folder))
    for name in ${JSON.stringify(MEANT)}:
        place = os.path.join(folder, name)
        others.append(os.path.exists(place))
        os.mkdir(place)
        os.rename(place, place + "2")
        os.rename(place + "2", place)
        with open(os.path.join(place, name), "w") as file: file.write("x")
        others.append(name in os.listdir(folder) and os.listdir(place) == [name])
        shutil.rmtree(place)
    others.append(set(os.listdir(folder)) == before)
seen(), others`);
    const [isSeen, others] = wrote.returnValue as [boolean, boolean[]];
    assert(isSeen, wrote.text);
    const each = MEANT.flatMap(() => [false, true]);
    assertEquals(others, [...each, true, ...each, true]);
    const written = wrote.structured.files as { path: string; text: string }[];
    assertEquals(written.map(({ path }) => path), MEANT_PATHS.toSorted());
    assert(written.every(({ path, text }) => path === text));

    const again = await server.call(`${look}
before = seen()
for path in paths: os.remove(path)
shutil.rmtree("as")
before, os.listdir()`);
    assertEquals(again.returnValue, [true, []], again.text);
    assertEquals((await use("list_files", {})).files, []);

    for (const path of MEANT_PATHS) {
      await use("write_file", { path, text: path });
      assertEquals((await use("read_file", { path })).text, path);
    }
    const { files } = await use("list_files", {});
    assertEquals(files.length, MEANT_PATHS.length);
    const own = MEANT_PATHS.map((path) => ({ path, text: path }));
    for (const given of [{}, { files: own }]) {
      const found = await server.call(`${look}\nseen()`, given);
      assertEquals(found.returnValue, true, found.text);
    }
  },
);

Deno.test("escape: in a package's folder any name is a name like any other", async () => {
  await using cache = await makeCache();
  await using index = startIndex([
    wheel({ name: "mrp-fixture-data", files: { "mrp_fixture_data/a": "" } }),
  ]);
  await using server = await startServer([
    ...["--cache-dir", cache.folder, "--index-url", index.url],
    ...["--deps", "mrp-fixture-data"],
  ]);
  const { returnValue, text } = await server.call(`
import os, site
os.chdir(site.getsitepackages()[0] + "/mrp_fixture_data")
names, seen, before = ${JSON.stringify(MEANT)}, [], os.listdir()
for name in names:
    with open(name, "w") as file: file.write(name)
    seen.append(open(name).read())
isListed = os.listdir() == before + names
for name in names: os.remove(name)
seen == names, isListed, os.listdir() == before`);
  assertEquals(returnValue, [true, true, true], text);
});

/** Builds folders as a run can: around Emscripten, of plain objects. */
const FORGE = `
import pyodide_js
from js import Object
with open("leaf", "w") as file: file.write("x")
root, leaf = (pyodide_js.FS.lookupPath(path).node for path in ["/workspace", "/workspace/leaf"])
def forge(folder, name):
    made = Object.new()
    made.mode, made.contents = 0o40755, Object.new()
    setattr(folder.contents, name, made)
    return made
`;

onEachPyodide(
  "escape: forged folders take no time of the server's, and end",
  async (options) => {
    await using server = await startServer([
      ...["--file-tools", ...options, ...CPU_TIME],
    ]);
    const pathsAfter = async (code: string) => {
      const called = await server.call(`${FORGE}${code}\n"alive"`, {
        timeout: 600,
      });
      assertEquals(called.returnValue, "alive", called.text.slice(0, 500));
      await server.client.ping();
      const files = called.structured.files as { path: string }[];
      return { paths: files.map(({ path }) => path), said: called.text };
    };
    const deep = await pathsAfter(`
at = root
for _ in range(2030): at = forge(at, "a")
for name in range(1500): setattr(at.contents, str(name), leaf)`);
    assertEquals(deep.paths, ["leaf"]);
    assertMatch(deep.said, /Not sent back .* is 101 deep/);
    const endless = await pathsAfter(`
twice = forge(root, "twice")
for name in "abc": setattr(twice.contents, name, twice)
setattr(twice.contents, "in", leaf)`);
    assertEquals(endless.paths, ["leaf", "twice/in"]);
  },
);

onEachPyodide(
  "escape: what cannot come back by its name is refused, or told",
  async (options) => {
    const server = await shareServer(options);
    const { returnValue, text, structured } = await server.call(`${DEEP}
refused = []
for name in [b"n" * 20 + b"\\xff", "\\ufffd", "é" * 128]:
    for make in [os.mkdir, lambda name: open(name, "w"), lambda name: os.symlink("x", name), lambda name: os.rename("old", name)]:
        open("old", "w").close()
        try: make(name); refused.append((name, make))
        except OSError as error: refused.append(error.strerror)
os.remove("old")
open("é" * 127, "w").close()
go_deep("d", 100)
open("last", "w").close()
go_deep("d", 1)
open("lost", "w").close()
sorted(set(map(str, refused)))`);
    assertEquals(
      returnValue,
      ["Filename too long", "Illegal byte sequence"],
      text,
    );
    const files = structured.files as { path: string }[];
    assertEquals(files.map(({ path }) => path), [
      `${"d/".repeat(100)}last`,
      "é".repeat(127),
    ]);
    assertMatch(text, /Not sent back .*"(d\/)+.*" is 101 deep/);
  },
);
