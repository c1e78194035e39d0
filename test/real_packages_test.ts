/**
 * Packages that people ask for, from the real index; skipped without a network.
 *
 * @module
 */
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { log } from "../src/log.ts";
import { makeCache } from "./support/cache.ts";
import { command, WITHOUT_NET } from "./support/command.ts";
import { ALL_ROUNDS } from "./support/rounds.ts";
import { listen, startServer, WANTED } from "./support/server.ts";

const PACKAGES = {
  "pydantic": "pydantic",
  "rich": "rich",
  "msgpack": "msgpack",
  "beautifulsoup4": "bs4",
  "python-dateutil": "dateutil",
  "attrs": "attrs",
  "httpx": "httpx",
  // 2,000 files to compile.
  ...(ALL_ROUNDS ? { "sympy": "sympy", "networkx": "networkx" } : {}),
};
/** Their wheels, or those of what they need, are in the Pyodide distribution only. */
const NATIVE = ["jinja2", "pyyaml"];

const sources = await askSources();
const index = /package index.*/i.exec(sources)?.[0] ?? "doctor does not say";
const ignore = !index.endsWith(" answers");
if (ignore) log(`skipped: packages of the real index: ${index}`);

Deno.test({
  name:
    "packages that people ask for install together, and run without a network",
  ignore,
  async fn() {
    await using cache = await makeCache();
    const deps = ["--deps", Object.keys(PACKAGES).join()];
    const installed = await cache.command([...deps, "install"]);
    assertEquals(installed.code, 0, installed.stderr);
    const names = Object.values(PACKAGES);
    const code = `import sys
print([name for name in ${JSON.stringify(names)} if name not in sys.modules])
import ${names.join()}
class City(pydantic.BaseModel):
    people: list[int]
print(City(people=["1"]), msgpack.unpackb(msgpack.packb([1])))`;
    const run = await cache.command(
      [...deps, "--offline", "run", "-c", code],
      { flags: WITHOUT_NET },
    );
    assertEquals([run.stdout, run.stderr], ["[]\npeople=[1] [1]\n", ""]);
  },
});

Deno.test({
  name: "what has no wheel that runs here is said, and why",
  ignore: ignore || /distribution.* answers/.test(sources),
  async fn() {
    for (const name of NATIVE) {
      const deps = ["--deps", name];
      const { code, stderr } = await command([...deps, "install", "--dry-run"]);
      assertEquals(code, 1, stderr);
      assertMatch(
        stderr,
        /error: Cannot install ".*" (.*)?as (it is in the Pyodide distribution .*, which cannot be reached: |no source has a wheel of it that can be used\. Tried the package index .*: no wheel that runs in WebAssembly)/,
      );
    }
  },
});

async function askSources(): Promise<string> {
  return (await command(["doctor"])).stdout;
}

Deno.test({
  name: "loops of the real tqdm tell their progress, and write as ever",
  ignore,
  async fn() {
    await using server = await startServer(["--deps", "tqdm"]);
    // The steps of an install are told before those of code.
    await server.call("1");
    const { told } = listen(server);
    const { status, output, error } = await server.call(
      `import time
from tqdm import tqdm
from tqdm.auto import trange
for step in tqdm(range(4), desc="outer", ascii=True):
    for _ in trange(2, desc="inner", leave=False, ascii=True):
        time.sleep(0.1)
for _ in tqdm(iter("abc"), ascii=True, disable=True):
    pass
with tqdm(total=float("inf"), ascii=True) as bar:
    bar.update(5)`,
      {},
      WANTED,
    );
    assertEquals(status, "success", error);
    // Each bar is a line, its last; an inner bar leaves none.
    assertEquals(output.length, 2, output.join("\n"));
    assertMatch(output[0] ?? "", /^outer: 100%\|#+\| 4\/4 \[/);
    assertMatch(output[1] ?? "", /^5it /);
    assertEquals(told[0]?.total, 4);
    assertMatch(String(told[0]?.message), /^outer: 0\/4 \[00:00<\?/);
    assert(!told.some(({ message }) => message?.includes("inner")));
    assert(told.some(({ progress, total }) => progress >= 2 && total === 4));
    assertMatch(String(told.at(-1)?.message), /^5\/\? \[/);
    const inNotebook = await server.call(
      `from tqdm.notebook import tqdm
for _ in tqdm(range(3), ascii=True): pass`,
    );
    assertMatch(
      inNotebook.output.at(-1) ?? inNotebook.text,
      /100%\|#+\| 3\/3 /,
    );
    // On the shell its bar is there already.
    const { stderr } = await command([
      ...["--deps", "tqdm", "run", "-c"],
      "from tqdm import tqdm\nfor _ in tqdm(range(3), ascii=True): pass",
    ]);
    assertEquals(stderr.match(/3\/3/g)?.length, 1, stderr);
  },
});

Deno.test({
  name: "the real plotly: figures come back as pages",
  // 9 MiB, and as much to compile.
  ignore: ignore || !ALL_ROUNDS,
  async fn() {
    await using server = await startServer(["--deps", "plotly"]);
    const { session } = (await server.call(
      "import plotly.graph_objects as go\nfig = go.Figure(go.Bar(y=[1, 2]))",
      { session: "new" },
    )).structured;
    for (
      const code of [
        ...["fig", "fig.show()", "fig.show('notebook')", "display(fig)"],
        "import plotly.io as pio; pio.show(fig.to_dict())",
      ]
    ) {
      const { structured, text } = await server.call(code, { session });
      assertEquals(structured.return_value, null, text);
      const [page, ...more] = Object(structured.pages);
      assertEquals([page.about, more], [
        ...["plotly figure: 1 trace (bar), 2 points", []],
      ]);
      // Its script is 5 MB, packed.
      assert(page.size > 1e6 && page.size < 3e6, `${page.size}`);
    }
    const cases: Record<string, RegExp> = {
      "fig.show('png')":
        /Kaleido[^]*\n +install kaleido>=1[^]*\nPictures of plotly are drawn by/,
      "import plotly.offline as po; po.plot(fig)": /\nThere is no browser/,
      "po.iplot(fig)": /\nThere is no browser/,
      "fig.write_image('x.png')":
        /Kaleido[^]*\n +install kaleido>=1[^]*\nPictures of plotly are drawn by/,
      "import plotly.express as px":
        /\nIt is in the package numpy, ask the user to .* --deps numpy\.$/,
    };
    for (const [code, says] of Object.entries(cases)) {
      const { error } = await server.call(code, { session });
      assertMatch(error ?? "no error", says, code);
      assert(!/(?<!%)pip install/.test(error ?? ""), error);
    }
    const page = await server.call("fig.write_html('figure.html')", {
      session,
    });
    assertMatch(JSON.stringify(page.structured.files), /"figure\.html"/);
  },
});

const CHARTS: Record<string, [code: string, about: RegExp]> = {
  "altair,django-js-lib-vega-embed": [
    `import altair as alt
alt.Chart(alt.Data(values=[{"a": 1}]), title="T").mark_line().encode(x="a:Q")`,
    /^altair chart: line$/,
  ],
  "bokeh": [
    `from bokeh.plotting import figure, output_notebook, show
output_notebook()
plot = figure(title="T"); plot.line([1, 2], [3, 4]); show(plot)`,
    /^bokeh chart: 1 glyph \(Line\), 2 points$/,
  ],
};

for (const [deps, [code, about]] of Object.entries(CHARTS)) {
  Deno.test({
    name: `the real ${deps}: charts come back as pages`,
    ignore: ignore || !ALL_ROUNDS,
    async fn() {
      const options = ["--deps", deps];
      const { code: exit, stderr } = await command([...options, "install"]);
      if (exit !== 0) {
        // Some of what they need is in the Pyodide distribution alone.
        assertMatch(stderr, /distribution at .* cannot be reached/);
        return log(`skipped: charts of ${deps}: ${stderr.trim()}`);
      }
      await using server = await startServer(options);
      const { structured, text } = await server.call(code);
      const [page, ...more] = Object(structured.pages);
      assertEquals([page.title, more], ["T", []], text);
      assertMatch(page.about, about);
      assert(page.size > 200_000, text);
    },
  });
}
