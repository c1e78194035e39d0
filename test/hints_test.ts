/**
 * What an error says about this place, for whoever mends the code.
 *
 * @module
 */
import { assertMatch } from "../deps/assert.ts";
import { onEachPyodide } from "./support/each_pyodide.ts";
import { shareServer } from "./support/shared_server.ts";

/** Code that asks for what WebAssembly lacks, and what is said of it. */
const SURPRISES: Record<string, RegExp> = {
  "import subprocess; subprocess.run(['ls'])": /no other processes here/,
  "import os; os.popen('ls').read()": /no other processes here/,
  "import os; os.fork()": /no operating system for this function/,
  "import multiprocessing; multiprocessing.Pool(2)": /no other processes here/,
  "from concurrent.futures import ProcessPoolExecutor as P\nP().submit(print)":
    /no other processes here/,
  "import asyncio\nawait asyncio.create_subprocess_exec('ls')":
    /no other processes here/,
  "import threading; threading.Thread(target=print).start()":
    /no threads here.*asyncio\.gather/,
  "from concurrent.futures import ThreadPoolExecutor as T\nT().submit(print)":
    /no threads here/,
  "input('name? ')": /EOFError: .*\nThere is no input here.*global_variables/,
  "open('/home/me/data.csv')": /user's files are not here.*--mount/,
  "open('~/data.csv')": /user's files are not here/,
  "open(r'C:\\Users\\me\\data.csv')": /user's files are not here/,
  "import tkinter": /"tkinter" is a part of the standard library that/,
};

onEachPyodide(
  "hints: an error that WebAssembly makes says what is missing, and the way around",
  async (options) => {
    const server = await shareServer(options);
    for (const [code, hint] of Object.entries(SURPRISES)) {
      const { error } = await server.call(code);
      assertMatch(error ?? "no error", hint, code);
    }
    const own = await server.call("open('/workspace/data.csv')");
    assertMatch(own.error ?? "", /No such file or directory: '\S+data.csv'$/);
    const { error } = await server.call("def f(x):\n    return x / 0\nf(1)");
    assertMatch(
      error ?? "",
      /^Traceback.*\n {2}File "main\.py", line 3, in <module>\n {4}f\(1\)\n( {4}~\^\^\^\n)? {2}File "main\.py", line 2, in f\n {4}return x \/ 0\n {11}~~\^~~\nZeroDivisionError: \w+ by zero$/,
    );
  },
);

onEachPyodide("input is at its end", async (options) => {
  const server = await shareServer(options);
  const { returnValue, text } = await server.call(
    "import sys\n[sys.stdin.read(), list(sys.stdin)]",
  );
  assertMatch(JSON.stringify(returnValue), /^\["",\[\]\]$/, text);
});
