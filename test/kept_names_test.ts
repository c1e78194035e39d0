/**
 * Saved tools, memory and artifacts from Python, through the product's own host calls
 * and its real state process.
 *
 * @module
 */
import { join } from "node:path";
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { namesIn, tempFolder } from "./support/folder.ts";
import { readFiles } from "./support/interpreter.ts";
import { startKeptPython } from "./support/kept_python.ts";
import { startState } from "./support/state_process.ts";

const files = await readFiles();

Deno.test("fault: save_tool and memory never worked", async () => {
  await using folder = await tempFolder();
  {
    await using state = startState(folder.path);
    await using python = await startKeptPython(files, state);
    await python.run("import math\nimport json as j");
    await python.run(`
@save_tool
def area(radius, *, digits=2):
    """The area of a circle."""
    # a comment
    return round(math.pi * radius ** 2, digits)
def twice(text: str) -> Unknown:
    return j.dumps([text] * 2)
save_tool(twice)
save_memory("seen", {"names": ["é", 2**80], "none": None}, metadata={"by": "me"})`);
  }
  // Another process, and another session.
  await using state = startState(folder.path);
  await using python = await startKeptPython(files, state);
  assertEquals(
    await python.run(`
import inspect
seen = load_memory("seen")
[area(2), twice("a"), area.__doc__, "# a comment" in inspect.getsource(area),
 str(inspect.signature(area)), seen["names"][1] == 2**80, seen["names"][0], "math" in globals()]`),
    [
      ...[12.57, '["a", "a"]', "The area of a circle.", true],
      ...["(radius, *, digits=2)", true, "é", false],
    ],
  );
  assertEquals(python.printed(), "");
});

Deno.test("each client has values of its own", async () => {
  await using folder = await tempFolder();
  await using state = startState(folder.path);
  await using ada = await startKeptPython(files, state);
  await using eve = await startKeptPython(files, state, { owner: "eve" });
  await ada.run(`
save_memory("k", 1)
artifacts.save("a", b"1")
@save_tool
def f(): return 1`);
  assertEquals(
    await eve.run(`
[load_memory("k"), list_memories(), artifacts.list(), list_saved_tools(), "f" in globals(),
 delete_memory("k"), artifacts.delete("a"), delete_saved_tool("f")]`),
    [null, [], [], [], false, false, false, false],
  );
  assertEquals(
    await ada.run(`[load_memory("k"), artifacts.load_text("a"), f()]`),
    [1, "1", 1],
  );
});

Deno.test("save_tool() takes functions that can stand alone, and says why others cannot", async () => {
  await using folder = await tempFolder();
  await using state = startState(folder.path);
  await using python = await startKeptPython(files, state);
  await python.run(`
import functools, json, math
from datetime import datetime as dt, timedelta
from xml.etree import ElementTree
import xml.etree.ElementTree
LIMIT = 3
@save_tool
def later_name(): return "later"
def helper(): return 1
def make():
    secret = 1
    def inner(): return secret
    def alone(): return [n for n in range(3)]
    return inner, alone
inner, alone = make()
class C:
    def method(self): return self`);
  const refused = {
    "lambda: 1": /Cannot save a lambda/,
    "len": /not a builtin_function_or_method/,
    "C": /not a class/,
    "C().method": /not a method/,
    "functools.partial(helper)": /not a partial/,
    "json.dumps": /a function of the module json/,
    "inner": /it uses secret of the function around it/,
  };
  for (const [value, reason] of Object.entries(refused)) {
    assertMatch(await python.fail(`save_tool(${value})`), reason);
  }
  const sources = {
    "def f(): return helper()":
      /helper is a function that is not saved: save_tool\(helper\) first/,
    "def f(): return LIMIT": /LIMIT is a value of this session \(int\)/,
    "def f(): return missing": /missing is not defined/,
    "def f(a=LIMIT): return a": /default value LIMIT is not a literal/,
    "@functools.cache\ndef f(): return 1":
      /takes a function that is made by def, not a _lru_cache_wrapper/,
    "@functools.wraps(helper)\ndef f(): return 1": /wrapped by a decorator/,
    "@(lambda f: f)\ndef f(): return 1": /it has the decorator/,
    "def len(): return 1": /len is a name of Python itself/,
    "def runtime(): return 1": /"runtime": it is a name of code mode itself/,
    "def mcp_x(): return 1": /it is a name of code mode itself/,
    "exec('def f(): return 1')": /its source is not known/,
    [`def f(): return "${"x".repeat(70_000)}"`]: /and may have 65,536/,
  };
  for (const [source, reason] of Object.entries(sources)) {
    const name = /def (\w+)/.exec(source)?.[1];
    assertMatch(await python.fail(`${source}\nsave_tool(${name})`), reason);
  }
  assertEquals(await python.run("list_saved_tools()"), ["later_name"]);
  await python.run(`
@save_tool
def day(text: Missing = "2026-01-31", *more, sign=-1, options={"a": [1]}) -> Missing:
    def inner(x: Missing):
        return dt.fromisoformat(x) + timedelta(days=1)
    class Local:
        value = math.inf
        other, here = value, later_name()
    return [str(inner(text)), Local.other > 1, Local.here, xml.etree.ElementTree.fromstring("<a/>").tag, options]`);
  await python.run(`
if True:
    @save_tool
    async def later(n=1):
        return [n, day()[0]]`);
  await python.run("save_tool(alone)");
  await using next = await startKeptPython(files, state);
  await using third = await startKeptPython(files, state);
  assertEquals(
    await next.run("[day(), await later(2), alone(), list_saved_tools()]"),
    [
      ["2026-02-01 00:00:00", true, "later", "a", { a: [1] }],
      [2, "2026-02-01 00:00:00"],
      [0, 1, 2],
      ["alone", "day", "later", "later_name"],
    ],
  );
  assertEquals(
    await third.run(`import inspect
[list(inspect.signature(day).parameters), inspect.getsource(later_name).strip(), alone.__name__]`),
    [
      ["text", "more", "sign", "options"],
      await next.run(
        "inspect = __import__('inspect'); inspect.getsource(later_name).strip()",
      ),
      "alone",
    ],
  );
  // A saved tool is saved anew from its own source, and deleted.
  assertEquals(
    await next.run(`
save_tool(day)
[delete_saved_tool(alone), delete_saved_tool("alone"), "alone" in globals(), list_saved_tools()]`),
    [true, false, false, ["day", "later", "later_name"]],
  );
});

Deno.test("bind_saved() compiles a tool at its first use, executes none, and leaves names of the session", async () => {
  await using folder = await tempFolder();
  await using state = startState(folder.path);
  const put = (name: string, text: string) =>
    state.kept.put("tools", "ada", name, { text });
  const BROKEN = {
    syntax: "def syntax(:",
    other: "def another(): return 1",
    statement: "print('executed')\ndef statement(): return 1",
    decorated: "@(lambda f: print('executed') or f)\ndef decorated(): return 1",
    computed: "def computed(a=print('executed')): return a",
    keyed: "def keyed(*, a=print('executed')): return a",
    star: "from os import *\ndef star(): return 1",
    relative: "from . import x\ndef relative(): return 1",
    two: "def one(): return 1\ndef two(): return 1",
    after: "def after(): return 1\nprint('executed')",
    annotated: "def annotated(): return 1\nannotated: print('executed')",
    empty: "",
    deep: `def deep(): return ${"(".repeat(5000)}`,
    len: "def len(a): return 1",
  };
  for (const [name, source] of Object.entries(BROKEN)) await put(name, source);
  await put(
    "good",
    "import json\n\ndef good(): return json.dumps([len('ab')])\n",
  );
  await put("mine", "def mine(): return 'saved'");
  await put(
    "lazy",
    "import not_there\n\ndef lazy(a: print('executed')): return not_there.x\n",
  );
  await put("damaged", "def damaged(): return 'a text that is unique'");
  for (const name of await namesIn(folder.path)) {
    const path = join(folder.path, name);
    const text = await Deno.readTextFile(path);
    if (text.includes("unique")) {
      await Deno.writeTextFile(path, text.replace("unique", "change"));
    }
  }
  await using python = await startKeptPython(files, state);
  assertEquals(
    await python.run(`
def good_before(): pass
[good(), mine(), len("abc")]`),
    ["[2]", "saved", 3],
  );
  const said = python.printed();
  assertMatch(said, /^Skipping the saved tool 'len': len is a name of Python/m);
  assertEquals(said.match(/Skipping/g)?.length, 2, said);
  const { len: _, ...unusable } = BROKEN;
  for (const name of Object.keys(unusable)) {
    assertMatch(
      await python.fail(`${name}()`),
      new RegExp(`RuntimeError: the saved tool '${name}' cannot be used: .`),
    );
  }
  assert(!/^executed/m.test(python.printed()));
  assertMatch(
    said,
    /'damaged': Cannot read "damaged" in tools: its file is damaged/,
  );
  assertMatch(await python.fail("lazy(1)"), /package not-there/);
  // A session's own function stays, whatever is saved meanwhile.
  assertEquals(await python.run("def mine(): return 'own'\nmine()"), "own");
  assertEquals(python.printed(), "");
  await put("mine", "def mine(): return 'newer'");
  await put("good", "def good(): return 'newer'");
  assertEquals(await python.run("[mine(), good()]"), ["own", "newer"]);
  // So does a function that the session has saved itself, or a name for None.
  await python.run(
    "@save_tool\ndef mine(): return 'saved here'\nnothing = None",
  );
  await put("mine", "def mine(): return 'newer'");
  await put("nothing", "def nothing(): return 'newer'");
  assertEquals(await python.run("[mine(), nothing]"), ["saved here", null]);
  assertMatch(await python.fail("del mine, good\ngood()"), /NameError/);
  assertEquals(await python.run("[mine(), good()]"), ["newer", "newer"]);
  assertMatch(
    await python.run(`
import traceback
try:
    lazy(1)
except ImportError:
    text = traceback.format_exc()
text`) as string,
    /File "saved tool lazy", line 3, in lazy\n.*def lazy/,
  );
});

Deno.test("memory keeps JSON, its facts, and every update", async () => {
  await using folder = await tempFolder();
  await using state = startState(folder.path);
  await using python = await startKeptPython(files, state);
  await using other = await startKeptPython(files, state);
  assertEquals(
    await python.run(`
info = save_memory("a/b ☃", [1.5, True, ("x",), "\\ud800", {"k": None}], metadata=["m"])
again = get_memory_info("a/b ☃")
[info == again, info["key"], info["metadata"], info["created"][:2], info["bytes"] > 10,
 load_memory("a/b ☃")[:3], load_memory("a/b ☃")[3] == "\\ud800", load_memory("none", default=7), load_memory("none"),
 memory_exists("a/b ☃"), memory_exists("none"), get_memory_info("none"),
 [one["key"] for one in list_memories()], delete_memory("a/b ☃"), delete_memory("a/b ☃"), list_memories()]`),
    [
      ...[true, "a/b ☃", ["m"], "20", true, [1.5, true, ["x"]], true, 7, null],
      ...[true, false, null, ["a/b ☃"], true, false, []],
    ],
  );
  const add = `
for _ in range(15):
    last = update_memory("count", lambda n: (n or 0) + 1)
last`;
  const counts = await Promise.all([python.run(add), other.run(add)]);
  assertEquals(Math.max(...counts.map(Number)), 30);
  assertEquals(
    await python.run(`
save_memory("m", 1, metadata={"kept": 1})
update_memory("m", lambda n: n + 1)
[load_memory("count"), load_memory("m"), get_memory_info("m")["metadata"]]`),
    [30, 2, { kept: 1 }],
  );
});

Deno.test("memory names the place of a value that JSON does not have", async () => {
  await using folder = await tempFolder();
  await using state = startState(folder.path);
  await using python = await startKeptPython(files, state);
  await python.run(`
import datetime
loop = []
loop.append(loop)
wide = [1]
for _ in range(60): wide = [wide, wide]`);
  const refused = {
    'save_memory("k", {"a": [1, {2}]})':
      /^ValueError: value\['a'\]\[1\] is a set, which JSON does not have/,
    'save_memory("k", {"a": {1: 2}})': /value\['a'\] has the key 1/,
    'save_memory("k", [float("nan")])': /value\[0\] is nan/,
    'save_memory("k", datetime.datetime.now())': /value is a datetime/,
    'save_memory("k", 1, metadata=b"")': /metadata is a bytes/,
    'save_memory("k", 1, metadata="x" * 5000)': /metadata has 5002 .* 4096/,
    'save_memory("k", loop)': /nested more than 100 deep, or contains itself/,
    'save_memory("k", wide)': /beyond 262,144 values/,
    'save_memory("k", "x" * 300_000)':
      /value has 300,002 characters of JSON, and may have 262,144: keep it as a file/,
    "save_memory(1, 1)": /^TypeError: key must be a string, not int/,
    'save_memory("", 1)': /^ValueError: Cannot use "" as key: it is empty/,
    'save_memory("\\ud800", 1)': /half of a surrogate pair/,
    'save_memory("x" * 257, 1)': /it has 257 characters, and may have 256/,
    'update_memory("k", 1)': /updater must be a function/,
  };
  for (const [code, reason] of Object.entries(refused)) {
    assertMatch(await python.fail(code), reason);
  }
  // The largest value is within the bound of a host call.
  assertEquals(
    await python.run(`
largest = '"' * 131_071
save_memory("😀" * 256, largest, metadata="x" * 4094)
load_memory("😀" * 256) == largest`),
    true,
  );
  assertEquals(await python.run("len(list_memories())"), 1);
});

Deno.test("lists of many memories come in pages", async () => {
  await using folder = await tempFolder();
  await using state = startState(folder.path);
  const size = 20_000;
  await using python = await startKeptPython(files, state, { size });
  const metadata = JSON.stringify("x".repeat(3000));
  for (let n = 0; n < 12; n++) {
    await state.kept.put("memory", "ada", `k${n}`, { text: "1", metadata });
  }
  assertEquals(
    await python.run(`
keys = [one["key"] for one in list_memories()]
[len(keys), sorted(keys) == keys, all(len(one["metadata"]) == 3000 for one in list_memories())]`),
    [12, true, true],
  );
});

Deno.test("artifacts keep bytes of any size below the bound, and give a copy as a file", async () => {
  await using folder = await tempFolder();
  await using state = startState(folder.path);
  await using python = await startKeptPython(files, state);
  await using small = await startKeptPython(files, state, { size: 1024 });
  assertEquals(
    await python.run(`
data = bytes(range(256)) * 12_000
info = artifacts.save("data.bin", data, metadata={"rows": 3})
artifacts.save("é.txt", "Grüße")
artifacts.save("empty", b"")
path = artifacts.path("data.bin")
[info == artifacts.info("data.bin"), info["bytes"], info["metadata"], artifacts.load("data.bin") == data,
 artifacts.load_text("é.txt"), artifacts.load("empty") == b"", path, open(path, "rb").read() == data,
 [one["key"] for one in artifacts.list()], artifacts.delete("empty"), artifacts.delete("empty"), artifacts.info("empty")]`),
    [
      ...[true, 3_072_000, { rows: 3 }, true, "Grüße", true],
      ...["/workspace/data.bin", true, ["data.bin", "empty", "é.txt"]],
      ...[true, false, null],
    ],
  );
  // With small calls, pieces are small.
  assertEquals(
    await small.run(`
artifacts.save("s", bytes(range(250)) * 10)
artifacts.load("s") == bytes(range(250)) * 10`),
    true,
  );
  const refused = {
    'artifacts.load("none")': /^FileNotFoundError: There is no artifact 'none'/,
    'artifacts.save("../x", b"")':
      /must be the name of a file, without folders/,
    'artifacts.save("a\\\\b", b"")': /without folders/,
    'artifacts.path("..")': /without folders/,
    'artifacts.save("x", {})':
      /^TypeError: data must be bytes or str, not dict/,
    'artifacts.save("x", bytes((64 << 20) + 1))':
      /^ValueError: Cannot keep "x" in artifacts: it has 67108865 bytes, and may have 67108864/,
  };
  for (const [code, reason] of Object.entries(refused)) {
    assertMatch(await python.fail(code), reason);
  }
});

Deno.test("a folder that is gone breaks no session, and is made anew", async () => {
  await using folder = await tempFolder();
  const [kept] = await folder.make("kept");
  await using state = startState(kept);
  await using python = await startKeptPython(files, state);
  await python.run('save_memory("k", 1)');
  await Deno.remove(kept, { recursive: true });
  assertEquals(
    await python.run(`
before = [load_memory("k"), list_memories()]
save_memory("k", 2)
[before, load_memory("k"), delete_memory("k")]`),
    [[null, []], 2, true],
  );
});
