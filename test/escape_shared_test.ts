/**
 * Interpreters of a sandbox process share the memory of their packages and of
 * their snapshot. These tests start them in one process, as it does, so that
 * they see that memory itself.
 *
 * @module
 */
import { assert, assertEquals } from "../deps/assert.ts";
import {
  type InterpreterFiles,
  startInterpreter,
} from "../src/engines/pyodide/host.ts";
import { readFiles, runCode, runIn } from "./support/interpreter.ts";
import { HAS_PROC } from "./support/proc.ts";
import { processesNamed, whichOutlive } from "./support/processes.ts";
import { startServer } from "./support/server.ts";

const SITE = "lib/python3.14/site-packages";
const SOURCE = 'kept = "as it is"\n';
const files = await readFiles({
  packages: {
    [`${SITE}/shared.py`]: SOURCE,
    [`${SITE}/changed.py`]: SOURCE,
    "usr/lib/shared.txt": SOURCE,
    [`${SITE}/draws.py`]:
      "import random\nfree = random.Random()\nfixed = random.Random(7)\n",
  },
});
const PATHS = JSON.stringify([
  ...[`/${SITE}/shared.py`, `/${SITE}/changed.py`, "/usr/lib/shared.txt"],
]);

/** Fails if what interpreters share is not as it was before. */
async function assertUntouched(attack: () => Promise<void>): Promise<void> {
  const before = await hash(files);
  await attack();
  assertEquals(await hash(files), before);
  const seen = await runIn(
    files,
    `import shared\n[open(path).read() for path in ${PATHS}] + [shared.kept]`,
  );
  assertEquals(seen, [SOURCE, SOURCE, SOURCE, "as it is"]);
}

async function hash(
  { packages, snapshot }: InterpreterFiles,
): Promise<string[]> {
  assert(snapshot?.bytes instanceof Uint8Array);
  const shared = [packages.contents, snapshot.bytes];
  return await Promise.all(shared.map(async (bytes) => {
    const digest = await crypto.subtle.digest("SHA-256", bytes.slice());
    return new Uint8Array(digest).toHex();
  }));
}

Deno.test("escape: a function of JavaScript's gets no method that catches shared memory", async () => {
  await assertUntouched(async () => {
    const caught = await runIn(
      files,
      `
import js
caught = js.Array.new()
catch = js.Object.fromEntries([["value", caught.push.bind(caught)]])
method = js.Object.getPrototypeOf(js.Uint8Array).prototype.set
refused = 0
for hook in ("call", "apply", "bind"):
    try:
        js.Object.defineProperty(method, hook, catch)
    except Exception:
        refused += 1
for path in ${PATHS}:
    with open(path, "rb") as file:
        file.read()
count = caught.length
for at in range(count):
    # Larger is Python's own memory.
    if getattr(caught[at], "length", 1000) < 1000:
        caught[at].fill(35)
[refused, count]`,
    );
    assertEquals(caught, [3, 0]);
  });
});

Deno.test("escape: a package's file that is written in place is as it was in the next run", async () => {
  await assertUntouched(async () => {
    const seen = await runIn(
      files,
      `
import js, mmap, os, pyodide_js
paths = ${PATHS}
for path in paths:
    with open(path, "r+b") as file:
        file.write(b"#####")
    with open(path, "r+b") as file:
        with mmap.mmap(file.fileno(), 0) as mapped:
            mapped[5:7] = b"##"
# A file that was only touched is this run's own, too.
os.utime("/${SITE}/draws.py")
node = pyodide_js.FS.lookupPath("/${SITE}/draws.py").node
node.contents.fill(35)
[open(path).read()[:8] for path in paths]`,
    );
    assertEquals(seen, Array(3).fill('#######"'));
  });
});

Deno.test("escape: a worker starts one interpreter, and hands out no part of its snapshot", async () => {
  await assertUntouched(async () => {
    const said = await runIn(
      files,
      `
import js, pyodide_js
config = pyodide_js._api.config
said = []
for settings in (js.Object.new(), config):
    try:
        await config.createPyodideModule(settings)
    except BaseException as error:
        said.append(str(error))
config._loadSnapshot.fill(35)
said`,
    );
    const refusal = "TypeError: Cannot start a second interpreter";
    assertEquals(said, [refusal, refusal]);
  });
});

Deno.test("escape: what Pyodide has for Node is gone before Python's code runs", async () => {
  const found = await runIn(
    files,
    `
import js, pyodide_js
api, owner = pyodide_js._api, js.Object.getPrototypeOf(pyodide_js)
said = [name for name in ("useNodeSockFS", "mountNodeFS") for one in (pyodide_js, owner) if hasattr(one, name)]
said + [hasattr(api, "initializeNodeSockFS"), js.Object.isFrozen(api.runtimeEnv)]`,
  );
  assertEquals(found, [false, true]);
});

Deno.test("escape: what a run draws, the next one cannot foresee", async () => {
  const code = `
import draws, logging, os, random, tempfile, uuid
[random.random(), os.urandom(8).hex(), tempfile.mktemp(), uuid.uuid4().hex, uuid.getnode(), logging._startTime, random.Random().random()]`;
  const [one, two] = [await runIn(files, code), await runIn(files, code)];
  assert(Array.isArray(one) && Array.isArray(two));
  for (const [at, drawn] of one.entries()) assert(drawn !== two[at], drawn);
});

Deno.test("escape: generators and names of a snapshot are drawn anew", async () => {
  const seen = await runIn(
    files,
    `
import logging, random, tempfile, uuid
from mcp_runner.preload import try_import
from mcp_runner.reseed import reseed
# As what a snapshot is made of.
try_import("draws")
import draws
random.seed(1)
draws.free.seed(1)
uuid._node = uuid._last_timestamp = 1
names = tempfile._get_candidate_names()
logging._startTime = 1
reseed()
[
    random.random() != random.Random(1).random(),
    draws.free.random() != random.Random(1).random(),
    draws.fixed.random() == random.Random(7).random(),
    uuid._node, uuid._last_timestamp,
    tempfile._get_candidate_names() is not names,
    logging._startTime != 1,
]`,
  );
  assertEquals(seen, [true, true, true, null, null, true, true]);
});

/** Goes on when its run is over. */
const BUSY = `
import asyncio, js
async def rest():
    while True: js.Date.now()
asyncio.ensure_future(rest())
1`;

Deno.test({
  name: "escape: a process in which something of a run goes on is replaced",
  ignore: !HAS_PROC,
  async fn() {
    await using server = await startServer([
      ...["+pool=1", "--max-concurrency", "1"],
    ]);
    const idle = await server.call("1", { session: "none" });
    assertEquals(idle.returnValue, 1);
    const before = processesNamed("sandbox", server.pid);
    assertEquals(before.length, 1);
    // In a session, it goes on.
    const busy = await server.call(BUSY, { session: "none" });
    assertEquals(busy.returnValue, 1);
    assertEquals(await whichOutlive(before), []);
    assertEquals((await server.call("'alive'")).returnValue, "alive");
  },
});

// The last test: the worker computes for as long as this process.
Deno.test("escape: an interpreter whose worker is busy is not said to be gone", async () => {
  const interpreter = await startInterpreter(files);
  assertEquals((await runCode(interpreter, BUSY)).status, "success");
  assertEquals(await interpreter.end(), false);
});
