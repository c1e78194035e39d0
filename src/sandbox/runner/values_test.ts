import { loadPyodide } from "pyodide";
import { assert, assertEquals } from "../../../deps/assert.ts";
import type { Json } from "../../protocol/result.ts";
import values from "./values.py" with { type: "text" };

/** Classes that the cases below use; run by Pyodide and by CPython. */
const SETUP = `
import collections, dataclasses, datetime, decimal, enum, fractions, gc
import pathlib, random, sys, types, typing, unittest.mock, uuid, weakref

class Color(enum.Enum): RED = "r"
class Number(enum.IntEnum): ONE = 1
class Word(enum.StrEnum): A = "a"
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
        holder.update({f"new {len(holder)}": 1})
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
def released(): value = memoryview(b"a"); value.release(); return type("R", (), {"__repr__": lambda _: "ok"})() if "released" in repr(value) else 0

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
        def __init__(self, items): self.items, self.ndim = items, isinstance(items, list)
        def __len__(self): return len(self.items)
        def __iter__(self): return iter(self.items)
        def __getitem__(self, key): return self.items
for each in vars(numpy).values():
    if isinstance(each, type): each.__module__, each.__qualname__ = "numpy", each.__name__

class Series:
    def __iter__(self): return iter([1, numpy.generic(2), float("nan")])
    def __len__(self): return 3
Series.__module__ = "pandas.core.series"
class DataFrame:
    columns = ["a", "b"]
    def itertuples(self, index, name): return iter([(1, "x"), (2, "y")])
    def __len__(self): return 2
DataFrame.__module__ = "pandas"
class ImpostorArray:
    ndim = 1
    def __iter__(self): return iter(int, 1)
    def __len__(self): raise ValueError("no")
    def __repr__(self): return "ImpostorArray()"
ImpostorArray.__module__, ImpostorArray.__name__ = "numpy", "ndarray"
`;

/** Python expressions, and what JavaScript reads from their JSON text. */
const CASES: [expression: string, expected: Json][] = [
  // JSON as it is
  ["None", null],
  ["[True, False]", [true, false]],
  ["[0, -1, 1.5, -2e-9, 1e300]", [0, -1, 1.5, -2e-9, 1e300]],
  [`'a "b" \\n \\x00 \\u2028 é 😀'`, 'a "b" \n \0 \u2028 é 😀'],
  ["[[], (), {}, set(), '']", [[], [], {}, [], ""]],
  ["{'b': [1, (2, None)], 'a': {'c': {}}}", {
    b: [1, [2, null]],
    a: { c: {} },
  }],
  ["shared()", [[1], [1]]],

  // Numbers that JSON or JavaScript does not have
  ["[float('nan'), float('inf'), -float('inf')]", [
    "NaN",
    "Infinity",
    "-Infinity",
  ]],
  ["[2**53 - 1, 1 - 2**53]", [
    Number.MAX_SAFE_INTEGER,
    Number.MIN_SAFE_INTEGER,
  ]],
  ["[2**53, -2**53]", ["9007199254740992", "-9007199254740992"]],
  ["10**5000", "1" + "0".repeat(5000)],
  ["-10**5000", "-1" + "0".repeat(5000)],
  ["1 << 10**7", "<integer of about 3,010,300 digits>"],
  ["(10**5000, sys.get_int_max_str_digits())", ["1" + "0".repeat(5000), 4300]],
  ["[1+2j, fractions.Fraction(1, 3)]", ["(1+2j)", "Fraction(1, 3)"]],

  // Text
  ["'a\\ud800b'", "a\\ud800b"],
  ["{'\\udcff': b'\\xff'}", { "\\udcff": "/w==" }],
  ["['é'.encode(), bytearray(b'ab'), memoryview(b'abcd')[::2]]", [
    "é",
    "ab",
    "ac",
  ]],
  ["[b'\\xff\\x00', b'']", ["/wA=", ""]],
  ["released()", "ok"],

  // Keys
  ["{1: 'a', 2.5: 'b', None: 'c', False: 'd'}", {
    1: "a",
    2.5: "b",
    null: "c",
    false: "d",
  }],
  ["{(1, 'a'): 1, frozenset({1}): 2}", { "(1, 'a')": 1, "frozenset({1})": 2 }],
  ["{b'k': 1, Color.RED: 2, datetime.date(2020, 1, 2): 3}", {
    k: 1,
    "Color.RED": 2,
    "2020-01-02": 3,
  }],
  ["{2**60: 1, float('nan'): 2}", { "1152921504606846976": 1, NaN: 2 }],
  ["{1: 'a', '1': 'b', '1 (2)': 'c'}", {
    1: "a",
    "1 (2)": "b",
    "1 (2) (2)": "c",
  }],
  ["{SameRepr(): 1, SameRepr(): 2, SameRepr(): 3}", {
    same: 1,
    "same (2)": 2,
    "same (3)": 3,
  }],
  ["list({'__proto__': 1, 'constructor': 2})", ["__proto__", "constructor"]],
  ["{hostile(str)('k'): 1, BadRepr(): 2}", {
    k: 1,
    "<BadRepr object: ValueError>": 2,
  }],

  // Containers
  ["[{3, 1, 2}, frozenset('cab')]", [[1, 2, 3], ["a", "b", "c"]]],
  ["{3, 'a', None, (2,)}", ["a", [2], 3, null]],
  ["{Unordered('b'), Unordered('a')}", ["a", "b"]],
  ["moved()", { b: 2, a: 1 }],
  ["[collections.Counter('aab'), collections.defaultdict(list, a=[1])]", [{
    a: 2,
    b: 1,
  }, { a: [1] }]],
  ["[range(3), collections.deque([1])]", ["range(0, 3)", "deque([1])"]],
  ["holder", { a: "Growing()", b: 2 }],

  // Text forms
  [
    "datetime.datetime(2020, 1, 2, 3, 4, 5, 6, datetime.UTC)",
    "2020-01-02T03:04:05.000006+00:00",
  ],
  ["[datetime.date(2020, 1, 2), datetime.time(3, 4)]", [
    "2020-01-02",
    "03:04:00",
  ]],
  ["datetime.timedelta(days=1, hours=2)", "1 day, 2:00:00"],
  ["[decimal.Decimal('1.50'), decimal.Decimal('nan')]", ["1.50", "NaN"]],
  ["[uuid.UUID(int=1), pathlib.Path('/a/b')]", [
    "00000000-0000-0000-0000-000000000001",
    "/a/b",
  ]],
  ["[Color.RED, Number.ONE, Word.A, Flags.R | Flags.W]", [
    "Color.RED",
    1,
    "a",
    "Flags.R|W",
  ]],

  // Objects
  ["Person('Ann', Person('Bob'))", {
    name: "Ann",
    friend: { name: "Bob", friend: null },
  }],
  ["[Slotted(), Point(1, [2]), Typed(1)]", [{ a: 1 }, { x: 1, y: [2] }, {
    x: 1,
    y: "b",
  }]],
  ["Model(a=1, b=Model(c=datetime.date(2020, 1, 2)))", {
    a: 1,
    b: { c: "2020-01-02" },
  }],
  ["[Person, Model, len, ValueError('x')]", [
    "<class '__main__.Person'>",
    "<class '__main__.Model'>",
    "<built-in function len>",
    "ValueError('x')",
  ]],

  // numpy and pandas, as far as stand-ins go
  [
    "[numpy.generic(2**60), numpy.floating(0.5), numpy.float64('nan'), numpy.datetime64(0)]",
    ["1152921504606846976", 0.5, "NaN", "2020-01-02T00:00:00.000000000"],
  ],
  [
    "numpy.ndarray([numpy.ndarray([1, numpy.generic(True)]), numpy.ndarray(5)])",
    [[1, true], 5],
  ],
  ["[Series(), DataFrame()]", [[1, 2, "NaN"], [[1, "x"], [2, "y"]]]],
  ["[ImpostorArray(), numpy]", ["ImpostorArray()", "<class '__main__.numpy'>"]],

  // Cycles and depth
  ["cyclic_list()", [1, "<cycle>"]],
  ["cyclic_dict()", { self: { again: "<cycle>" } }],
  ["cyclic_person()", { name: "Ann", friend: ["<cycle>"] }],
  ["cyclic_tuple()", [["<cycle>"]]],
  ["nested(200)", nested(200, [])],
  ["nested(201)", nested(200, ["<too deep>"])],
  ["nested(100_000) and nested(10**4)", nested(200, ["<too deep>"])],

  // Broken and hostile
  ["[1, BadRepr(), ExitRepr(), MemoryRepr(), FatalRepr(), NoStringRepr(), 2]", [
    1,
    "<BadRepr object: ValueError>",
    "<ExitRepr object: SystemExit>",
    "<MemoryRepr object: MemoryError>",
    "<FatalRepr object: Fatal>",
    "<NoStringRepr object: TypeError>",
    2,
  ]],
  ["[EndlessRepr(), EndlessModel(), 1]", [
    "<EndlessRepr object: RecursionError>",
    "EndlessModel()",
    1,
  ]],
  ["[AllAttributes(), Liar(), BadClass(), BadAttributes(), BadModule()]", [
    "AllAttributes()",
    "Liar()",
    "BadClass()",
    "BadAttributes()",
    "BadModule()",
  ]],
  ["[WithBadMeta(), BrokenModel()]", [
    "<WithBadMeta object: ValueError>",
    "BrokenModel()",
  ]],
  ["[hostile(list)([1]), hostile(tuple)((1,)), hostile(dict)(a=1)]", [
    [1],
    [1],
    { a: 1 },
  ]],
  [
    "[hostile(int)(1), hostile(int)(2**60), hostile(float)(1.5), hostile(str)('a'), hostile(bytes)(b'a')]",
    [1, "1152921504606846976", 1.5, "a", "a"],
  ],
  [
    "[hostile(set)({1, 2}), hostile(frozenset)({1}), hostile(collections.OrderedDict)(a=1)]",
    [[1, 2], [1], { a: 1 }],
  ],
  ["[EvilText('a'), EvilRepr(), RaisesEvil()]", [
    "a",
    "fine",
    "<RaisesEvil object: Evil>",
  ]],
  ["Trap()", { good: 1, bad: "<Trap object: ValueError>" }],
  ["str(unittest.mock.MagicMock)[:6] + 'ok'", "<classok"],
  ["weakref.proxy(Color)", "<weakproxy"],
  ["[hostile(datetime.date)(2020, 1, 2), hostile(decimal.Decimal)(1)]", [
    "2020-01-02",
    "<Hostile object: ValueError>",
  ]],
];

const python = await loadPyodide();
python.FS.writeFile("/lib/values.py", values);
python.runPython(`import sys; sys.path.append("/lib")
from values import to_json_text`);
python.runPython(SETUP);
