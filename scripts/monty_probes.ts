/**
 * Programs that probe the language of Monty: each ends with `True` if Monty has the
 * feature. `monty_table.ts` runs them.
 *
 * @module
 */

export type Probe = readonly [feature: string, code: string];

/** By the headings of the table. */
export const PROBES: Readonly<Record<string, readonly Probe[]>> = {
  "Statements": [
    [
      "`for`, `while`, `break`, `continue`, `else` of loops",
      "n = 0\nwhile True:\n  n += 1\n  if n > 3: break\nfor i in range(3):\n  if i == 1: continue\nelse:\n  x = i\nx == 2 and n == 4",
    ],
    [
      "`try`, `except`, `else`, `finally`",
      "try:\n  1 / 0\nexcept ZeroDivisionError as e:\n  x = str(e)\nelse:\n  x = ''\nfinally:\n  y = 1\nx == 'division by zero' and y == 1",
    ],
    [
      "`except*`",
      "try:\n  raise ExceptionGroup('a', [ValueError()])\nexcept* ValueError:\n  x = True\nx",
    ],
    [
      "`raise … from …`",
      "try:\n  raise ValueError('a') from KeyError('b')\nexcept ValueError as e:\n  x = str(e)\nx == 'a'",
    ],
    [
      "`__cause__` of an exception",
      "try:\n  raise ValueError('a') from KeyError('b')\nexcept ValueError as e:\n  x = e.__cause__\nrepr(x) == \"KeyError('b')\"",
    ],
    [
      "`with`",
      "class C:\n  def __enter__(self): return 1\n  def __exit__(self, *a): return None\nwith C() as c: x = c\nx == 1",
    ],
    ["`match`", "match [1, 2]:\n  case [a, b]: x = a + b\nx == 3"],
    ["`del x`", "x = 1\ndel x\nTrue"],
    ["`del d[key]`", "d = {1: 2}\ndel d[1]\nd == {}"],
    [
      "`assert`",
      "try:\n  assert 1 == 2, 'no'\nexcept AssertionError as e:\n  x = str(e)\n'no' in x",
    ],
    [
      "`global`, `nonlocal`",
      "m = 0\ndef f():\n  global m\n  m = 5\n  n = 1\n  def g():\n    nonlocal n\n    n += 1\n  g()\n  return n\nf() == 2 and m == 5",
    ],
    ["assignment expressions (`:=`)", "(n := 3) == 3"],
    ["unpacking with a star", "a, *b = [1, 2, 3]\nb == [2, 3]"],
    ["annotations of variables", "x: int = 1\nx == 1"],
    ["`type X = int`", "type X = int\nTrue"],
  ],
  "Functions and classes": [
    [
      "default, keyword-only and positional-only parameters",
      "def f(a, /, b=2, *c, d, **e): return [a, b, c, d, e]\nf(1, d=4, z=5) == [1, 2, (), 4, {'z': 5}]",
    ],
    ["`lambda`, closures", "f = lambda x: lambda y: x + y\nf(1)(2) == 3"],
    [
      "decorators of functions",
      "def d(f): return lambda: f() + 1\n@d\ndef f(): return 1\nf() == 2",
    ],
    ["`yield`, generators", "def f():\n  yield 1\nlist(f()) == [1]"],
    ["generator expressions", "sum(x for x in range(4)) == 6"],
    [
      "classes with methods and attributes",
      "class C:\n  n = 1\n  def __init__(self, x): self.x = x\n  def f(self): return self.x + self.n\nC(2).f() == 3",
    ],
    [
      "inheritance",
      "class A:\n  pass\nclass B(A):\n  pass\nisinstance(B(), A)",
    ],
    [
      "operators of classes (`__add__`, `__eq__`, `__repr__`)",
      "class C:\n  def __add__(self, o): return 7\n  def __eq__(self, o): return True\n  def __repr__(self): return 'C'\nC() + 1 == 7 and C() == 1 and repr(C()) == 'C'",
    ],
    [
      "`@property`",
      "class C:\n  @property\n  def x(self): return 1\nC().x == 1",
    ],
    [
      "`@staticmethod`, `@classmethod`",
      "class C:\n  @staticmethod\n  def f(): return 1\n  @classmethod\n  def g(cls): return cls.f()\nC.g() == 1",
    ],
    [
      "`@dataclass`",
      "from dataclasses import dataclass\n@dataclass\nclass P:\n  x: int\n  y: int = 2\nP(1) == P(1, 2)",
    ],
    [
      "own exceptions (`class E(Exception)`)",
      "class E(Exception): pass\ntry:\n  raise E('a')\nexcept E as e:\n  x = str(e)\nx == 'a'",
    ],
    [
      "`async def`, `await`, `asyncio.gather`",
      "import asyncio\nasync def f(n):\n  await asyncio.sleep(0)\n  return n\n(await asyncio.gather(f(1), f(2))) == [1, 2]",
    ],
    [
      "`async with`",
      "import asyncio\nclass C:\n  async def __aenter__(self): return 1\n  async def __aexit__(self, *a): return None\nasync def f():\n  async with C() as c: return c\n(await f()) == 1",
    ],
    [
      "`super()`",
      "class A:\n  def f(self): return 1\nclass B(A):\n  def f(self): return super().f() + 1\nB().f() == 2",
    ],
  ],
  "Expressions and types": [
    [
      "integers of any size",
      "2 ** 200 - 2 ** 200 + 1 == 1 and 2 ** 200 > 10 ** 60",
    ],
    ["`complex`", "(1 + 2j) * 1j == -2 + 1j"],
    ["f-strings with formats", "f'{3.14159:.2f} {5:>3} {7!r}' == '3.14   5 7'"],
    ["`str.format`", "'{:>4}|{a}'.format(1, a=2) == '   1|2'"],
    ["`%` of strings", "'%03d %s' % (7, 'a') == '007 a'"],
    [
      "comprehensions",
      "{k: v for k, v in zip('ab', [1, 2])} == {'a': 1, 'b': 2}",
    ],
    [
      "slices",
      "[1, 2, 3, 4][::-2] == [4, 2]",
    ],
    [
      "slices as a target",
      "x = [1, 2, 3, 4]\nx[1:3] = [9]\nx == [1, 9, 4]",
    ],
    [
      "`set` and `frozenset`",
      "{1, 2} & {2, 3} == {2} and frozenset([1]) == {1}",
    ],
    ["`bytes`", "b'ab' + 'c'.encode() == b'abc'"],
    ["`bytes` of a list", "bytes([99]) == b'c'"],
    ["`bytearray`", "bytearray(b'ab')[0] == 97"],
    ["`memoryview`", "memoryview(b'ab')[0] == 97"],
    [
      "`sorted` with `key` and `reverse`",
      "sorted([3, 1, 2], key=lambda x: -x) == [3, 2, 1]",
    ],
    ["`isinstance`, `type`", "isinstance(1, (int, str)) and type(1) is int"],
    [
      "`map`, `filter`, `zip`, `enumerate`, `reversed`",
      "list(map(str, filter(None, [0, 1]))) == ['1'] and list(zip([1], reversed([1, 2]))) == [(1, 2)] and list(enumerate('a')) == [(0, 'a')]",
    ],
    ["`eval`", "eval('1 + 1') == 2"],
    ["`exec`", "exec('x = 1') is None"],
    [
      "`getattr`, `setattr`, `hasattr`",
      "class C: pass\nc = C()\nsetattr(c, 'a', 1)\ngetattr(c, 'a') == 1 and not hasattr(c, 'b')",
    ],
    [
      "`open`",
      "with open('a.txt', 'w') as f: f.write('x')\nopen('a.txt').read() == 'x'",
    ],
    ["`input`", "input() == ''"],
  ],
  "Modules": [
    ...([
      ["asyncio", "asyncio.sleep"],
      ["base64", "base64.b64encode(b'a') == b'YQ=='"],
      ["bisect", "bisect.bisect([1, 2], 1) == 1"],
      ["collections", "collections.Counter('aab')['a'] == 2"],
      ["copy", "copy.deepcopy([1]) == [1]"],
      ["csv", "csv.reader"],
      ["dataclasses", "dataclasses.dataclass"],
      ["datetime", "datetime.date(2024, 2, 29).isoformat() == '2024-02-29'"],
      [
        "decimal",
        "decimal.Decimal('0.1') + decimal.Decimal('0.2') == decimal.Decimal('0.3')",
      ],
      ["enum", "enum.Enum"],
      ["fractions", "fractions.Fraction(1, 3)"],
      ["functools", "functools.reduce(lambda a, b: a + b, [1, 2]) == 3"],
      ["hashlib", "hashlib.sha256(b'').hexdigest()[:6] == 'e3b0c4'"],
      ["heapq", "heapq.nsmallest(1, [2, 1]) == [1]"],
      ["io", "io.StringIO('a').read() == 'a'"],
      ["itertools", "list(itertools.chain([1], [2])) == [1, 2]"],
      ["json", "json.loads(json.dumps({'a': [1]})) == {'a': [1]}"],
      ["math", "math.isclose(math.sin(math.pi), 0, abs_tol=1e-9)"],
      ["operator", "operator.add(1, 2) == 3"],
      ["os", "os.getenv('NOT_THERE') is None"],
      ["pathlib", "pathlib.Path('/a') / 'b' == pathlib.Path('/a/b')"],
      ["random", "0 <= random.random() < 1"],
      ["re", "re.sub('a+', 'b', 'caat') == 'cbt'"],
      ["statistics", "statistics.mean([1, 3]) == 2"],
      ["string", "string.ascii_lowercase[:3] == 'abc'"],
      ["struct", "struct.pack('<H', 1) == b'\\x01\\x00'"],
      ["sys", "sys.version_info[0] == 3"],
      ["textwrap", "textwrap.dedent(' a') == 'a'"],
      ["time", "time.time() > 0"],
      ["tomllib", "tomllib.loads('a = 1') == {'a': 1}"],
      ["typing", "typing.Any"],
      ["urllib.parse", "urllib.parse.quote('a b') == 'a%20b'"],
      ["uuid", "len(str(uuid.uuid4())) == 36"],
      ["zoneinfo", "zoneinfo.ZoneInfo('UTC')"],
    ].map(([name, code]): Probe => [
      `\`${name}\``,
      `import ${name}\nbool(${code})`,
    ])),
    ["packages (`numpy`, `pandas`, …)", "import numpy\nTrue"],
  ],
};
