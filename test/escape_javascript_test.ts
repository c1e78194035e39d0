/**
 * Ways out through JavaScript: what Python can reach there, replace there, and
 * have called there.
 *
 * @module
 */
import { assert, assertEquals } from "../deps/assert.ts";
import { attempt } from "./support/attempt.ts";
import { alwaysOnEachPyodide } from "./support/each_pyodide.ts";
import { makeCache } from "./support/cache.ts";
import { startIndex } from "./support/index_server.ts";
import { startServer } from "./support/server.ts";
import { wheel } from "./support/wheel.ts";

alwaysOnEachPyodide(
  "escape: nothing that is built into JavaScript can be replaced",
  async (options) => {
    const { returnValue, text } = await attempt(
      `
import js, pyodide_js
from pyodide.ffi import create_proxy
view = js.Object.getPrototypeOf(js.Uint8Array)
owners = [
    js.Object, js.Array, js.Map, js.Set, js.WeakMap, js.Promise, js.String, js.Number, js.RegExp, js.Symbol,
    js.Date, js.Error, js.TypeError, js.ArrayBuffer, js.DataView, js.Uint8Array, js.Int32Array, js.BigInt,
    js.AbortSignal, js.AbortController, view, js.Object.constructor,
]
owners += [js.Math, js.JSON]
for owner in list(owners):
    try:
        owners.append(owner.prototype)
    except Exception:  # Pyodide cannot show all of them
        pass
owners.append(js.Object.getPrototypeOf(js.AbortSignal.prototype))
shadowed = {"constructor", "name", "message"}
changed, tried = [], 0
for owner in owners:
    for name in [*js.Object.getOwnPropertyNames(owner), "somethingNew"]:
        if name in shadowed or name in ("arguments", "caller", "callee"):
            continue
        for change in (
            lambda: setattr(owner, name, None),
            lambda: js.Object.defineProperty(owner, name, js.Object.fromEntries([["value", 1]])),
            lambda: delattr(owner, name),
        ):
            tried += 1
            try:
                before = js.Object.getOwnPropertyDescriptor(owner, name)
                change()
            except Exception:
                continue
            after = js.Object.getOwnPropertyDescriptor(owner, name)
            if js.JSON.stringify(before) != js.JSON.stringify(after):
                changed.append(str(name))
    if not js.Object.isFrozen(owner) and js.Object.isExtensible(owner):
        changed.append(f"{owner} can be extended")
[tried > 1000, changed]`,
      { timeout: 300 },
      options,
    );
    assertEquals(returnValue, [true, []], text);
  },
);

alwaysOnEachPyodide(
  "escape: no hook catches what timers and promises are made of",
  async (options) => {
    const { returnValue, text } = await attempt(
      `
import js
caught = js.Array.new()
catch = caught.push.bind(caught)
callback = js.Date.now
said = []
for owner, name in ((js.Map.prototype, "set"), (js.Map.prototype, "get"), (js.Math, "min"), (js.Promise, "all"), (js.Promise, "resolve"), (js.Promise.prototype, "then"), (js.Object, "assign"), (js.Object.constructor.prototype, "call"), (js.Object.constructor.prototype, "apply")):
    original = getattr(owner, name)
    try:
        setattr(owner, name, catch)
        js.clearTimeout(js.setTimeout(callback, 5))
        setattr(owner, name, original)
        said.append(name)
    except Exception:
        pass
[said, [str(one) for one in caught]]`,
      {},
      options,
    );
    assertEquals(returnValue, [[], []], text);
  },
);

alwaysOnEachPyodide(
  "escape: Node's modules cannot be imported through Pyodide",
  async (options) => {
    const { returnValue, text } = await attempt(
      `
import js, pyodide_js
api = pyodide_js._api
said = []
def attempt(name, work):
    try:
        work()
        said.append(name)
    except Exception:
        pass
attempt("runtimeEnv", lambda: setattr(api.runtimeEnv, "IN_NODE", True))
attempt("sockets", lambda: api.initializeNodeSockFS())
for name in ("useNodeSockFS", "mountNodeFS"):
    for owner in (pyodide_js, js.Object.getPrototypeOf(pyodide_js)):
        attempt(name, lambda: getattr(owner, name)("/x", "/etc"))
FS = pyodide_js.FS
for name in ("NODEFS", "WORKERFS", "NATIVEFS_ASYNC"):
    def mount():
        FS.mkdir(f"/{name}")
        FS.mount(getattr(FS.filesystems, name), js.Object.fromEntries([["root", "/"]]), f"/{name}")
        assert FS.readdir(f"/{name}").length > 2
    attempt(name, mount)
said`,
      {},
      options,
    );
    assertEquals(returnValue, [], text);
  },
);

alwaysOnEachPyodide(
  "escape: of the web's classes none that leads outward can be reached",
  async (options) => {
    const { returnValue, text } = await attempt(
      `
import js, pyodide_js, _pyodide_core
from _pyodide import _base
from collections import deque
from pyodide.ffi import JsProxy
seen, kinds = set(), set()
todo = deque([(js, 0), (pyodide_js._api, 0), (pyodide_js._module, 0)])
for module in (_pyodide_core, _base):
    for name in dir(module):
        one = getattr(module, name)
        if isinstance(one, JsProxy):
            todo.append((one, 0))
while todo:
    value, depth = todo.popleft()
    if value.js_id in seen:
        continue
    seen.add(value.js_id)
    kind = ""
    for name_of in (lambda: value.constructor, lambda: value):
        try:
            kind = kind or name_of().name
            kinds.add(name_of().name)
        except Exception:
            pass
    if depth == 4:
        continue
    names = [] if str(kind).endswith("Array") else [*value.object_keys()]
    for name in names + ["constructor", "prototype"]:
        try:
            child = getattr(value, name)
            child.js_id
        except Exception:
            continue
        todo.append((child, depth + 1))
[len(seen) > 500, sorted(kind for kind in kinds if isinstance(kind, str))]`,
      { timeout: 300 },
      options,
    );
    assert(Array.isArray(returnValue), text);
    const [enough, kinds] = Object(returnValue);
    assert(enough, text);
    const outward =
      /^(Deno|process|Worker|WebSocket.*|MessagePort|MessageChannel|BroadcastChannel|Response|Headers|URL|Blob|File|Timeout|Immediate|EventEmitter|Socket|Server|Window|WorkerGlobalScope|DedicatedWorkerGlobalScope|Module|Instance)$/;
    assertEquals(kinds.filter((kind: string) => outward.test(kind)), []);
  },
);

Deno.test("escape: no buffer of Python's is handed the files that all runs share", async () => {
  await using cache = await makeCache();
  await using index = startIndex([wheel({ name: "mrp-fixture-good" })]);
  await using server = await startServer([
    ...["--cache-dir", cache.folder, "--index-url", index.url],
    ...["--deps", "mrp-fixture-good"],
  ]);
  const code = `
import js, pyodide_js
from importlib.util import find_spec
from pyodide.ffi import create_proxy
file = find_spec("mrp_fixture_good").origin
FS = pyodide_js.FS
views = []
def taken(view, *rest):
    views.append(view)
    view.fill(35)
node = FS.lookupPath(file).node
def attempt(read):
    try:
        read()
    except Exception:
        pass
for name in ("set", "fill", "subarray"):
    buffer = js.Object.new()
    setattr(buffer, name, create_proxy(taken))
    buffer.length = buffer.byteLength = 100
    stream = js.Object.new()
    stream.node, stream.position = node, 0
    if hasattr(node.stream_ops, "read"):
        attempt(lambda: node.stream_ops.read(stream, buffer, 0, 10, 0))
    attempt(lambda: FS.read(FS.open(file, "r"), buffer, 0, 10, 0))
bytes_ = js.Uint8Array.new(10)
js.Object.defineProperty(bytes_, "set", js.Object.fromEntries([["value", create_proxy(taken)]]))
attempt(lambda: FS.read(FS.open(file, "r"), bytes_, 0, 10, 0))
[len(views), open(file).read()]`;
  for (let round = 0; round < 3; round++) {
    const { returnValue, text } = await server.call(code);
    assertEquals(returnValue, [0, 'version = "1.0"\n'], text);
  }
});

Deno.test("escape: no code of a package's snapshot runs before the language is frozen", async () => {
  await using cache = await makeCache();
  const source = `
import importlib
real = importlib.import_module
called, open_ = [], []
def import_module(name, package=None):
    found = real(name, package)
    called.append(name)
    if name == "pyodide.code":
        import js
        owners = [js.Math, js.Map.prototype, js.Array.prototype, js.Object.getPrototypeOf(js.Uint8Array).prototype]
        open_.extend(at for at, owner in enumerate(owners) if not js.Object.isFrozen(owner))
    return found
importlib.import_module = import_module
`;
  const early = wheel({
    name: "early",
    files: { "early/__init__.py": source },
  });
  await using index = startIndex([early]);
  await using server = await startServer([
    ...["--cache-dir", cache.folder, "--index-url", index.url],
    ...["--deps", "early"],
  ]);
  const { returnValue, text } = await server.call(
    "import early\n['pyodide.code' in early.called, early.open_]",
  );
  assertEquals(returnValue, [true, []], text);
});

alwaysOnEachPyodide(
  "escape: an error tells no path of the machine",
  async (options) => {
    const { text } = await attempt(
      `
import js, pyodide_js
from pyodide.ffi import create_proxy
said = []
for reach in (
    lambda: js.Promise.reject(js.Error.new("x")),
    lambda: js.Error.new("x").stack,
    lambda: js.Object.constructor("return 1"),
    lambda: pyodide_js._module.loadWebAssemblyModule(js.Uint8Array.new(8)),
    lambda: pyodide_js.loadPackage("../x"),
    lambda: js.JSON.parse("{"),
    lambda: js.fetch("file:///etc/passwd"),
):
    try:
        it = reach()
        said.append(str(await it if hasattr(it, "__await__") else it))
    except BaseException as error:
        said.append(repr(error))
        said.append(str(getattr(getattr(error, "js_error", None), "stack", None)))
try:
    js.Error.stackTraceLimit = 50
    js.Error.prepareStackTrace = create_proxy(lambda error, sites: said.append(str(sites)))
    said.append(str(js.Error.new("y").stack))
except Exception as error:
    said.append(repr(error))
said`,
      {},
      options,
    );
    assert(
      !/file:\/\/\/(?!pyodide\/|etc\/passwd)|ext:|node:|\/src\/sandbox|deno/
        .test(
          text,
        ),
      text,
    );
  },
);

alwaysOnEachPyodide(
  "escape: promises, finalizers and symbols of Python's reach no one else",
  async (options) => {
    const { status, text } = await attempt(
      `
import js, pyodide_js
from pyodide.ffi import create_proxy, to_js
got = []
hostile = js.Object.new()
hostile.then = create_proxy(lambda resolve, reject: got.append((resolve, reject)))
getter = js.Object.new()
getter.get = create_proxy(lambda: 1 / 0)
for name in ("then", "constructor", "toString", "message", "stack", "name", "type", "toJSON"):
    try:
        js.Object.defineProperty(hostile, name, getter)
    except Exception:
        pass
registry = pyodide_js._module.finalizationRegistry if hasattr(pyodide_js._module, "finalizationRegistry") else None
if registry:
    registry.register(hostile, 0)
class Nasty:
    def __del__(self):
        raise SystemExit
Nasty()
raise_ = js.Promise.reject(hostile)
raise Exception(hostile)`,
      {},
      options,
    );
    assert(["run-error", "crashed"].includes(status), text);
  },
);
