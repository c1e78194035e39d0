/**
 * Pages that runs show, such as charts, in real processes with the official client.
 *
 * @module
 */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { toFramedPage } from "../src/frames/to_framed_page.ts";
import type { Page } from "../src/protocol/run_result.ts";
import { startAsking } from "./support/asking_client.ts";
import { Browser } from "./support/browser.ts";
import { command } from "./support/command.ts";
import { alwaysOnEachPyodide, onEachPyodide } from "./support/each_pyodide.ts";
import { tempFolder } from "./support/folder.ts";
import { CHROMIUM } from "./support/page.ts";
import { ERAS, startServer, type TestServer } from "./support/server.ts";
import { shareServer } from "./support/shared_server.ts";

const HAVING = `
from mcp_run_python import HTML
def having(**forms):
    return type("Having", (), {name: (lambda self, *args, form=form, **options: form) for name, form in forms.items()})()
`;

/** Makes a call, and reads the pages of its answer; `html` is what a client can read. */
async function show(
  server: Pick<TestServer, "client">,
  code: string,
  args: Record<string, unknown> = {},
) {
  const result = await server.client.callTool({
    name: "run_python_code",
    arguments: { python_code: code, ...args },
  });
  const [first, ...blocks] = result.content;
  assert(first?.type === "text");
  const { status, output, return_value: value, error, pages = [] } = Object(
    result.structuredContent,
  );
  const shown: Page[] = [];
  for (const page of pages) {
    // Larger ones are read in parts.
    if (page.size > 6 * 2 ** 20) {
      shown.push(page);
      continue;
    }
    assert(first.text.includes(`${page.uri} (`), first.text);
    assert(first.text.includes(page.about), first.text);
    const { contents: [read] } = await server.client.readResource({
      uri: page.uri,
    });
    assert(read && "text" in read, JSON.stringify(read).slice(0, 300));
    assertEquals(read.mimeType, "text/html");
    assertEquals(new TextEncoder().encode(read.text).length, page.size);
    shown.push({ title: "", ...page, html: read.text });
  }
  return { status, output, value, error, text: first.text, blocks, shown };
}

alwaysOnEachPyodide(
  "pages: what has HTML, and no text of its own, comes back as a page",
  async (options) => {
    const server = await shareServer(options);
    const { shown, output, value, text, blocks } = await show(
      server,
      `${HAVING}
display(
    having(_repr_html_="<style>b {}</style><b>bold &amp; <i>more</i></b>"),
    HTML("<p>own", title="A title"),
    having(_repr_mimebundle_={"text/html": "<head><title>Its &lt;title></title></head><p>é"}, __repr__="says"),
)
HTML("<script>1</script>")`,
    );
    assertEquals(
      shown.map(({ html, title, about }) => [html, title, about]),
      [
        [
          "<style>b {}</style><b>bold &amp; <i>more</i></b>",
          ...["", 'HTML: "bold & more"'],
        ],
        ["<p>own", "A title", 'HTML: "own"'],
        [
          "<head><title>Its &lt;title></title></head><p>é",
          ...["Its <title>", 'HTML: "é"'],
        ],
        ["<script>1</script>", "", "HTML"],
      ],
      text,
    );
    // The page says more than the object.
    assertEquals([output, value], [[], null]);
    assert(!text.includes("<b>") && !text.includes("<p>"), text);
    assertEquals(
      blocks.map((block) => block.type === "resource_link" && block),
      shown.map(({ uri, title, size }, at) => ({
        ...{ type: "resource_link", uri, name: `page-${at + 1}.html` },
        ...{ mimeType: "text/html", size },
        ...title === "" ? {} : { title },
        annotations: { audience: ["user"] },
      })),
    );
    const { resources } = await server.client.listResources();
    const listed = resources.map(({ uri }) => uri);
    assert(shown.every(({ uri }) => listed.includes(uri)));
  },
);

alwaysOnEachPyodide(
  "pages: what has a text of its own, or a picture, is not one",
  async (options) => {
    const server = await shareServer(options);
    const { shown, output, value, text } = await show(
      server,
      `${HAVING}
class Frame:
    def _repr_html_(self): return "<table>"
    def __repr__(self): return "a  b"
class Estimator(Frame):
    def _repr_mimebundle_(self, **options): return {"text/plain": repr(self), "text/html": "<div>"}
class Broken:
    def _repr_html_(self): 1 / 0
display(Frame(), Estimator(), having(_repr_html_="<b>", _repr_markdown_="# title"))
display(having(_repr_html_="<b>", _repr_svg_="<svg/>"))
for data in (b"<b>", None, "", 5): display(having(_repr_html_=data))
display(Broken())
Frame()`,
    );
    assertEquals(shown, [], text);
    assertEquals(output.slice(0, 3), ["a  b", "a  b", "# title"]);
    for (const line of output.slice(3, 7)) {
      assertMatch(line, /^<.* object at 0x/);
    }
    assertEquals(output.slice(7), [
      "This Broken could not be shown: ZeroDivisionError: division by zero",
    ]);
    assertEquals(value, "a  b");
    assertMatch(text, /figure-1\.svg/);
  },
);

for (const era of ERAS) {
  for (const via of ["stdio", "http"] as const) {
    Deno.test(`pages: a client of ${era} that shows pages gets them at once, over ${via}`, async () => {
      const extensions = {
        "io.modelcontextprotocol/ui": {
          mimeTypes: ["text/html;profile=mcp-app"],
        },
      };
      await using asking = await startAsking([], { era, via, extensions });
      const { blocks, shown: [page] } = await show(
        asking,
        `${HAVING}\nHTML("<p>é", title="t")`,
      );
      assertEquals(blocks, [{
        type: "resource",
        resource: {
          ...{ uri: page?.uri ?? "", mimeType: "text/html", text: "<p>é" },
        },
        annotations: { audience: ["user"] },
      }]);
    });
  }
}

Deno.test("pages: links stand in the place of pages that an answer has no room for", async () => {
  const extensions = { "io.modelcontextprotocol/ui": {} };
  await using asking = await startAsking([], { via: "http", extensions });
  const { blocks, shown } = await show(
    asking,
    `${HAVING}\nfor _ in range(3): display(HTML("x" * 5_000_000))`,
  );
  assertEquals(
    blocks.map(({ type }) => type),
    ["resource", "resource", "resource_link"],
  );
  assertEquals(shown.length, 3);
});

Deno.test("pages: --max-html bounds each, and what is left out is said", async () => {
  await using server = await startServer(["--max-html", "1"]);
  const { shown, output, value, status, text } = await show(
    server,
    `${HAVING}
display(HTML("x" * 2**20), HTML("x" * (2**20 + 1)), HTML("é" * 2**19 + "a"))
HTML("<b>too large</b>" * 100_000)`,
  );
  assertEquals([status, shown.map(({ size }) => size)], ["success", [2 ** 20]]);
  const start = (size: string) =>
    `A page of ${size} bytes was left out, as one may have 1,048,576 (--max-html). Show less data on it.`;
  assertEquals(output, ["1,048,577", "1,048,577", "1,600,000"].map(start));
  assertMatch(String(value), /^HTML: "too large too large .*…"$/);
  assert(!text.includes("<b>"), text);
  const many = await show(
    server,
    `${HAVING}\nfor _ in range(12): display(HTML("x" * 2**20))`,
  );
  assertEquals(many.shown.length, 10);
  assertEquals(many.output, [
    "2 more pages were left out, as a run may show 10. Show fewer.",
  ]);
  await using wide = await startServer(["--max-html", "16"]);
  const all = await show(
    wide,
    `${HAVING}\nfor size in 12, 14, 15, 1: display(HTML("x" * (size << 19)))`,
  );
  assertEquals(all.shown.length, 3);
  assertMatch(
    all.output.join(),
    /^A page of 7,864,320 bytes .* all pages of a run may have 20,971,520, and those before it have 13,631,488\. Show fewer, or smaller/,
  );
  // A line for each of them would be more than the pages told.
  const full = await show(
    wide,
    `${HAVING}\nfor _ in range(50): display(HTML("x" * (15 << 20)))`,
  );
  assertEquals(full.shown.length, 1);
  assertEquals(full.output.slice(1), [
    "48 more pages were left out, as a run may show 10 with 20,971,520 bytes. Show fewer.",
  ]);
  await using none = await startServer(["--max-html", "0"]);
  const { output: [line] } = await show(none, `${HAVING}\nHTML("x")`);
  assertMatch(line, /^A page of 1 bytes was left out, as one may have 0 /);
});

Deno.test("pages: a page of 300 MB costs no more than its run, and the next one is as ever", async () => {
  const server = await shareServer();
  const { status, output, shown } = await show(
    server,
    `${HAVING}\nHTML("<p>" * 100_000_000)`,
  );
  assertEquals([status, shown], ["success", []]);
  assertMatch(output.join(), /^A page of 300,000,000 bytes was left out/);
  assertEquals((await server.call("6 * 7")).returnValue, 42);
});

onEachPyodide(
  "pages: HTML that is not well-formed text is mended, or refused",
  async (options) => {
    const server = await shareServer(options);
    const { shown, error } = await show(
      server,
      `${HAVING}
display(HTML("a\\ud800b\\0c\\x1bd\\te", title="x\\ny\\0\\u2028z" + "😀" * 300), having(_repr_html_="\\x07" + "<i>" * 9))
HTML(b"<p>")`,
    );
    const [first, second] = shown;
    assertEquals(first?.html, "a\\ud800b\ufffdc\ufffdd\te");
    assertMatch(first?.title ?? "", /^x y z(😀){90,97}…$/u);
    assertEquals(second?.about, "HTML");
    assertMatch(
      error,
      /TypeError: HTML takes a string, not bytes: decode it, by \.decode\(\)/,
    );
  },
);

onEachPyodide(
  "pages: an object that shows itself as it is shown does so a few times",
  async (options) => {
    const server = await shareServer(options);
    const { status, shown } = await show(
      server,
      `
class Own:
    def _repr_html_(self):
        display(self)
        return "<p>text"
Own()`,
    );
    assertEquals([status, shown.length], ["success", 10]);
  },
);

onEachPyodide(
  "pages: HTML() without its import is an error that says where it is",
  async (options) => {
    const server = await shareServer(options);
    const { error } = await show(server, `display(HTML("<b>text"))`);
    assertMatch(
      error,
      /NameError: name 'HTML' is not defined.*\ndisplay\(object\) needs no import here, and HTML\(text\) is in mcp_run_python\.$/,
    );
  },
);

onEachPyodide(
  "pages: what pyecharts gives a notebook is the chart itself",
  async (options) => {
    const server = await shareServer(options);
    const files = Object.entries({
      "pyecharts/render/__init__.py": "",
      "pyecharts/render/engine.py":
        "def render_notebook(chart, *templates): raise ValueError(templates)",
      "pyecharts/charts/mixins.py": "class ChartMixin: pass",
      "pyecharts/charts/base.py": `
from ..render import engine
from .mixins import ChartMixin
class Base(ChartMixin):
    options = {"title": [], "series": [{"type": "bar", "data": [1, 2]}]}
    def render_notebook(self): return engine.render_notebook(self, "a", "b")
    def render_embed(self): return "<p>chart"
`,
    }).map(([path, text]) => ({ path, text }));
    const { shown: [page], error } = await show(
      server,
      "from pyecharts.charts.base import Base\nBase().render_notebook()",
      { files },
    );
    assertEquals(
      [error, page?.about],
      [undefined, "pyecharts chart: 1 series (bar), 2 points"],
    );
  },
);

/** A library of charts as plotly is, in the working folder. */
const PLOTLY = Object.entries({
  "plotly/__init__.py": "",
  "plotly/offline.py":
    "def get_plotlyjs(): return 'var Plotly = \"</script>\"'",
  "plotly/io/__init__.py": "from ._renderers import show",
  "plotly/io/_renderers.py":
    "def show(fig, renderer=None): raise ValueError(renderer)",
  "plotly/basedatatypes.py": `
import types
class Trace(dict):
    @property
    def type(self): return self["type"]
class BaseFigure:
    data = [Trace(type="bar", y=[1, 2]), Trace(type="scatter", x=range(1000), y=5), Trace(type="surface", z=[[1, 2], [3, 4]], x=[1, 2])]
    frames = ()
    layout = types.SimpleNamespace(title=types.SimpleNamespace(text="Two<br><b>lines</b>"))
    def __repr__(self): return "x" * 11_000
    def to_json(self): return '{"data": ["</script><!--"]}'
    def show(self, *args, **options):
        import plotly.io
        return plotly.io.show(self, *args, **options)
class Figure(BaseFigure): pass
`,
}).map(([path, text]) => ({ path, text }));

onEachPyodide(
  "pages: a chart is summed up in a line, with its script put into its page",
  async (options) => {
    const server = await shareServer(options);
    const told = {
      title: "Two lines",
      about: "plotly figure: 3 traces (bar, scatter, surface), 1,006 points",
    };
    const start = "from plotly.basedatatypes import Figure\nfig = Figure()\n";
    for (
      const code of ["fig", "fig.show()", "display(fig)", "fig.show(); fig"]
    ) {
      const { shown, value, output, text } = await show(
        server,
        `${start}${code}`,
        { files: PLOTLY },
      );
      assertEquals(
        shown.map(({ title, about }) => ({ title, about })),
        [told],
        text,
      );
      assertEquals([value, output], [null, []], text);
      assert(text.length < 400, text);
      const { html = "" } = shown[0] ?? {};
      assertMatch(
        html,
        /const data = \{"data": \["\\u003c\/script>\\u003c!--"\]\};/,
      );
      const [, packed = ""] = /atob\("([^"]+)"\)/.exec(html) ?? [];
      const stream = new Blob([Uint8Array.fromBase64(packed)]).stream()
        .pipeThrough(new DecompressionStream("deflate"));
      assertEquals(
        await new Response(stream).text(),
        'var Plotly = "</script>"',
      );
    }
    const { shown: [moving] } = await show(
      server,
      `${start}Figure.data = [Trace(type="sankey")]; Figure.frames = [1]; fig`
        .replace("Figure\n", "Figure, Trace\n"),
      { files: PLOTLY },
    );
    assertEquals(moving?.about, "plotly figure: 1 trace (sankey), 1 frame");
    const picture = await show(server, `${start}fig.show("png")`, {
      files: PLOTLY,
    });
    assertMatch(picture.error, /ValueError: png\nPictures of plotly are drawn/);
    const broken = await show(
      server,
      `${start}Figure.to_json = lambda self: 1 / 0\nFigure.data = 5\nfig`,
      { files: PLOTLY },
    );
    assertEquals([broken.shown, broken.value], [[], "plotly figure"]);
    assertEquals(broken.output, [
      "This Figure could not be shown: ZeroDivisionError: division by zero",
    ]);
  },
);

onEachPyodide(
  "pages: scripts that a page would load are put in if they are there, and said if not",
  async (options) => {
    const server = await shareServer(options);
    const code = `${HAVING}
HTML('<script src="https://cdn.example/v1/chart.min.js?x=1"></script><link rel="stylesheet" href="//cdn.example/a.css"><script src=http://other.example/b.js></script><p>text<iframe src="//video.example/a.css"></iframe>')`;
    const without = await show(server, code);
    assertEquals(
      without.shown[0]?.about,
      'HTML: "text"; loads from cdn.example, other.example, video.example, which it cannot reach where it is shown: it may stay empty',
    );
    const { shown: [page] } = await show(server, code, {
      files: [
        { path: "js/chart.min.js", text: "'</script>'" },
        { path: "a.css", text: "p {}" },
        { path: "b.js", text: "1" },
      ],
    });
    assertEquals(
      [page?.html, page?.about],
      [
        "<script>'<\\/script>'</script><style>p {}</style><script>1</script><p>text<iframe src=\"//video.example/a.css\"></iframe>",
        'HTML: "text"; loads from video.example, which it cannot reach where it is shown: it may stay empty',
      ],
    );
  },
);

Deno.test("pages: run saves them in a frame with --out, and names them without", async () => {
  await using folder = await tempFolder();
  const code = `${HAVING}\nHTML("<p>'&\\"", title="<t>")`;
  const { code: exit, stderr } = await command(["run", "-c", code]);
  assertEquals([exit, stderr], [
    0,
    'Not kept: "page-1.html". Keep files, pictures and pages with --out DIR.\n',
  ]);
  const json = ["run", "--return-mode", "json", "--out", folder.path];
  const { stdout } = await command([...json, "-c", code]);
  const { files, pages } = JSON.parse(stdout);
  assertEquals([files.length, files[0].path, pages], [
    ...[1, "page-1.html", undefined],
  ]);
  const html = await Deno.readTextFile(`${folder.path}/page-1.html`);
  assertEquals(html, toFramedPage("<p>'&\"", { title: "<t>" }));
});

/** A chart as that of plotly, whose script tells the browser's tab what it draws. */
const DRAWING = `
import sys, types
offline = types.ModuleType("plotly.offline")
offline.get_plotlyjs = lambda: "var Plotly = { newPlot: (id, data) => top.postMessage([document.getElementById(id).id, data], '*') }"
sys.modules.update({"plotly": types.ModuleType("plotly"), "plotly.offline": offline})
class BaseFigure:
    def to_json(self): return '{"data": "<!--</script>"}'
BaseFigure.__module__ = "plotly.basedatatypes"
BaseFigure()`;

Deno.test({
  name:
    "pages: a chart draws itself in the file that run saves, in a real browser",
  ignore: CHROMIUM === undefined,
  async fn() {
    await using folder = await tempFolder();
    const { stderr } = await command([
      ...["run", "--out", folder.path, "-c", DRAWING],
    ]);
    assertMatch(stderr, /"page-1\.html"\n$/);
    await using browser = await Browser.start(CHROMIUM ?? "");
    const tab = await browser.open(new URL("about:blank"));
    await tab.send("Page.addScriptToEvaluateOnNewDocument", {
      source:
        `window.said ??= (addEventListener("message", ({ data }) => said.push(data)), [])`,
    });
    await tab.go(pathToFileURL(join(folder.path, "page-1.html")));
    await tab.until("said.length > 0");
    assertEquals(await tab.eval("said"), [["chart", "<!--</script>"]]);
    assertEquals(tab.complaints, []);
  },
});

Deno.test("pages: code mode says and gives them as other results do", async () => {
  await using server = await startServer(["--code-mode"]);
  const { content, structuredContent } = await server.client.callTool({
    name: "run_python",
    arguments: { code: `${HAVING}\nHTML("<p>text", title="t")` },
  });
  const { pages: [page] } = Object(structuredContent);
  assertEquals([page.title, page.about, page.size], ["t", 'HTML: "text"', 7]);
  const [text, link] = content;
  assertEquals(text, {
    type: "text",
    text: `page: ${page.uri} (t; HTML: "text", 7 bytes)`,
  });
  assert(link?.type === "resource_link" && link.uri === page.uri);
});
