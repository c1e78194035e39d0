/**
 * Linked files beside Pyodide's own: the same code has the same answers.
 *
 * @module
 */
import { join } from "node:path";
import {
  assert,
  assertEquals,
  assertMatch,
  assertRejects,
} from "../deps/assert.ts";
import type { Layout } from "../src/engines/pyodide/linking/link_wasm.ts";
import { ENVIRONMENT_FILES } from "../src/engines/pyodide/versions.ts";
import {
  readEnvironment,
  readLinks,
  readRuntime,
  readRuntimeFor,
  type RuntimeFiles,
} from "../src/engines/pyodide/stored_files.ts";
import {
  Draft,
  maybeOpenEnvironment,
  unsealEnvironment,
} from "../src/environments/environment.ts";
import { linkRuntime } from "../src/installer/link_runtime.ts";
import { NPM_PYODIDE } from "../src/engines/pyodide/runtime.ts";
import { log } from "../src/log.ts";
import { baseFolder, ensurePython, makeCache } from "./support/cache.ts";
import { CACHE, command } from "./support/command.ts";
import { tempFolder } from "./support/folder.ts";
import { tryCode } from "../src/engines/pyodide/host.ts";

/** Native code of wheels, and each way between Python, C and JavaScript. */
const PROGRAMS: Record<string, string> = {
  "pydantic-core": `
import datetime, decimal, json, uuid
from typing import Annotated
import pydantic
from pydantic import BaseModel, Field, ValidationError, computed_field

class Part(BaseModel):
    name: Annotated[str, Field(pattern="^[a-z]+$", max_length=5)]
    price: decimal.Decimal = decimal.Decimal("1.50")

class Order(BaseModel):
    id: uuid.UUID
    day: datetime.date | None = None
    parts: list[Part] = []
    @computed_field
    @property
    def total(self) -> decimal.Decimal:
        return sum((part.price for part in self.parts), decimal.Decimal(0))

order = Order.model_validate_json(json.dumps({
    "id": "12345678-1234-5678-1234-567812345678", "day": "2024-02-29",
    "parts": [{"name": "bolt"}, {"name": "nut", "price": "0.25"}],
}))
try:
    Order(id="x", day="2023-02-29", parts=[{"name": "BOLT"}, {}])
    errors = []
except ValidationError as error:
    errors = error.errors(include_url=False, include_context=False)
[order.model_dump_json(), errors, Order.model_json_schema()["properties"]["day"], repr(order)]`,
  "msgpack": `
import datetime, msgpack
value = {"a": [1, -1, 2**63, 1.5, None, True, b"bytes", "t\u00e4xt"], "e": msgpack.ExtType(5, b"x")}
packed = msgpack.packb(value)
errors = []
for broken in (b"\\xc1", packed[:-1], b"\\x93\\x01"):
    try:
        msgpack.unpackb(broken)
    except Exception as error:
        errors.append(f"{type(error).__name__}: {error}")
[packed.hex(), repr(msgpack.unpackb(packed)), errors, msgpack.Packer.__module__]`,
  "ctypes": `
import ctypes
api = ctypes.pythonapi
libc = ctypes.CDLL(None)
def address(owner, name):
    try:
        return ctypes.cast(getattr(owner, name), ctypes.c_void_p).value
    except Exception as error:
        return f"{type(error).__name__}: {error}"
def data(name):
    try:
        return ctypes.addressof(ctypes.c_int.in_dll(api, name))
    except Exception as error:
        return f"{type(error).__name__}: {error}"
compare = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int))
numbers = (ctypes.c_int * 5)(5, 3, 9, 1, 7)
libc.qsort(numbers, 5, 4, compare(lambda a, b: a[0] - b[0]))
api.PyUnicode_FromFormat.restype = ctypes.py_object
def shout(): raise KeyError("in a callback")
seen = []
import sys
sys.unraisablehook = lambda info: seen.append(repr(info.exc_value))
ctypes.CFUNCTYPE(None)(shout)()
[
    [address(api, name) for name in ("PyLong_FromLong", "PyList_New", "Py_GetVersion", "malloc", "main", "_Py_NoneStruct", "emscripten_console_log", "nothing")],
    [data(name) for name in ("Py_OptimizeFlag", "_Py_NoneStruct", "PyLong_Type", "PyLong_FromLong", "nothing")],
    list(numbers), api.PyUnicode_FromFormat(b"%d %s", 5, b"x"), seen, libc.strlen(b"abcd"), libc.toupper(97),
]`,
  "JavaScript": `
import asyncio, js
from pyodide.ffi import JsException, create_once_callable, create_proxy, run_sync, to_js
async def soon(value):
    await asyncio.sleep(0.001)
    return value
def failing(): raise ValueError("through JavaScript")
try:
    js.Array.new(1).fill(0).map(create_proxy(lambda *_: failing()))
    error = None
except Exception as caught:
    error = f"{type(caught).__name__}: {caught}"
try:
    js.JSON.parse("{")
    js_error = None
except JsException as caught:
    js_error = str(caught)
double = create_proxy(lambda value, *_: value * 2)
[
    to_js([1, 2, 3]).map(double).to_py(), error, js_error, run_sync(soon(5)), await soon(6),
    js.Object.fromEntries([["a", 1]]).to_py(), to_js(b"abc").to_py().tobytes().hex(),
    str(js.BigInt(2) ** js.BigInt(70)) if hasattr(js.BigInt, "__pow__") else str(js.BigInt("1180591620717411303424")),
]`,
};

Deno.test("pydantic-core, msgpack, ctypes and JavaScript answer the same with linked files as with Pyodide's own", async (t) => {
  const deps = ["--deps", "pydantic,msgpack"];
  const installed = await command([...deps, "install"]);
  if (installed.code !== 0) {
    return log(`skipped: native wheels: ${installed.stderr.trim()}`);
  }
  const [, folder = ""] = /^in (.*)$/m.exec(installed.stdout) ?? [];
  assertEquals("reason" in await readLinks(folder), false);
  const [own, linked] = await Promise.all([
    readRuntime(NPM_PYODIDE),
    readRuntimeFor(folder, NPM_PYODIDE),
  ]);
  assertEquals([own.links, linked.links !== undefined], [undefined, true]);
  const environment = await readEnvironment(folder);
  const answer = async (runtime: RuntimeFiles, code: string) => {
    const ending = await tryCode({ ...runtime, ...environment }, code);
    assertEquals(ending.status, "success", JSON.stringify(ending));
    return ending;
  };
  for (const [name, code] of Object.entries(PROGRAMS)) {
    await t.step(name, async () => {
      assertEquals(await answer(linked, code), await answer(own, code));
    });
  }
});

Deno.test("escape: linked JavaScript that a project's cache brings is not imported", async () => {
  await using cache = await makeCache();
  const base = maybeOpenEnvironment(baseFolder(cache.folder));
  assert(base);
  const { folder, files, ...manifest } = base;
  // With a manifest that fits: to the cache, the environment is whole.
  await using draft = new Draft(folder);
  for (const name of Object.keys(files)) {
    const planted = name === ENVIRONMENT_FILES.linkedGlue;
    const bytes = planted
      ? new TextEncoder().encode(PLANTED)
      : await Deno.readFile(join(folder, name));
    await draft.write({ [name]: bytes });
  }
  await unsealEnvironment(folder);
  await draft.publish(manifest);
  const runtime = await readRuntimeFor(folder, NPM_PYODIDE);
  assertEquals([runtime.links, runtime.glue], [undefined, undefined]);
  const { code, stdout, stderr } = await cache.command([
    ...["--offline", "run", "-c", "print(6 * 7)"],
  ]);
  assertEquals([code, stdout, stderr], [0, "42\n", ""]);
});

const PLANTED = `export const loadPyodide = 1;
export default 2;
throw new Error("planted");
`;

Deno.test("linkRuntime() leaves Pyodide's files as they are unless linked ones give the same answers", async () => {
  await ensurePython();
  const own = await readRuntime(NPM_PYODIDE);
  const base = maybeOpenEnvironment(baseFolder(CACHE));
  assert(base);
  const stored = await readLinks(base.folder);
  assert("symbols" in stored);
  const layout = Object.fromEntries(
    [...stored.symbols.matchAll(/^(.*) .(\d+)$/gm)]
      .map(([, symbol, place]) => [symbol, Number(place)]),
  );
  const tried = async (
    code: string,
    places: Layout | Error = layout,
    occupied?: string,
  ) => {
    await using folder = await tempFolder();
    await using draft = new Draft(join(folder.path, "environment"));
    for (const name of FIRST) {
      const bytes = await Deno.readFile(join(base.folder, name));
      await draft.write({ [name]: bytes });
    }
    if (occupied) await Deno.mkdir(join(draft.folder, occupied));
    const tell = () =>
      places instanceof Error
        ? Promise.reject(places)
        : Promise.resolve(places);
    await linkRuntime(draft, { runtime: NPM_PYODIDE, own, layout: tell, code });
    const links = await readLinks(draft.folder);
    const files = (await Array.fromAsync(Deno.readDir(draft.folder)))
      .filter(({ name }) => name.startsWith("linked")).length;
    return "reason" in links ? [links.reason, files] : [links, files];
  };
  assertEquals(await tried("[1, 2]"), [stored, 2]);
  const [random, none] = await tried("import secrets\nsecrets.randbits(32)");
  assertMatch(
    `${random}`,
    /^Linked files do not work: They answer \d+, not \d+$/,
  );
  assertEquals(none, 0);
  const [failed] = await tried("1 / 0");
  assertMatch(`${failed}`, /ZeroDivisionError: division by zero/);
  const moved = { ...layout, "PyLong_FromLong": 1 };
  assertEquals(await tried("1", moved), [
    `${UNKNOWN}PyLong_FromLong is at 1, and would be at ${
      layout["PyLong_FromLong"]
    }`,
    0,
  ]);
  const silent = new Error("A start tells no places");
  assertEquals(await tried("1", silent), [UNKNOWN + silent.message, 0]);
  await assertRejects(() => tried("1", layout, ENVIRONMENT_FILES.linkedWasm));
});

const UNKNOWN = "This Pyodide cannot be linked: ";

/** Files of an environment before it is linked. */
const FIRST = ["snapshot", "snapshotIndex", "lock", "packageIndex", "packages"]
  .map((name): string => Reflect.get(ENVIRONMENT_FILES, name));
