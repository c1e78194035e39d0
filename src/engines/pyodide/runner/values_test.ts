import { loadPyodide } from "pyodide";
import { assert, assertEquals } from "../../../../deps/assert.ts";
import {
  type Arbitrary,
  array,
  assertProperty,
  constantFrom,
  jsonValue,
  letrec,
  oneof,
  option,
  property,
  tuple,
} from "../../../../deps/fast_check.ts";
import { REAL_VALUES } from "../../../../test/support/real_values.ts";
import { RUNNER } from "./modules.ts";

/** Classes that the cases below use; run by Pyodide and by CPython. */
const SETUP = String.raw`
import collections, dataclasses, datetime, decimal, enum, fractions
import pathlib, random, sys, types, typing, unittest.mock, uuid

class Color(enum.Enum): RED = "r"
class Number(enum.IntEnum): ONE = 1
class Word(enum.StrEnum): A = "a"
class Odd(enum.Enum):
    PAIR = (1, 2)
    BYTES = b"\xff"
    OBJECT = object()
class Flags(enum.Flag):
    R = 1
    W = 2

Point = collections.namedtuple("Point", "x y")
class Typed(typing.NamedTuple):
    x: int
    y: str = "b"

@dataclasses.dataclass
class Person:
    name: str
    friend: object = None
    kind: dataclasses.InitVar[int] = 0
    shared: typing.ClassVar[int] = 1

@dataclasses.dataclass(slots=True)
class Slotted:
    a: int = 1

@dataclasses.dataclass
class Trap:
    good: int = 1
    @property
    def bad(self): raise ValueError("no")
    @bad.setter
    def bad(self, value): pass
    bad: int = bad

class Model:
    """Stands in for a pydantic model."""
    def __init__(self, **fields): self.fields = fields
    def model_dump(self): return self.fields
class BrokenModel(Model):
    def model_dump(self): raise ValueError("no")
    def __repr__(self): return "BrokenModel()"
class EndlessModel:
    def model_dump(self): return EndlessModel()
    def __repr__(self): return "EndlessModel()"

class BadRepr:
    def __repr__(self): raise ValueError("no")
class ExitRepr:
    def __repr__(self): sys.exit(3)
class MemoryRepr:
    def __repr__(self): raise MemoryError
class NoStringRepr:
    def __repr__(self): return 1
class EndlessRepr:
    def __repr__(self): return repr(self)
class Fatal(BaseException): pass
class FatalRepr:
    def __repr__(self): raise Fatal
class AllAttributes:
    def __getattr__(self, name): return self
    def __call__(self, *args): return self
    def __iter__(self): return self
    def __next__(self): return self
    def __repr__(self): return "AllAttributes()"
class Liar:
    @property
    def __class__(self): return dict
    def __repr__(self): return "Liar()"
class BadClass:
    @property
    def __class__(self): raise ValueError("no")
    def __repr__(self): return "BadClass()"
class BadAttributes:
    def __getattribute__(self, name): raise ValueError("no")
    def __repr__(self): return "BadAttributes()"
class BadMeta(type):
    def __hash__(self): raise ValueError("no")
    @property
    def __mro__(self): raise ValueError("no")
    @property
    def __name__(self): raise ValueError("no")
    @property
    def __dict__(self): raise ValueError("no")
class WithBadMeta(metaclass=BadMeta):
    def __repr__(self): raise ValueError("no")
class BadModule:
    def __repr__(self): return "BadModule()"
BadModule.__module__ = None

def no(*args): raise ValueError("no")
def hostile(base):
    names = "__iter__ __len__ __getitem__ items keys values __str__ __repr__ __eq__ __lt__ __bool__ __format__ __index__ __int__ __float__ encode isascii"
    return type("Hostile", (base,), dict.fromkeys(names.split(), no) | {"__hash__": base.__hash__})
class EvilText(str):
    def __str__(self): return 5
    def encode(self, *args): return b"evil"
class EvilName(Exception): pass
EvilName.__name__ = EvilText("Evil")
class EvilRepr:
    def __repr__(self): return EvilText("fine")
class RaisesEvil:
    def __repr__(self): raise EvilName

class Growing:
    """Grows what holds it while that is being written."""
    def __repr__(self):
        holder.update({"new %d" % len(holder): 1})
        return "Growing()"
holder = {"a": Growing(), "b": 2}
class SameRepr:
    def __repr__(self): return "same"
class Unordered:
    def __init__(self, name): self.name = name
    def __lt__(self, other): raise ValueError("no")
    def __repr__(self): return self.name

def nested(depth):
    value = []
    for _ in range(depth - 1): value = [value]
    return value
def endless():
    def __repr__(self):
        interrupt()
        while True: pass
    return type("Endless", (), {"__repr__": __repr__})()
def cyclic_list(): value = [1]; value.append(value); return value
def cyclic_dict(): value = {}; value["self"] = {"again": value}; return value
def cyclic_person(): value = Person("Ann"); value.friend = [value]; return value
def cyclic_tuple(): inner = []; value = (inner,); inner.append(value); return value
def shared(): value = [1]; return [value, value]
def moved(): value = collections.OrderedDict(a=1, b=2); value.move_to_end("a"); return value
def bomb():
    value = [0]
    for _ in range(100): value = [value] * 10
    return value

class numpy:
    """Stands in for the package."""
    class generic:
        def __init__(self, value): self.value = value
        def item(self): return self.value
    class floating(generic):
        def __float__(self): return self.value
    class float64(floating, float):
        def __new__(cls, value): return float.__new__(cls, value)
    class datetime64(generic):
        def __str__(self): return "2020-01-02T00:00:00.000000000"
    class ndarray:
        dtype = types.SimpleNamespace(kind="O")
        def __init__(self, items): self.items, self.ndim = items, isinstance(items, list)
        def __len__(self): return len(self.items)
        def __iter__(self): return iter(self.items)
        def __getitem__(self, key): return self.items
for each in vars(numpy).values():
    if isinstance(each, type): each.__module__, each.__qualname__ = "numpy", each.__name__

class Impostor:
    ndim = 1
    def __iter__(self): return iter(int, 1)
    def __len__(self): raise ValueError("no")
    def __repr__(self): return "Impostor()"
Impostor.__module__, Impostor.__name__ = "numpy", "ndarray"
class FalseFrame:
    def __getattr__(self, name): raise ValueError("no")
    def __repr__(self): return "FalseFrame()"
FalseFrame.__module__, FalseFrame.__name__ = "pandas.core.frame", "DataFrame"
`;

/** Python expressions, and the exact JSON text that they become. */
const CASES = String.raw`
# JSON as it is
None → null
[True, False] → [true,false]
[0, -1, 1.5, -2e-9, 1e300, -0.0] → [0,-1,1.5,-2e-09,1e+300,-0.0]
'a "b" \n \x00 é 😀' → "a \"b\" \n \u0000 é 😀"
[[], (), {}, set(), ''] → [[],[],{},[],""]
{'b': [1, (2, None)], 'a': {'c': {}}} → {"b":[1,[2,null]],"a":{"c":{}}}
shared() → [[1],[1]]

# Numbers that JSON or JavaScript does not have
[float('nan'), float('inf'), -float('inf')] → ["NaN","Infinity","-Infinity"]
[2**53 - 1, 1 - 2**53] → [9007199254740991,-9007199254740991]
[2**53, -2**53] → ["9007199254740992","-9007199254740992"]
1 << 10**7 → "<integer of about 3,010,300 digits>"
[1+2j, fractions.Fraction(1, 3)] → ["(1+2j)","Fraction(1, 3)"]

# Text
['a\ud800b', '\\ud800'] → ["a\\ud800b","\\ud800"]
{'\udcff': 1, '\\udcff': 2} → {"\\udcff":1,"\\udcff (2)":2}
['é'.encode(), bytearray(b'ab'), memoryview(b'abcd')[::2]] → ["é","ab","ac"]
[b'\xff\x00', b''] → [{"base64":"/wA="},""]

# Keys
{1: 'a', 2.5: 'b', None: 'c', False: 'd'} → {"1":"a","2.5":"b","null":"c","false":"d"}
{(1, 'a'): 1, frozenset({1}): 2} → {"(1, 'a')":1,"frozenset({1})":2}
{b'k': 1, Color.RED: 2, datetime.date(2020, 1, 2): 3} → {"k":1,"r":2,"2020-01-02":3}
{b'\xff': 1, Odd.PAIR: 2} → {"b'\\xff'":1,"<Odd.PAIR: (1, 2)>":2}
{2**60: 1, float('nan'): 2} → {"1152921504606846976":1,"NaN":2}
{1: 'a', '1': 'b', '1 (2)': 'c'} → {"1":"a","1 (2)":"b","1 (2) (2)":"c"}
{SameRepr(): 1, SameRepr(): 2, SameRepr(): 3} → {"same":1,"same (2)":2,"same (3)":3}
{'__proto__': 1, '': 2} → {"__proto__":1,"":2}
{hostile(str)('k'): 1, BadRepr(): 2} → {"k":1,"<BadRepr object: ValueError>":2}

# Containers
[{3, 1, 2}, frozenset('cab')] → [[1,2,3],["a","b","c"]]
{3, 'a', None, (2,)} → ["a",[2],3,null]
{Unordered('b'), Unordered('a')} → ["a","b"]
moved() → {"b":2,"a":1}
[collections.Counter('aab'), collections.defaultdict(list, a=[1])] → [{"a":2,"b":1},{"a":[1]}]
[range(3), collections.deque([1])] → ["range(0, 3)","deque([1])"]
holder → {"a":"Growing()","b":2}

# Text forms
datetime.datetime(2020, 1, 2, 3, 4, 5, 6, datetime.UTC) → "2020-01-02T03:04:05.000006+00:00"
[datetime.date(2020, 1, 2), datetime.time(3, 4)] → ["2020-01-02","03:04:00"]
datetime.timedelta(days=1, hours=2) → "1 day, 2:00:00"
[decimal.Decimal('1.50'), decimal.Decimal('nan')] → ["1.50","NaN"]
[uuid.UUID(int=1), pathlib.Path('/a/b')] → ["00000000-0000-0000-0000-000000000001","/a/b"]
[Color.RED, Number.ONE, Word.A, Flags.R | Flags.W] → ["r",1,"a",3]
[Odd.PAIR, Odd.BYTES, Odd.OBJECT] → [[1,2],{"base64":"/w=="},"Odd.OBJECT"]

# Objects
Person('Ann', Person('Bob')) → {"name":"Ann","friend":{"name":"Bob","friend":null}}
[Slotted(), Point(1, [2]), Typed(1)] → [{"a":1},{"x":1,"y":[2]},{"x":1,"y":"b"}]
Model(a=1, b=Model(c=datetime.date(2020, 1, 2))) → {"a":1,"b":{"c":"2020-01-02"}}
[Person, Model] → ["<class '__main__.Person'>","<class '__main__.Model'>"]
[len, ValueError('x')] → ["<built-in function len>","ValueError('x')"]

# numpy, as far as stand-ins go
[numpy.generic(2**60), numpy.floating(0.5)] → ["1152921504606846976",0.5]
[numpy.float64(float('nan')), numpy.datetime64(0)] → ["NaN","2020-01-02T00:00:00.000000000"]
numpy.ndarray([numpy.ndarray([1, numpy.generic(True)]), numpy.ndarray(5)]) → [[1,true],5]
[Impostor(), FalseFrame(), numpy] → ["Impostor()","FalseFrame()","<class '__main__.numpy'>"]

# Cycles
cyclic_list() → [1,"<cycle>"]
cyclic_dict() → {"self":{"again":"<cycle>"}}
cyclic_person() → {"name":"Ann","friend":["<cycle>"]}
cyclic_tuple() → [["<cycle>"]]

# Broken and hostile
[1, BadRepr(), ExitRepr()] → [1,"<BadRepr object: ValueError>","<ExitRepr object: SystemExit>"]
[MemoryRepr(), FatalRepr()] → ["<MemoryRepr object: MemoryError>","<FatalRepr object: Fatal>"]
[NoStringRepr(), EndlessRepr()] → ["<NoStringRepr object: TypeError>","<EndlessRepr object: RecursionError>"]
[BrokenModel(), EndlessModel()] → ["BrokenModel()","EndlessModel()"]
[AllAttributes(), Liar(), BadClass()] → ["AllAttributes()","Liar()","BadClass()"]
[BadAttributes(), BadModule(), WithBadMeta()] → ["BadAttributes()","BadModule()","<WithBadMeta object: ValueError>"]
[hostile(list)([1]), hostile(tuple)((1,)), hostile(dict)(a=1)] → [[1],[1],{"a":1}]
[hostile(int)(1), hostile(int)(2**60), hostile(float)(1.5)] → [1,"1152921504606846976",1.5]
[hostile(str)('a'), hostile(bytes)(b'a'), hostile(set)({1, 2})] → ["a","a",[1,2]]
[hostile(frozenset)({1}), hostile(collections.OrderedDict)(a=1)] → [[1],{"a":1}]
[hostile(datetime.date)(2020, 1, 2), hostile(decimal.Decimal)(1)] → ["2020-01-02","<Hostile object: ValueError>"]
[EvilText('a'), EvilRepr(), RaisesEvil()] → ["a","fine","<RaisesEvil object: Evil>"]
Trap() → {"good":1,"bad":"<Trap object: ValueError>"}
repr(unittest.mock.MagicMock())[:10] → "<MagicMock"
`;

const python = await loadPyodide();
python.FS.mkdir("/lib/runner");
for (const name of ["values.py", "tables.py", "integers.py"]) {
  python.FS.writeFile(`/lib/runner/${name}`, RUNNER[name] ?? "");
}
python.runPython(`import sys; sys.path.append("/lib")
from runner.values import table_text, to_json_text`);
python.globals.set("cases", CASES);
python.runPython(SETUP);

for (const line of CASES.split("\n").filter((line) => line.includes(" → "))) {
  Deno.test(`to_json_text() writes ${line}`, () => {
    const [expression = "", expected] = line.split(" → ");
    const text = toJsonText(expression);
    assertEquals(text, expected);
    JSON.parse(text);
  });
}

Deno.test("to_json_text() writes integers of more digits than str() allows", () => {
  assertEquals(toJsonText("-10**5000"), `"-1${"0".repeat(5000)}"`);
  assertEquals(python.runPython("sys.get_int_max_str_digits()"), 4300);
});

Deno.test("to_json_text() cuts what is deeper than 100", () => {
  const brackets = (inside: string) =>
    "[".repeat(100) + inside + "]".repeat(100);
  assertEquals(toJsonText("nested(100)"), brackets(""));
  assertEquals(toJsonText("nested(101)"), brackets('"<too deep>"'));
  assertEquals(toJsonText("nested(3000)"), brackets('"<too deep>"'));
});

Deno.test("table_text() has no text of what is not a table, or cannot be shown", () => {
  const values = ["1", "None", "numpy.generic(1)", "FalseFrame()"];
  for (const value of [...values, "AllAttributes()", "WithBadMeta()"]) {
    assertEquals(python.runPython(`table_text(${value}, 1000)`), undefined);
  }
});

Deno.test("to_json_text() does not need the guest's recursion limit, and leaves it", () => {
  python.runPython("sys.setrecursionlimit(60)");
  assertEquals(toJsonText("nested(90)").length, 180);
  assertEquals(python.runPython("sys.getrecursionlimit()"), 60);
  python.runPython("sys.setrecursionlimit(1000)");
});

Deno.test("to_json_text() is not fooled by mocks", () => {
  const text = toJsonText("[unittest.mock.MagicMock(), unittest.mock.Mock()]");
  const [magic, mock] = JSON.parse(text);
  assert(magic.startsWith("<MagicMock id="));
  assert(mock.startsWith("<Mock id="));
});

Deno.test("to_json_text() stops soon after four times the limit", () => {
  const endings = {
    "[0] * 10**7": ',0,"<9,998,000 more>"]',
    "'x' * 10**7": 'xx<9,996,000 more characters>"',
    "dict.fromkeys(range(10**6))": '"<cut>":"<999,626 more>"}',
    "set(range(10**6))": 'more>"]',
    "[[n] for n in range(10**6)]": 'more>"]',
    "bomb()": '"<9 more>"]',
    "{'x' * 10**7: 1, 2: 3}": '"<cut>":"<1 more>"}',
    "[list(range(10**6)), {'a': 1}]": 'more>"],"<1 more>"]',
  };
  for (const [expression, ending] of Object.entries(endings)) {
    const text = toJsonText(expression, "max_chars=1000");
    assert(text.endsWith(ending), `${expression}: ${text.slice(-80)}`);
    assert(text.length < 12_000, `${expression}: ${text.length}`);
    JSON.parse(text);
  }
});

Deno.test("to_json_text() cuts nothing that the host would not cut too", () => {
  for (const item of ["-0.0", "1.0", "'é'", "{}", "10"]) {
    const text = toJsonText(`[${item}] * 10**5`, "max_chars=1000");
    assert(JSON.stringify(JSON.parse(text)).length > 1000, item);
  }
});

Deno.test("to_json_text() writes all if there is no limit", () => {
  for (const limit of ["None", "float('inf')"]) {
    const text = toJsonText("[1] * 10**6", `max_chars=${limit}`);
    assertEquals(text.length, 2 * 10 ** 6 + 1);
  }
});

Deno.test("to_json_text() lets a timeout end an endless __repr__", () => {
  const buffer = new Uint8Array(new SharedArrayBuffer(1));
  python.setInterruptBuffer(buffer);
  python.globals.set("interrupt", () => {
    buffer[0] = 2;
  });
  const outcome = python.runPython(`
try: outcome = to_json_text([1, {"a": endless()}])
except KeyboardInterrupt: outcome = "interrupted"
outcome`);
  assertEquals(outcome, "interrupted");
  assertEquals(toJsonText("[1]"), "[1]");
});

Deno.test("to_json_text() round trips what JSON has", () => {
  python.runPython("import json");
  const values = jsonValue({ stringUnit: "binary", maxDepth: 6 });
  assertProperty(
    property(values, (value) => {
      python.globals.set("text", JSON.stringify(value));
      const text = toJsonText("json.loads(text)");
      assertEquals(JSON.parse(text), asWritten(value));
    }),
    { numRuns: 1000 },
  );
});

/** JSON's integers that JavaScript has not are strings; of its zeros there is one. */
function asWritten(value: unknown): unknown {
  if (typeof value === "number") {
    const text = JSON.stringify(value);
    const isInteger = /^-?\d+$/.test(text);
    return isInteger && !Number.isSafeInteger(value) ? text : JSON.parse(text);
  }
  if (Array.isArray(value)) return value.map(asWritten);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => [key, asWritten(child)]),
  );
}

Deno.test("to_json_text() writes valid JSON for anything", () => {
  assertProperty(
    property(anyPython(), option(constantFrom(1, 20, 1000)), (it, limit) => {
      const options = limit === null ? "" : `max_chars=${limit}`;
      const text = toJsonText(it, options);
      assert(text.isWellFormed());
      JSON.parse(text);
    }),
    { numRuns: 1000 },
  );
});

/** Expressions of Python: those of the cases, nested in all that can hold them. */
function anyPython(): Arbitrary<string> {
  const cases = CASES.split("\n").filter((line) => line.includes(" → "))
    .map((line) => line.split(" → ")[0] ?? "");
  const keys = constantFrom(
    ..."1|'1'|1.0|(1,)|'\\ud800'|SameRepr()|BadRepr()|Color.RED|None".split(
      "|",
    ),
  );
  return letrec<{ value: string }>((tie) => {
    const values = (most: number) => array(tie("value"), { maxLength: most });
    const pairs = array(tuple(keys, tie("value")), { maxLength: 4 }).map((
      all,
    ) => `{${all.map(([key, value]) => `${key}: ${value}`).join()}}`);
    return {
      value: oneof(
        { maxDepth: 5, withCrossShrink: true },
        constantFrom(...cases),
        values(4).map((all) => `[${all.join()}]`),
        values(4).map((all) => `tuple([${all.join()}])`),
        values(4).map((all) => `hostile(list)([${all.join()}])`),
        pairs,
        pairs.map((all) => `hostile(dict)(${all})`),
        tuple(tie("value"), tie("value")).map((two) => `Person(${two.join()})`),
        tie("value").map((one) => `Model(a=${one})`),
        tie("value").map((one) => `(lambda it: [it, [it], {1: it}])(${one})`),
      ),
    };
  }).value;
}

const IMPORTS = String.raw`
import dataclasses, datetime, json, sys
sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
from runner.values import table_text, to_json_text
if sys.argv[2] == "numpy": import numpy as np
if sys.argv[2] == "pandas": import numpy as np, pandas as pd
if sys.argv[2] == "polars": import polars as pl
if sys.argv[2] == "pyarrow": import pyarrow as pa
if sys.argv[2] == "pydantic": import pydantic, pydantic.dataclasses
def model(**fields): return pydantic.create_model("Model", **fields)
print(json.dumps([to_json_text(eval(line)) for line in sys.argv[3:]]))`;

for (const [name, cases] of Object.entries(REAL_VALUES)) {
  const missing = runPython3([`import ${name}`]).error;
  Deno.test({
    name: `to_json_text() writes values of the real ${name}` +
      (missing ? ` (NOT TESTED: python3 on this machine: ${missing})` : ""),
    ignore: missing !== undefined,
    fn() {
      const lines = cases.trim().split("\n").map((line) => line.split(" → "));
      const expressions = lines.map(([expression = ""]) => expression);
      const { output, error } = runPython3([
        IMPORTS,
        `${import.meta.dirname}/..`,
        name,
        ...expressions,
      ]);
      assertEquals(error, undefined);
      const texts: string[] = JSON.parse(output);
      assertEquals(lines.map(([line], n) => [line, texts[n]]), lines);
    },
  });
}

function runPython3(args: string[]): { output: string; error?: string } {
  try {
    const { code, stdout, stderr } = new Deno.Command("python3", {
      args: ["-c", ...args],
    }).outputSync();
    const output = new TextDecoder().decode(stdout);
    const error = new TextDecoder().decode(stderr).trim().split("\n").at(-1);
    return code === 0 ? { output } : { output, error: error ?? `${code}` };
  } catch (error) {
    return { output: "", error: String(error) };
  }
}

function toJsonText(expression: string, options = ""): string {
  return python.runPython(`to_json_text(${expression}, ${options})`);
}
