/**
 * Sessions that are hostile to who looks into them, by the official client.
 *
 * @module
 */
import { assert, assertEquals } from "../deps/assert.ts";
import { onEachPyodide } from "./support/each_pyodide.ts";
import { startServer } from "./support/server.ts";

interface Shown {
  name: string;
  type: string;
  size?: number;
  shape?: number[];
  repr: string;
}

const HOSTILE = `
import asyncio, builtins, os, sys, time
class Entry:
    def __init__(self, act): self.act = act
    def __repr__(self): return self.act()
def loop():
    while True: pass
def forks():
    asyncio.ensure_future(asyncio.sleep(1000)); return "forked"
def prints():
    print("said", end=""); os.write(1, b"said"); display(Picture()); print("said", file=sys.stderr); return "printed"
def waits():
    asyncio.get_event_loop().run_until_complete(asyncio.sleep(1000))
def replaces():
    sys.stdout.write = None; return "replaced"
class Picture:
    def _repr_svg_(self): return "<svg/>"
class Text(str):
    def __str__(self): loop()
    def __len__(self): loop()
    def __bool__(self): loop()
class Lies:
    nbytes = property(lambda self: 10 ** 5000)
    shape = [1.5, True, 10 ** 30]
    __sizeof__ = __class__ = property(lambda self: loop())
    def __getattr__(self, name): loop()
class Meta(type):
    __name__ = property(lambda self: 1 / 0)
    def __getattr__(self, name): loop()
    def __repr__(self): return "meta"
class Strange(metaclass=Meta): pass
a_loop, b_raise, c_memory = Entry(loop), Entry(lambda: 1 / 0), Entry(lambda: "x" * 10 ** 10)
d_flood, e_exit, f_none = Entry(lambda: "\\0" * 10 ** 6), Entry(sys.exit), Entry(lambda: None)
g_deep, h_prints, i_forks = Entry(lambda: repr(g_deep)), Entry(prints), Entry(forks)
j_sub, k_lies, l_strange = Entry(lambda: Text("sub")), Lies(), Strange()
m_waits, n_sleeps, o_replaces = Entry(waits), Entry(lambda: time.sleep(0.01)), Entry(replaces)
p_surrogate, q_nested = "\\ud800", [Entry(loop)] * 100
globals()["r\\n" * 10 ** 6] = globals()[3] = 1
z_last = 1`;

/** A dict that lies, in the place of the module that holds all names. */
const NAMES = `
class Names(dict):
    def __iter__(self): 1 / 0
    keys = items = __len__ = copy = __iter__
class Main(type(sys)):
    __dict__ = Names({f"n{n}": n for n in range(1_000_000)}, __name__="__main__")
sys.modules["__main__"] = Main("__main__")`;

onEachPyodide(
  "escape: code that a look calls harms its own entry alone",
  async (options) => {
    await using server = await startServer(options);
    const { session } =
      (await server.call(HOSTILE, { session: "new" })).structured;
    const uri = `run-python://sessions/${session}`;
    const read = async () => {
      while (true) {
        const { contents: [it] } = await server.client.readResource({ uri });
        const { variables, truncated, note } = JSON.parse(Object(it).text);
        if (variables) return { variables: variables as Shown[], truncated };
        // A busy machine takes longer than a reader waits.
        assert(/Code is running/.test(note), note);
      }
    };
    const { variables } = await read();
    const shown = Object.fromEntries(
      variables.filter(({ type }) => !["type", "function"].includes(type))
        .map((
          { name, repr },
        ) => [name.slice(0, 3), repr.replace(/ at .*/, "")]),
    );
    const failed = "<Entry object>";
    assertEquals(shown, {
      ...{ a_l: failed, b_r: failed, c_m: failed, d_f: "\0".repeat(99) + "…" },
      ...{ e_e: failed, f_n: failed, g_d: failed, h_p: "printed" },
      ...{ i_f: "forked", j_s: "sub", k_l: "<__main__.Lies object" },
      ...{ l_s: "<__main__.Strange object", m_w: failed, n_s: failed },
      ...{ o_r: "replaced", p_s: "'\\ud800'", Str: "meta", "r\nr": "1" },
      ...{ q_n: `[${`${failed}, `.repeat(10)}`.slice(0, 99) + "…", z_l: "1" },
    });
    const lies = variables.find(({ name }) => name === "k_lies");
    assertEquals([lies?.size, lies?.shape], [Number.MAX_SAFE_INTEGER, [
      ...[1, 1, Number.MAX_SAFE_INTEGER],
    ]]);
    const after = await server.call(
      "[sys.gettrace(), sum(not t.done() for t in asyncio.all_tasks()) > 1, z_last]",
      { session },
    );
    assertEquals([after.returnValue, after.output], [[null, true, 1], []]);

    const named = await server.call(NAMES, { session, timeout: 60 });
    assertEquals(named.status, "success", named.text);
    const many = await read();
    assertEquals(many.variables.length, 1000);
    assertEquals(many.truncated, { variables: 1_000_000 });
  },
);
