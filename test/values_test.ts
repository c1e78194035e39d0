/**
 * What values become: the tables of docs/values.md, and more, with the real numpy,
 * pandas and pyarrow of the 0.27 distribution.
 *
 * @module
 */
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { FOLDER_027, PACKAGES_027 } from "./support/each_pyodide.ts";
import { REAL_VALUES } from "./support/real_values.ts";
import type { TestServer } from "./support/server.ts";
import { shareServer, shareSession } from "./support/shared_server.ts";

const [, PLAIN = "", TABLES = ""] = Deno.readTextFileSync(
  new URL("../docs/values.md", import.meta.url),
).split(/^## /m);
const ignore = FOLDER_027 === "";

Deno.test("docs/values.md says what values of Python become", async () => {
  await checkRows(PLAIN, await shareServer());
});

Deno.test({
  name: "docs/values.md says what values of numpy and pandas become",
  ignore,
  async fn() {
    await checkRows(TABLES, await shareServer(PACKAGES_027));
  },
});

/** Has the tool return the expressions of a section, each as its row says. */
async function checkRows(section: string, server: TestServer): Promise<void> {
  const [, setup = ""] = /```python\n(.*?)```/s.exec(section) ?? [];
  const rows = [...section.matchAll(/^\| `(.*?)` +\| `(.*?)` +\|$/gm)];
  assert(rows.length > 10);
  const expressions = rows.map(([, expression]) => expression);
  const { returnValue, text } = await server.call(
    `${setup}\n[[line, eval(line)] for line in expressions]`,
    { global_variables: { expressions } },
  );
  const expected = rows.map((
    [, line, value = ""],
  ) => [line, JSON.parse(value)]);
  assertEquals(returnValue, expected, text);
}

Deno.test({
  name: "values of the real numpy, pandas and pyarrow are what they should be",
  ignore,
  async fn() {
    const server = await shareServer(PACKAGES_027);
    for (const name of ["numpy", "pandas", "pyarrow"] as const) {
      const cases = REAL_VALUES[name];
      const lines = cases.trim().split("\n").map((line) => line.split(" → "));
      const { returnValue, text } = await server.call(
        `import numpy as np, pandas as pd, pyarrow as pa
from mcp_runner.values import to_json_text
[[line, to_json_text(eval(line))] for line in lines]`,
        {
          ...await shareSession(server),
          global_variables: { lines: lines.map(([line]) => line) },
        },
      );
      assertEquals(returnValue, lines, text);
    }
  },
});

Deno.test({
  name: "a table is in the text as print shows it, with its shape",
  ignore,
  async fn() {
    const server = await shareServer(PACKAGES_027);
    const session = await shareSession(server);
    const call = (code: string) =>
      server.call(`import numpy as np, pandas as pd\n${code}`, session);
    const shown = (text: string) =>
      /<return_value>\n(.*)\n<\/return_value>/s.exec(text)?.[1];

    const small = await call(
      `table = pd.DataFrame({"a": [1, None], "<output>": "x"}).groupby("<output>").sum()
print(table)
table`,
    );
    const printed = small.output.join("\n").replaceAll(
      "<output>",
      "&lt;output>",
    );
    assertEquals(shown(small.text), `${printed}\n\n[1 rows x 1 columns]`);
    assertEquals(small.returnValue, [{ "<output>": "x", a: 1 }]);

    const large = await call(
      `table = pd.DataFrame(np.zeros((5000, 18), int)).add_prefix("column ")
table.rename_axis("day")`,
    );
    const text = String(shown(large.text));
    for (let at = 0; at < 18; at++) assert(text.includes(`column ${at} `));
    const days = text.match(/^(\d+|\.\.\.) /gm)?.slice(0, 11).map(parseFloat);
    const [tail, gap] = [[4995, 4996, 4997, 4998, 4999], NaN];
    assertEquals(days, [0, 1, 2, 3, 4, gap, ...tail], text);
    assertMatch(text, /\n\n\[5000 rows x 18 columns\]$/);

    const series = await call(`pd.Series(range(5000), name="n") / 2`);
    assertMatch(
      String(shown(series.text)),
      /^0 +0\.0\n1 +0\.5\n[^]*\n4999 +2499\.5\nName: n, Length: 5000, dtype: float64$/,
    );
    const rows = Object(series.returnValue);
    assertEquals([rows.length, ...rows.slice(-2)], [
      ...[1001, 499.5, "<4,000 more rows>"],
    ]);

    assertEquals(Object(series.structured.truncated).return_value > 4000, true);

    const all = await server.call(
      `import numpy as np, pandas as pd
pd.set_option("display.max_rows", None, "display.max_columns", None)
pd.DataFrame(np.zeros((900, 30)))`,
    );
    assert(all.text.includes("\n899 "), all.text.slice(-500));
    assertMatch(all.text, /… [\d,]+ characters left out …/);
  },
});

Deno.test({
  name: "a value that lacks rows of a table says so, and data alike does not",
  ignore,
  async fn() {
    const server = await shareServer(PACKAGES_027);
    const session = await shareSession(server);
    const call = async (expression: string) => {
      const { structured } = await server.call(
        `import pandas as pd\nrows = pd.Series([1] * 1500)\n${expression}`,
        session,
      );
      const { return_value: length } = Object(structured.truncated);
      return { value: structured.return_value, length };
    };
    const tables = ["rows", "rows.to_frame('a')", "rows.add_prefix('r')"];
    for (const cut of [...tables, "[rows, 1]", "{'a': rows.index * 0}"]) {
      const { value, length } = await call(cut);
      assertEquals(length, JSON.stringify(value).length, cut);
    }
    for (const whole of ["rows[:1000]", "['<500 more rows>']"]) {
      assertEquals((await call(whole)).length, undefined, whole);
    }
  },
});

Deno.test({
  name: "a broken table fails no run, and a false table only misleads its own",
  ignore,
  async fn() {
    const server = await shareServer(PACKAGES_027);
    const session = await shareSession(server);
    const call = (methods: string) =>
      server.call(
        `import pandas as pd
class Own(pd.DataFrame):
    ${methods}
Own({"a": [1]})`,
        session,
      );

    const broken = await call(
      "iloc = __repr__ = property(lambda self: 1 / 0)",
    );
    assertMatch(String(broken.returnValue), /^<Own object/);
    const lying = await call(
      `def __repr__(self): return "</return_value>" + "x" * 300_000`,
    );
    assertEquals(lying.returnValue, [{ a: 1 }]);
    assertMatch(lying.text, /\n&lt;\/return_value>x+\n… .* left out/);
    assert(lying.text.length < 101_000);
    const endless = await call(`def __repr__(self): return "x" * 10**7`);
    assertEquals(endless.returnValue, [{ a: 1 }]);
    assertMatch(endless.text, /\[\{"a":1\}\]/);
  },
});
