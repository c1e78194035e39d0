/**
 * Tracebacks of results: the code's own frames are whole, those of libraries in short.
 *
 * @module
 */
import { assertEquals, assertMatch } from "../deps/assert.ts";
import { onEachPyodide } from "./support/each_pyodide.ts";
import { shareServer, shareSession } from "./support/shared_server.ts";

/** Code, and its traceback: lines, of which `…` stands for any number and name. */
const TRACEBACKS: Record<string, [code: string, lines: string[]]> = {
  "a few frames of a library": [
    `open("own.py", "w").write("import json\\ndef load(text):\\n    return json.loads(text)\\n")
import own
own.load("{")`,
    [
      ...['  File "call 1", line 3, in <module>', '    own.load("{")'],
      "    ~~~~~~~~^^^^^",
      ...['  File "/workspace/own.py", line 3, in load'],
      ...["    return json.loads(text)", "           ~~~~~~~~~~^^^^^^"],
      '  File ".../json/__init__.py", line …, in loads',
      '  File ".../json/decoder.py", line …, in decode',
      '  File ".../json/decoder.py", line …, in raw_decode',
      "json.decoder.JSONDecodeError: …",
    ],
  ],
  "many, with code of the user between": [
    `import copy
class Own:
    def __deepcopy__(self, memo):
        raise ValueError("no")
copy.deepcopy([[[[[Own()]]]]])`,
    [
      ...['  File "call 2", line 5, in <module>'],
      ...["    copy.deepcopy([[[[[Own()]]]]])"],
      "    ~~~~~~~~~~~~~^^^^^^^^^^^^^^^^^",
      '  File ".../copy.py", line …, in deepcopy',
      "  … 8 more frames of copy",
      '  File ".../copy.py", line …, in _deepcopy_list',
      '  File ".../copy.py", line …, in deepcopy',
      '  File "call 2", line 4, in __deepcopy__',
      ...['    raise ValueError("no")', "ValueError: no"],
    ],
  ],
  "chains, groups and notes": [
    `import json
errors = []
try:
    json.loads("{")
except ValueError as error:
    error.add_note("a note")
    raise ExceptionGroup("both", [error]) from error`,
    [
      '  File "call 3", line 4, in <module>',
      ...['    json.loads("{")', "    ~~~~~~~~~~^^^^^"],
      '  File ".../json/__init__.py", line …, in loads',
      '  File ".../json/decoder.py", line …, in decode',
      '  File ".../json/decoder.py", line …, in raw_decode',
      ...["json.decoder.JSONDecodeError: …", "a note", ""],
      "The above exception was the direct cause of the following exception:",
      ...["", "  + Exception Group Traceback (most recent call last):"],
      '  |   File "call 3", line 7, in <module>',
      '  |     raise ExceptionGroup("both", [error]) from error',
      "  | ExceptionGroup: both (1 sub-exception)",
      "  +-+---------------- 1 ----------------",
      "    | Traceback (most recent call last):",
      '    |   File "call 3", line 4, in <module>',
      ...['    |     json.loads("{")', "    |     ~~~~~~~~~~^^^^^"],
      '    |   File ".../json/__init__.py", line …, in loads',
      '    |   File ".../json/decoder.py", line …, in decode',
      '    |   File ".../json/decoder.py", line …, in raw_decode',
      "    | json.decoder.JSONDecodeError: …",
      ...["    | a note", "    +------------------------------------"],
    ],
  ],
  "causes within libraries": [
    `from collections import ChainMap
ChainMap({}).pop("x")`,
    [
      ...["KeyError: 'x'", ""],
      "During handling of the above exception, another exception occurred:",
      ...["", "Traceback (most recent call last):"],
      ...['  File "call 4", line 2, in <module>', '    ChainMap({}).pop("x")'],
      ...["    ~~~~~~~~~~~~~~~~^^^^^"],
      '  File ".../collections/__init__.py", line …, in pop',
      "KeyError: …",
    ],
  ],
  "long messages": [
    `raise ValueError("a" * 1500 + "b" * 1500)`,
    [
      ...['  File "call 5", line 1, in <module>'],
      '    raise ValueError("a" * 1500 + "b" * 1500)',
      `ValueError: ${"a".repeat(1000)}… 1,000 characters left out …${
        "b".repeat(1000)
      }`,
    ],
  ],
  "recursion of a library": [
    `import copy
nested = []
for _ in range(2000): nested = [nested]
copy.deepcopy(nested)`,
    [
      ...['  File "call 6", line 4, in <module>'],
      ...["    copy.deepcopy(nested)", "    ~~~~~~~~~~~~~^^^^^^^^"],
      '  File ".../copy.py", line …, in deepcopy',
      "  … … more frames of copy",
      '  File ".../copy.py", line …, in …',
      ...['  File ".../copy.py", line …, in …', "RecursionError: …"],
    ],
  ],
  "recursion of code": [
    "def again(n): return again(n + 1)\nagain(0)",
    [
      ...['  File "call 7", line 2, in <module>', "    again(0)"],
      "    ~~~~~^^^",
      ...Array(3).fill([
        ...['  File "call 7", line 1, in again'],
        "    def again(n): return again(n + 1)",
        "                         ~~~~~^^^^^^^",
      ]).flat(),
      ...["  [Previous line repeated … more times]", "RecursionError: …"],
    ],
  ],
  "a syntax error in a library": [
    `import ast
ast.literal_eval("1 +")`,
    [
      ...['  File "call 8", line 2, in <module>'],
      ...['    ast.literal_eval("1 +")', "    ~~~~~~~~~~~~~~~~^^^^^^^"],
      '  File ".../ast.py", line …, in literal_eval',
      '  File ".../ast.py", line …, in parse',
      ...['  File "<unknown>", line 1', "    1 +", "SyntaxError: …"],
    ],
  ],
};

onEachPyodide(
  "tracebacks: frames of libraries are one line each, or counted, and those of code are whole",
  async (options) => {
    const server = await shareServer(options);
    const session = await shareSession(server);
    let calls = 1;
    for (const [name, [code, lines]] of Object.entries(TRACEBACKS)) {
      const { error = "" } = await server.call(code, session);
      // Older versions of Python have no carets for a whole line.
      const said = error.split("\n").filter((line) =>
        !/^[ |]+[~^]+$/.test(line)
      );
      const wanted = lines.filter((line) => !/^[ |]+[~^]+$/.test(line))
        .map((line) => line.replace(/"call \d+"/, `"call ${calls + 1}"`));
      const header = "Traceback (most recent call last):";
      const pattern = [...(wanted.includes(header) ? [] : [header]), ...wanted]
        .map((line) =>
          RegExp.escape(line).replaceAll(RegExp.escape("…"), ".+")
        );
      assertMatch(said.join("\n"), new RegExp(`^${pattern.join("\n")}$`), name);
      calls++;
      if (options.length === 0) {
        const carets = (text: string[]) =>
          text.filter((line) => /^[ |]+[~^]+$/.test(line));
        assertEquals(carets(error.split("\n")), carets(lines), name);
      }
    }
    const whole = await server.call(
      `try: raise ValueError("a" * 3000)
except ValueError as error: print(len(str(error)))`,
      session,
    );
    assertEquals(whole.output, ["3000"]);
    // What code prints itself is Python's own.
    const { output } = await server.call(
      `import json, traceback
try: json.loads("{")
except ValueError: traceback.print_exc()`,
      session,
    );
    assertMatch(output.join("\n"), /File "\/lib\/python[\w./]+\/json\/decoder/);
  },
);
