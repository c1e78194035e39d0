/**
 * Another Pyodide than the npm package, in real processes: 0.27, whose Python is
 * two versions older.
 *
 * @module
 */
import { join } from "node:path";
import {
  assert,
  assertEquals,
  assertMatch,
  assertNotEquals,
} from "../deps/assert.ts";
import { log } from "../src/log.ts";
import { command } from "./support/command.ts";
import { namesIn, tempFolder } from "./support/folder.ts";
import { PACKAGES_027 } from "./support/each_pyodide.ts";
import { getPyodide027 } from "./support/pyodide_027.ts";
import { startServer } from "./support/server.ts";

const found = await getPyodide027();
const folder = "folder" in found ? found.folder : "";
const ignore = folder === "";
if ("reason" in found) log(`skipped: --pyodide: ${found.reason}`);

Deno.test({
  name:
    "--pyodide runs another Python, with top-level await; doctor says why it is not linked",
  ignore,
  async fn() {
    const code = `
import asyncio, sys
print(*sys.version_info[:2], await asyncio.sleep(0.01, "slept"))`;
    const args = ["--pyodide", folder, "run", "-c", code];
    const { stdout, stderr, code: exitCode } = await command(args);
    assertEquals([stdout, exitCode], ["3 12 slept\n", 0], stderr);
    const doctor = ["--pyodide", folder, "--offline", "doctor"];
    assertMatch(
      (await command(doctor)).stdout,
      /^ {2}not linked, .*: Cannot find .*assignWasmExports/m,
    );
  },
});

Deno.test({
  name: "--pyodide: every ending, and a success after each",
  ignore,
  async fn() {
    await using server = await startServer([
      ...["--pyodide", folder, "--memory", "256"],
    ]);
    const codes = {
      "1 / 0": ["run-error", /\n {4}1 \/ 0\n {4}~~\^~~\nZeroDivisionError/],
      "def f(): return f()\nf()": ["run-error", /RecursionError/],
      "raise SystemExit(3)": ["run-error", /exit code 3/],
      "while True: pass": ["timeout", /stopped after 1 s/],
      "import asyncio; await asyncio.sleep(100)": ["timeout", /after 1 s/],
      "x = []\nwhile True: x.append(bytearray(10**7))": [
        "memory-limit",
        /256 MiB/,
      ],
    } as const;
    for (const [code, [status, words]] of Object.entries(codes)) {
      const failed = await server.call(
        code,
        status === "timeout" ? { timeout: 1 } : {},
      );
      assertEquals(failed.status, status, failed.text);
      assertMatch(String(failed.error), words);
      const { output, returnValue } = await server.call("print('hi'); 6 * 7");
      assertEquals([output, returnValue], [["hi"], 42]);
    }
  },
});

Deno.test({
  name: "--pyodide: no door that its start needs is open to Python",
  ignore,
  async fn() {
    await using server = await startServer(["--pyodide", folder]);
    const { returnValue } = await server.call(`
import js
from pyodide.code import run_js
try:
    run_js("1")
except Exception as error:
    refused = type(error).__name__
[refused, [name for name in dir(js) if name in ("Blob", "URL", "importScripts", "structuredClone", "XMLHttpRequest")]]`);
    assertEquals(returnValue, ["JsException", ["XMLHttpRequest"]]);
  },
});

Deno.test({
  name: "--pyodide: its packages run, with the libraries that they need",
  ignore,
  async fn() {
    const installed = await command([...PACKAGES_027, "install"]);
    assertEquals(installed.code, 0, installed.stderr);
    await using server = await startServer(PACKAGES_027);
    const early = await server.call(`
import sys
[name for name in ("matplotlib.pyplot", "pandas", "scipy", "sqlite3") if name not in sys.modules]`);
    assertEquals(early.returnValue, [], early.text);
    const draw = "import numpy; numpy.random.random(3)";
    const [one, two] = [await server.call(draw), await server.call(draw)];
    assertNotEquals(one.returnValue, two.returnValue);
    const { returnValue, text } = await server.call(`
import io, sqlite3, ssl
import numpy as np, pandas as pd
from scipy.linalg import solve

frame = pd.DataFrame({"a": [1, 2], "b": ["x", None]})
image = io.BytesIO()
frame.plot().figure.savefig(image, format="png")
[
    np.arange(4).reshape(2, 2),
    frame,
    solve([[2, 0], [0, 4]], [1, 1]),
    np.fft.ifft(np.fft.fft([1, 2])).real.round(),
    round(np.linalg.det([[2, 0], [0, 4]])),
    image.getvalue()[1:4],
    sqlite3.connect(":memory:").execute("select 1 + 1").fetchone(),
    ssl.OPENSSL_VERSION[:7],
]`);
    const rows = [{ a: 1, b: "x" }, { a: 2, b: null }];
    const array = [[0, 1], [2, 3]];
    assertEquals(
      returnValue,
      [array, rows, [0.5, 0.25], [1, 2], 8, "PNG", [2], "OpenSSL"],
      text,
    );
    // Frames of libraries are one line each.
    const { error = "" } = await server.call(`import pandas as pd
def pick(frame):
    return frame["none"]
pick(pd.DataFrame({"a": [1]}))`);
    assertMatch(
      error,
      /^Traceback.*\n {2}File "main\.py".*\n.*\n {2}File "main\.py".*\n {4}return frame\["none"\]\n {11}~+\^+\n {2}File "\.\.\.\/pandas\/core\/frame\.py", line \d+, in __getitem__\n {2}File "\.\.\.\/pandas\/core\/indexes\/base\.py", line \d+, in get_loc\nKeyError: 'none'\nThe columns are 'a'\.$/,
    );
  },
});

Deno.test("--pyodide refuses a folder that holds none, with the remedy", async () => {
  const empty = await Deno.makeTempDir();
  const { code, stderr } = await command(
    ["--pyodide", empty, "run", "-c", "1"],
  );
  assertEquals(code, 2, stderr);
  assert(stderr.includes(`Cannot use "${empty}" as a Pyodide distribution`));
  assertMatch(stderr, /no pyodide\.asm\.wasm.* Name a folder with/);
  await Deno.remove(empty);
});

Deno.test({
  name: "--pyodide: a folder without packages says so, with the remedy",
  ignore,
  async fn() {
    const bare = await Deno.makeTempDir();
    for (const name of await namesIn(folder)) {
      if (/\.(whl|zip|tar)$/.test(name) && name !== "python_stdlib.zip") {
        continue;
      }
      await Deno.copyFile(join(folder, name), join(bare, name));
    }
    const options = ["--pyodide", bare, "--deps", "matplotlib"];
    // Other tests have put the packages into the cache that they share.
    await using cache = await tempFolder();
    const { code, stderr } = await command(
      ["--cache-dir", cache.path, ...options, "run", "-c", "1"],
      { findsCache: true },
    );
    assertMatch(
      stderr,
      /its folder has its lock file without its packages.* bring a copy with --dist/,
    );
    assertEquals(code, 1, stderr);
    await Deno.remove(bare, { recursive: true });
  },
});

Deno.test({
  name: "--pyodide refuses a folder that no flag can name, with the remedy",
  ignore,
  async fn() {
    const parent = await Deno.makeTempDir();
    const comma = join(parent, "a,b");
    await Deno.symlink(folder, comma);
    const args = ["--pyodide", comma, "run", "-c", "1"];
    const { code, stderr } = await command(args);
    assertEquals(code, 2, stderr);
    assertMatch(stderr, /a,b.* comma .*choose another folder/);
    await Deno.remove(parent, { recursive: true });
  },
});
