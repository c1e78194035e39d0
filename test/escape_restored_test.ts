/**
 * Code of a saved session that runs while the session is restored.
 *
 * @module
 */
import { ENGINE } from "../src/engines/index.ts";
import { assert, assertEquals } from "../deps/assert.ts";
import { LocalPool } from "../src/server/pool/local_pool.ts";
import { type BareSandbox, startBareSandbox } from "./support/bare_process.ts";
import { onEachPyodide } from "./support/each_pyodide.ts";
import { connect } from "./support/pool_process.ts";
import { REQUEST, SETUP } from "./support/request.ts";

/** Looks around, and tries ways out, when Pyodide's start calls it. */
const HOOK = `
import importlib, js, pyodide_js
real, at_start = importlib.import_module, []
def names_of(it):
    try:
        return [] if js.ArrayBuffer.isView(it) else list(js.Object.getOwnPropertyNames(it))
    except Exception:  # of a value that is no object
        return []
def walk():
    found = set()
    for start, it in (("js", js), ("pyodide_js", pyodide_js), ("_api", pyodide_js._api), ("_module", pyodide_js._module)):
        for name in names_of(it):
            found.add(f"{start}.{name}")
            try:
                found |= {f"{start}.{name}.{inner}" for inner in names_of(js.Object.getOwnPropertyDescriptor(it, name).value)}
            except Exception:  # of a getter
                pass
    return found
def attempt(action):
    try:
        return f"{action()}"
    except BaseException:
        return "refused"
def hooked(name, package=None):
    if name.startswith("pyodide") and not at_start:  # JavaScript cannot be called before
        kept = [getattr(pyodide_js, name, None) for name in ("mountNodeFS", "useNodeSockFS")]
        at_start.append((walk(), kept, [
            attempt(lambda: pyodide_js.mountNodeFS("/mnt", "/")),
            attempt(lambda: pyodide_js._api.initializeNodeSockFS()),
            attempt(lambda: pyodide_js.makeMemorySnapshot()),
            attempt(lambda: setattr(pyodide_js._api.runtimeEnv, "IN_NODE", True)),
            attempt(lambda: js.Object.constructor("return this")()),
            attempt(lambda: js.fetch("file:///")),
        ]))
    return real(name, package)
importlib.import_module = hooked
None`;
import { takeInto } from "./support/pieces.ts";

const LATER = `
importlib.import_module = real
before, (mount, use_sockets), tried = at_start[0]
tried.append(attempt(lambda: mount("/mnt", "/")))
try:
    await use_sockets()
    tried.append("opened")
except BaseException:
    tried.append("refused")
more = {name for name in before - walk() if "NodeFS" not in name and "NodeSockFS" not in name}
[len(before) > 500, sorted(more), set(tried) == {"refused"} or tried]`;

onEachPyodide(
  "escape: at the start of a restored session its code reaches no more than later",
  async (args) => {
    const started: Promise<BareSandbox>[] = [];
    const pool = new LocalPool(
      () => {
        const starting = startBareSandbox({}, { args });
        started.push(starting);
        return connect(starting);
      },
      { ready: 0, running: 2, waiting: 9 },
      { engine: ENGINE.profile, setup: SETUP },
    );
    try {
      const { session: first, refused: unopened } = await pool.open();
      assert(first, JSON.stringify(unopened));
      await first.run({ ...REQUEST, code: HOOK });
      const pieces: Uint8Array<ArrayBuffer>[] = [];
      await first.save(takeInto(pieces));
      const { session, refused } = await pool.open({
        from: { pieces, fork: false },
      });
      assert(session, JSON.stringify(refused));
      const result = await session.run({ ...REQUEST, code: LATER });
      const seen = "returnValue" in result ? result.returnValue : result;
      assertEquals(seen, [true, [], true]);
    } finally {
      pool.close();
      for (const one of started) await (await one)[Symbol.asyncDispose]();
    }
  },
);
