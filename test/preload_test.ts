/**
 * What is imported before a run asks for it, in real processes.
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
import { ENVIRONMENT_FILES } from "../src/engines/pyodide/versions.ts";
import { makeCache } from "./support/cache.ts";
import { startIndex } from "./support/index_server.ts";
import { startServer } from "./support/server.ts";
import { wheel } from "./support/wheel.ts";

/** A package whose module is this source. */
const module = (name: string, source: string, requires: string[] = []) =>
  wheel({ name, requires, files: { [`${name}/__init__.py`]: source } });

const DRAWN = `
import random, secrets, tempfile, uuid
drawn = [random.random(), str(uuid.uuid4()), uuid.uuid1().node, secrets.token_hex(), tempfile.mktemp()]
`;

/** How many times the snapshots of a cache have this text. */
async function countInSnapshots(cache: string, text: string): Promise<number> {
  let count = 0;
  const folder = join(cache, "environments");
  for await (const { name } of Deno.readDir(folder)) {
    const snapshot = join(folder, name, ENVIRONMENT_FILES.snapshot);
    const bytes = await Deno.readFile(snapshot);
    count += new TextDecoder("latin1").decode(bytes).split(text).length - 1;
  }
  return count;
}

Deno.test("what was asked for is imported by the snapshot, and each run starts as new", async () => {
  await using cache = await makeCache();
  await using index = startIndex([
    module(
      "mrpasked",
      `import mrpneeded\ncalls = []\n${DRAWN}
own, fixed = random.Random(), random.Random(7)
[b"mrpfreed" * 10_000 for _ in range(50)]`,
      ["mrpneeded"],
    ),
    module("mrpneeded", ""),
    module("mrpunasked", ""),
  ]);
  await using server = await startServer([
    ...["--cache-dir", cache.folder, "--index-url", index.url],
    ...["--deps", "mrpasked"],
  ]);
  const code = `
import sys
loaded = [name in sys.modules for name in ("mrpasked", "mrpneeded")]
import mrpasked
mrpasked.calls.append(1)
[loaded, mrpasked.calls]`;
  for (let round = 0; round < 3; round++) {
    const { returnValue, text } = await server.call(code);
    assertEquals(returnValue, [[true, true], [1]], text);
  }
  const drawn = new Set<string>();
  for (let round = 0; round < 3; round++) {
    const { returnValue } = await server.call(`${DRAWN}\ndrawn`);
    assert(Array.isArray(returnValue));
    for (const one of returnValue) drawn.add(JSON.stringify(one));
  }
  assertEquals(drawn.size, 15);
  const generators =
    "import mrpasked as it; [it.own.random(), it.fixed.random()]";
  const [one, two] = [
    await server.call(generators),
    await server.call(generators),
  ];
  assert(Array.isArray(one.returnValue) && Array.isArray(two.returnValue));
  assertNotEquals(one.returnValue[0], two.returnValue[0]);
  assertEquals(one.returnValue[1], two.returnValue[1]);
  assert(await countInSnapshots(cache.folder, "mrpfreed") < 1000);
});

Deno.test("what no snapshot can hold is imported while an interpreter is prepared", async () => {
  await using cache = await makeCache();
  await using index = startIndex([
    module("mrpjs", "import js\nheld = js.Object.new()\n"),
    module("mrppure", ""),
  ]);
  const options = [
    ...["--cache-dir", cache.folder, "--index-url", index.url],
    ...["--deps", "mrpjs,mrppure"],
  ];
  await using server = await startServer(options);
  const code =
    `import sys\n[name in sys.modules for name in ("mrpjs", "mrppure")]`;
  for (let round = 0; round < 2; round++) {
    const { returnValue, text } = await server.call(code);
    assertEquals(returnValue, [true, true], text);
  }
  const { stdout } = await cache.command([
    ...options.slice(2),
    ...["--offline", "doctor"],
  ]);
  assertMatch(stdout, /imported in the snapshot: mrppure\n/);
  assertMatch(stdout, /while an interpreter is prepared: mrpjs, .*serialize/);
});

Deno.test("what cannot be imported is told of at the install and by doctor, and all else works", async () => {
  await using cache = await makeCache();
  await using index = startIndex([
    module("mrpraises", "raise ValueError('no good')"),
    module("mrpexits", "import sys; sys.exit(3)"),
    module("mrpfatal", "import os; os.abort()"),
    module("mrpfine", "print('noise when it is imported')"),
  ]);
  const options = [
    ...["--index-url", index.url],
    ...["--deps", "mrpraises,mrpexits,mrpfatal,mrpfine"],
  ];
  const installed = await cache.command([...options, "install"]);
  assertEquals(installed.code, 0, installed.stderr);
  assertMatch(
    installed.stderr,
    /mrpraises is installed, and cannot be imported: ValueError: no good/,
  );
  const { stdout } = await cache.command([...options, "--offline", "doctor"]);
  assertMatch(stdout, /imported in the snapshot: mrpfine\n/);
  assertMatch(stdout, /cannot be imported: mrpraises: ValueError: no good\n/);
  assertMatch(stdout, /cannot be imported: mrpexits: SystemExit: 3\n/);
  const ran = await cache.command([
    ...[...options, "--offline", "run", "-c"],
    "import mrpfine; print('ran')",
  ]);
  assertEquals([ran.stdout, ran.code], ["ran\n", 0], ran.stderr);
});

Deno.test("a snapshot that needs more memory than a run may take says so", async () => {
  await using cache = await makeCache();
  await using index = startIndex([
    module("mrplarge", "large = [bytes([1]) * 1_000_000 for _ in range(200)]"),
  ]);
  const { stderr, code } = await cache.command([
    ...["--index-url", index.url, "--deps", "mrplarge", "--memory", "128"],
    ...["run", "-c", "1"],
  ]);
  assertEquals(code, 1);
  assertMatch(stderr, /takes 2\d\d MiB, and its limit is 128 MiB: .*--memory/);
});

Deno.test("packages that fail with linked files have Pyodide's own, and doctor says why", async () => {
  await using cache = await makeCache();
  await using index = startIndex([
    // Pyodide's own JavaScript has a property for each symbol.
    module(
      "mrpown",
      `import pyodide_js
held = pyodide_js._module
assert held.hasOwnProperty("_PyLong_FromLong"), "it is linked"`,
    ),
  ]);
  const wanted = ["--index-url", index.url, "--deps", "mrpown"];
  const run = await cache.command([
    ...[...wanted, "run", "--return-mode=value", "-c"],
    "import mrpown; mrpown.held.hasOwnProperty('_PyLong_FromLong')",
  ]);
  assertEquals([run.code, run.stdout], [0, "true\n"], run.stderr);
  const { stdout, stderr } = await cache.command([...wanted, "doctor"]);
  assertMatch(stdout, /not linked.*AssertionError: it is linked/, stderr);
});
