/**
 * Nothing that one run does is seen by another, whichever of them comes first.
 *
 * @module
 */
import { assertEquals } from "../deps/assert.ts";
import { attempt } from "./support/attempt.ts";
import { onEachPyodide } from "./support/each_pyodide.ts";
import { CLI } from "./support/command.ts";
import { startServer } from "./support/server.ts";

/** Leaves something of every kind behind. */
const LEAVE = `
import asyncio, atexit, builtins, codecs, decimal, gc, importlib, io, json, linecache, locale, logging, os, pathlib, random, re, signal, sys, time, types, warnings
import js, pyodide_js

secret = "leaked"
__main__ = sys.modules["__main__"]
__main__.also = "leaked"
builtins.leaked = "leaked"
builtins.len = lambda *_: -1
os.environ["LEAKED"] = "leaked"
sys.leaked = "leaked"
sys.argv.append("leaked")
sys.path.insert(0, "/tmp/leaked")
sys.modules["leaked"] = types.ModuleType("leaked")
sys.modules["json"] = types.ModuleType("json")

class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        print("leaked", name)
sys.meta_path.insert(0, Finder)
sys.path_hooks.insert(0, lambda path: print("leaked", path))
sys.path_importer_cache.clear()
importlib.import_module = builtins.__import__ = lambda *_, **__: 1 / 0
sys.settrace(lambda *_: None)
sys.setrecursionlimit(200)
sys.displayhook = sys.excepthook = sys.unraisablehook = print
sys.addaudithook(lambda *_: None)

for folder in ("/workspace", "/tmp", "/home", "/lib", "/usr/lib", "/dev", "/"):
    try:
        pathlib.Path(folder, "leaked").write_text("leaked")
    except OSError:
        pass
for module in ("sitecustomize", "usercustomize", "leaked_module"):
    for folder in sys.path:
        try:
            pathlib.Path(folder, f"{module}.py").write_text("print('leaked')")
        except OSError:
            pass
os.chdir("/tmp")

atexit.register(print, "leaked")
gc.disable()
signal.signal(signal.SIGINT, signal.SIG_IGN)
warnings.simplefilter("error")
decimal.getcontext().prec = 3
random.seed(7)
logging.basicConfig(level=0)
codecs.register_error("strict", lambda error: ("leaked", error.end))
linecache.cache["main.py"] = 7, None, ["leaked\\n"], "main.py"
re.compile = json.dumps = time.time = time.sleep = None
pyodide_js.globals["leaked"] = "leaked"
pyodide_js.leaked = js.leaked = "leaked"
pyodide_js._api.leaked = pyodide_js._module.leaked = "leaked"

async def haunt():
    while True:
        print("leaked")
        await asyncio.sleep(0)
asyncio.ensure_future(haunt())
sys.__stdout__.write("half a line")
os.write(1, "\\N{EURO SIGN}".encode()[:2])
os.write(2, "\\N{EURO SIGN}".encode()[:1])
pyodide_js.setStdout(js.Object.fromEntries([["batched", js.Date.now]]))
sys.stdout = sys.stderr = io.StringIO()
"left"
`;

/** Looks for all of that; an empty list is good. */
const FIND = `
import asyncio, builtins, decimal, gc, importlib, json, linecache, os, pathlib, random, re, signal, sys, time, warnings
import js, pyodide_js
found = []
def look(name, there):
    if there: found.append(name)
look("variables", {"secret", "also", "leaked", "haunt"} & set(globals()))
look("builtins", hasattr(builtins, "leaked") or len([1]) != 1)
look("environment", "LEAKED" in os.environ)
look("sys", hasattr(sys, "leaked") or "leaked" in sys.argv)
look("path", "/tmp/leaked" in sys.path)
look("modules", "leaked" in sys.modules or json.loads("1") != 1)
look("loader hooks", any("__main__.Finder" in str(one) for one in sys.meta_path) or any("main.py" in str(getattr(one, "__code__", "")) for one in sys.path_hooks))
look("import", importlib.import_module("colorsys").__name__ != "colorsys")
look("trace", sys.gettrace() or sys.getrecursionlimit() == 200 or sys.excepthook is print)
look("files", [str(path) for folder in ("/workspace", "/tmp", "/home", "/lib", "/usr/lib", "/dev", "/") for path in pathlib.Path(folder).glob("leaked*")])
for module in ("sitecustomize", "usercustomize", "leaked_module"):
    look(module, importlib.util.find_spec(module))
look("folder", os.getcwd() != "/workspace")
look("collection", not gc.isenabled())
look("signals", signal.getsignal(signal.SIGINT) == signal.SIG_IGN)
look("warnings", any(one[0] == "error" and one[2] is Warning for one in warnings.filters))
look("decimal", decimal.getcontext().prec == 3)
look("random", random.random() == random.Random(7).random())
look("codecs", __import__("codecs").lookup_error("strict").__module__ == "__main__")
look("lines", linecache.getlines("main.py")[:1] == ["leaked\\n"])
look("monkeypatches", None in (re.compile, json.dumps, time.time, time.sleep))
look("JavaScript", hasattr(js, "leaked") or hasattr(pyodide_js, "leaked") or hasattr(pyodide_js._api, "leaked") or hasattr(pyodide_js._module, "leaked"))
look("tasks", len(asyncio.all_tasks()) > 1)
await asyncio.sleep(0.05)
found`;

onEachPyodide(
  "escape: nothing that a run leaves behind is there in the next",
  async (options) => {
    await using server = await startServer(options);
    const found = async (session: string) => {
      const { returnValue, output, status, text } = await server.call(FIND, {
        session,
      });
      assertEquals([status, output, returnValue], ["success", [], []], text);
    };
    await found("none");
    for (const session of ["none", "none", "new"]) {
      const { returnValue, text } = await server.call(LEAVE, { session });
      assertEquals(returnValue, "left", text);
      await found("none");
      await found("new");
    }
  },
);

/** The same code where it leaves an interpreter that is rewound: without JavaScript and endless tasks. */
const inPython = (code: string) =>
  code.replace(/^async def haunt[^]*^asyncio.ensure_future.*$/m, "")
    .split("\n").filter((line) => !/\bjs\b|pyodide_js/.test(line)).join("\n");

onEachPyodide(
  "escape: nothing that a run leaves behind in Python is there in the next, in a rewound interpreter",
  async (options) => {
    await using server = await startServer(options, "2025-11-25", CLI, "stdio");
    const kinds: unknown[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      for (const [code, value] of [[LEAVE, "left"], [FIND, []]] as const) {
        const { structuredContent, _meta } = await server.client.callTool({
          name: "run_python_code",
          arguments: { python_code: inPython(code), session: "none" },
        });
        assertEquals(Object(structuredContent).return_value, value);
        kinds.push(_meta?.["mcp-run-python/interpreter"]);
      }
    }
    assertEquals(kinds.slice(KEPT_AFTER).join(), REWOUND);
  },
);

const ROUNDS = 4;
/** The first interpreter may not have been kept, and then the next one is fresh, too. */
const KEPT_AFTER = 2;
const REWOUND = Array(2 * ROUNDS - KEPT_AFTER).fill("rewound").join();

Deno.test("escape: what looks for residue finds it in its own run", async () => {
  const { returnValue, text } = await attempt(`
import os, sys, builtins
builtins.leaked = sys.leaked = 1
os.environ["LEAKED"] = "1"
open("/tmp/leaked", "w").close()
${FIND}`);
  assertEquals(returnValue, ["builtins", "environment", "sys", "files"], text);
});

onEachPyodide(
  "escape: runs at the same time see nothing of each other",
  async (options) => {
    await using server = await startServer([
      ...options,
      "--max-concurrency",
      "2",
    ]);
    const code = (name: string) => `
import os, time
open("/tmp/${name}", "w").write("${name}")
os.environ["${name}"] = "1"
for _ in range(10):
    time.sleep(0.02)
    print("${name}")
[sorted(os.listdir("/tmp")), [key for key in os.environ if key in ("one", "two")]]`;
    const [one, two] = await Promise.all([
      server.call(code("one")),
      server.call(code("two")),
    ]);
    assertEquals(one.returnValue, [["one"], ["one"]], one.text);
    assertEquals(two.returnValue, [["two"], ["two"]], two.text);
    assertEquals(one.output, Array(10).fill("one"));
    assertEquals(two.output, Array(10).fill("two"));
  },
);
