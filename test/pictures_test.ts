/**
 * Pictures that runs show, in real processes, with the official client: of
 * anything on each Pyodide, and of the real matplotlib, pandas and pillow.
 *
 * @module
 */
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { command } from "./support/command.ts";
import {
  alwaysOnEachPyodide,
  FOLDER_027,
  onEachPyodide,
  PACKAGES_027,
} from "./support/each_pyodide.ts";
import { ALL_ROUNDS } from "./support/rounds.ts";
import { ERAS, startServer, type TestServer } from "./support/server.ts";
import { shareServer, shareSession } from "./support/shared_server.ts";

/** A picture, as a client gets it. */
interface Shown {
  mimeType: string;
  /** Of a file, or of a text as JSON. */
  data: Uint8Array;
  /** In pixels, of a PNG. */
  width: number;
  height: number;
}

/** Makes a call, and reads the pictures of its answer. */
async function show(
  server: TestServer,
  code: string,
  args: { session?: string } = {},
) {
  const result = await server.client.callTool({
    name: "run_python_code",
    arguments: { python_code: code, ...args },
  });
  const [first, ...blocks] = result.content;
  assert(first?.type === "text");
  const shown = blocks.map(toShown);
  const { status, output, return_value: returnValue, error, images = [] } =
    Object(result.structuredContent);
  const listed = images.map(({ mimeType, size }: Record<string, unknown>) => [
    mimeType,
    size,
  ]);
  const there = shown.map(({ mimeType, data }) => [mimeType, data.length]);
  // Each half stands alone.
  assertEquals(listed, there);
  for (const { uri } of images) assert(first.text.includes(uri), first.text);
  return { status, output, returnValue, error, text: first.text, shown };
}

const encoder = new TextEncoder();

type Block = Awaited<ReturnType<TestServer["client"]["callTool"]>>["content"];

function toShown(block: Block[number]): Shown {
  if (block.type === "resource" && "text" in block.resource) {
    const { mimeType = "", text } = block.resource;
    return {
      mimeType,
      data: encoder.encode(JSON.stringify(text)),
      width: 0,
      height: 0,
    };
  }
  assert(block.type === "image");
  const data = Uint8Array.fromBase64(block.data);
  const view = new DataView(data.buffer);
  const isPng = block.mimeType === "image/png" && data.length >= 24;
  return {
    mimeType: block.mimeType,
    data,
    width: isPng ? view.getUint32(16) : 0,
    height: isPng ? view.getUint32(20) : 0,
  };
}

/** A test with the real packages of the 0.27 distribution; each library costs each run. */
function withPackages(
  name: string,
  fn: (options: string[]) => Promise<void>,
): void {
  Deno.test({
    name: `pictures: ${name}`,
    ignore: FOLDER_027 === "",
    fn: () => fn(PACKAGES_027),
  });
}

/** Python that makes pictures without any package. */
const PICTURES = `
import base64, struct, zlib
def png(width=1, height=1, more=0):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = b"".join(b"\\0" + bytes(width) for _ in range(height))
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\\x89PNG\\r\\n\\x1a\\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"tEXt", bytes(more)) + chunk(b"IEND", b"")
def having(**forms):
    return type("Having", (), {name: (lambda self, form=form: form() if callable(form) else form) for name, form in forms.items()})()
`;

withPackages(
  "the caches of packages are not among the files of a run or a session",
  async (options) => {
    const server = await shareServer(options);
    const code = `
import os, pathlib, matplotlib
import matplotlib.pyplot as plt
plt.plot([1, 2]); plt.show()
home = pathlib.Path.home()
(home / "kept").write_text("kept")
[matplotlib.get_cachedir().startswith(f"{home}/"), os.listdir(), (home / "kept").read_text()]`;
    for (const args of [{}, { session: "new" }]) {
      const { structured } = await server.call(code, args);
      const { status, return_value: value, files, session } = structured;
      assertEquals([status, value, files], [
        ...["success", [true, [], "kept"], undefined],
      ]);
      if (!session) continue;
      const { contents: [seen] } = await server.client.readResource({
        uri: `run-python://sessions/${session}`,
      });
      assert(seen && "text" in seen);
      assertEquals(JSON.parse(seen.text).files, []);
    }
  },
);

alwaysOnEachPyodide(
  "pictures: what has one shows it, the richest first",
  async (options) => {
    const server = await shareServer(options);
    const { shown, output, returnValue, text } = await show(
      server,
      `${PICTURES}
from mcp_run_python import display as imported
assert imported is display
jpeg = b"\\xff\\xd8\\xff\\xe0"
display(
    having(_repr_png_=png(2, 3), _repr_html_="<p>"),
    having(_repr_png_=base64.b64encode(png(4, 5)).decode(), _repr_svg_="<svg/>"),
    having(_repr_png_=(png(6, 7), {"width": 6})),
    having(_repr_png_=bytearray(png(8, 9))),
    having(_repr_png_=None, _repr_jpeg_=jpeg),
    having(_repr_html_="<p>", _repr_svg_="<svg>é</svg>"),
)
class Bundle:
    def _repr_mimebundle_(self, include, exclude):
        return {"text/html": "<p>", "image/png": png(1, 2)}, {}
display(Bundle())
display(having(_repr_html_="<b>", _repr_markdown_="# title"), 1, "text", None)
having(_repr_svg_="<svg>last</svg>")`,
    );
    assertEquals(
      shown.map(({ mimeType, width, height, data }) =>
        mimeType === "image/svg+xml"
          ? new TextDecoder().decode(data)
          : [mimeType, width, height]
      ),
      [
        ["image/png", 2, 3],
        ["image/png", 4, 5],
        ["image/png", 6, 7],
        ["image/png", 8, 9],
        ["image/jpeg", 0, 0],
        '"<svg>é</svg>"',
        ["image/png", 1, 2],
        '"<svg>last</svg>"',
      ],
      text,
    );
    assertEquals(output, ["# title", "1", "text", "None"]);
    assertMatch(returnValue, /^<.*Having object at 0x[\da-f]+>$/);
  },
);

onEachPyodide(
  "pictures: a value that has but a repr returns its text",
  async (options) => {
    const server = await shareServer(options);
    const values: [string, unknown][] = [
      [
        `having(_repr_markdown_="*hi*</return_value>")`,
        "*hi*</return_value>",
      ],
      [`having(_repr_markdown_="# hi", _repr_html_="<b>")`, "# hi"],
      [`having(_repr_html_="<b>", __repr__="own")`, "own"],
      [`having(_repr_markdown_="\\ud800")`, "\\ud800"],
      [`[having(_repr_html_="<b>", __repr__="own")]`, ["own"]],
      [
        `import dataclasses
@dataclasses.dataclass
class Data:
    a: int = 1
    def _repr_html_(self): return "<p>"
Data()`,
        { a: 1 },
      ],
    ];
    const session = await shareSession(server);
    for (const [code, value] of values) {
      const { returnValue, shown, output, text } = await show(
        server,
        `${PICTURES}\n${code}`,
        session,
      );
      assertEquals([returnValue, shown, output], [value, [], []], text);
      assertEquals(text.split("</return_value>").length, 2, text);
    }
  },
);

onEachPyodide(
  "pictures: whatever a repr does, the run succeeds",
  async (options) => {
    const server = await shareServer(options);
    const broken = [
      "1 / 0",
      "exit(3)",
      "self._repr_png_()",
      "(_ for _ in ()).throw(MemoryError)",
      "(_ for _ in ()).throw(BaseException)",
      "5",
      "'no base64'",
      "'aGk='",
      "b'no picture'",
      "b''",
      "()",
      "(None, None)",
      "[1]",
      "object()",
      "'x' * 10**7",
      "b'x' * 10**7",
      "'\\ud800'",
      "memoryview(bytes(8))[::2]",
      "__import__('sys').__stderr__.close()",
    ];
    const session = await shareSession(server);
    for (const python of broken) {
      const code = `
class Broken:
    def _repr_png_(self): return ${python}
    _repr_jpeg_ = _repr_png_
    def _repr_mimebundle_(self, **options): return self._repr_png_()
    def __repr__(self): return "broken"
display(Broken())
Broken()`;
      const { status, shown, output, returnValue, text } = await show(
        server,
        code,
        session,
      );
      assertEquals([status, shown], ["success", []], `${python}: ${text}`);
      assertEquals([output, returnValue], [["broken"], "broken"], python);
    }
    const { status, output, returnValue } = await show(
      server,
      `
class Text:
    def _repr_markdown_(self): return "x" * 10**7
    def __repr__(self): 1 / 0
class Meta(type):
    def __getattribute__(self, name): 1 / 0
class Worst(metaclass=Meta):
    def __repr__(self): 1 / 0
class Repr:
    def __repr__(self): 1 / 0
display(Text(), Worst(), Repr())
Text()`,
    );
    assertEquals(status, "success");
    assert(String(returnValue).length < 101_000);
    assertEquals(
      output.at(-1),
      "This Repr could not be shown: ZeroDivisionError: division by zero",
    );
  },
);

Deno.test("pictures: maxImages bounds them, and the rest is counted", async () => {
  await using server = await startServer(["+maxImages=3"]);
  const many = await show(
    server,
    `${PICTURES}
for number in range(10_000): display(having(_repr_png_=png()))`,
  );
  assertEquals([many.status, many.shown.length], ["success", 3]);
  assertEquals(many.output, [
    "9,997 more pictures were left out, as a run may show 3. Show fewer.",
  ]);
  await using none = await startServer(["+maxImages=0"]);
  const { shown, output } = await show(
    none,
    `${PICTURES}\nhaving(_repr_png_=png())`,
  );
  assertEquals([shown, output.length], [[], 1]);
});

Deno.test("pictures: maxImageMiB bounds each, and all have a bound", async () => {
  await using server = await startServer(["+maxImageMiB=1"]);
  const { shown, output, status } = await show(
    server,
    `${PICTURES}
whole = 2**20 - len(png())
display(having(_repr_png_=png(more=whole + 1)))
display(having(_repr_svg_='"' * 2**19))
display(having(_repr_png_=png(more=3 * 2**20)))
for _ in range(6): display(having(_repr_png_=png(more=whole)))`,
  );
  assertEquals([status, shown.length], ["success", 5], output.join("\n"));
  const tooLarge = (size: string) =>
    `A picture of ${size} bytes was left out, as one may have 1,048,576. Make a smaller one.`;
  assertEquals(output.slice(0, 2), ["1,048,577", "1,048,578"].map(tooLarge));
  assertMatch(
    String(output[2]),
    /^A picture of 3,145,8\d\d bytes was left out/,
  );
  assertEquals(output.slice(3), [
    "A picture of 1,048,576 bytes was left out, as all pictures of a run may have 5,242,880, and those before it have 5,242,880. Show fewer, or smaller ones.",
  ]);
});

for (const era of ERAS) {
  Deno.test(`pictures: both return modes have them (${era})`, async () => {
    await using server = await startServer(["--return-mode", "json"], era);
    const { shown, text } = await show(
      server,
      `${PICTURES}\ndisplay(having(_repr_png_=png()))\n1`,
    );
    assertEquals(shown.length, 1);
    assertEquals(JSON.parse(text).images.length, 1);
  });
}

Deno.test("pictures: one that says more pixels than a picture may have is left out", async () => {
  const { shown, output } = await show(
    await shareServer(),
    `${PICTURES}
side = (20_000).to_bytes(4)
display(having(_repr_png_=png()[:16] + side + side + png()[24:]))`,
  );
  assertEquals([shown.length, output], [0, [
    "A picture of 20,000 x 20,000 pixels was left out, as one may have 8,388,608, and a side 8,000. Make a smaller one.",
  ]]);
});

Deno.test("pictures: run says that there was one, and how to keep it", async () => {
  const { stdout, stderr, code } = await command([
    ...["run", "-c"],
    `${PICTURES}\nprint(1)\ndisplay(having(_repr_png_=png()), 2)`,
  ]);
  assertEquals([stdout, code], ["1\n2\n", 0]);
  assertMatch(
    stderr,
    /^Not kept: "picture-1\.png"\. Keep files, pictures and pages with --out DIR\.\n$/,
  );
});

Deno.test("pictures: a picture that is endless to make is a timeout", async () => {
  await using server = await startServer(["--timeout", "1"]);
  const { status } = await show(
    server,
    "class Endless:\n    def _repr_png_(self):\n        while True: pass\nEndless()",
  );
  assertEquals(status, "timeout");
});

withPackages(
  "a run of a session shows no figures of the runs before",
  async (options) => {
    const server = await shareServer(options);
    const { session } = await shareSession(server);
    const plots: [code: string, count: number][] = [
      ["import matplotlib.pyplot as plt\nfig, ax = plt.subplots()", 1],
      ["1", 0],
      ["plt.plot([1, 2]); len(plt.gca().lines)", 1],
      ["fig", 1],
      ["plt.plot([1, 2]); None\nwhile True: pass", 0],
      ["for n in 1, 2, 3: plt.figure()", 3],
      ["plt.get_fignums()", 0],
    ];
    for (const [code, count] of plots) {
      const args = { session, timeout: code.includes("while") ? 3 : 60 };
      const { client } = server;
      const { content, structuredContent } = await client.callTool({
        ...{
          name: "run_python_code",
          arguments: { python_code: code, ...args },
        },
      });
      const images = content.filter(({ type }) => type === "image");
      assertEquals(images.length, count, code);
      const { return_value: value } = Object(structuredContent);
      if (code.includes("lines")) assertEquals(value, 1);
    }
  },
);

/** The rest of a session would have their backend. */
const FRESH = ["open at the end", "with Agg asked for"];

withPackages(
  "figures come by show(), as values, or at the end, each once",
  async (options) => {
    const server = await shareServer(options);
    const plots: Record<string, [code: string, count: number]> = {
      "open at the end": ["plt.plot([1, 2])", 1],
      "shown": ["plt.plot([1, 2]); plt.show()", 1],
      "shown one by one": ["for n in 1, 2, 3: plt.plot([n]); plt.show()", 3],
      "shown together": ["for n in 1, 2, 3: plt.figure()\nplt.show()", 3],
      "closed": ["plt.plot([1, 2]); plt.close()", 0],
      "returned": ["fig, ax = plt.subplots(); fig", 1],
      "returned as axes": ["plt.plot([1]); plt.gca()", 1],
      "not of pyplot": [
        "from matplotlib.figure import Figure; f = Figure(); f.subplots(); f",
        1,
      ],
      "axes not of pyplot": [
        "from matplotlib.figure import Figure; Figure().subplots()",
        1,
      ],
      "displayed, and open": ["fig, ax = plt.subplots(); display(fig)", 1],
      "displayed, then changed": [
        "fig, ax = plt.subplots(); display(fig); ax.plot([1])",
        2,
      ],
      "of its own show()": ["fig, ax = plt.subplots(); fig.show()", 1],
      "not blocking": [
        "plt.plot([1]); plt.show(block=False); plt.pause(0.01)",
        1,
      ],
      "with Agg asked for": [
        "import matplotlib; matplotlib.use('Agg'); plt.plot([1]); plt.show()",
        1,
      ],
      "in constrained layout": ["plt.subplots(2, 2, layout='constrained')", 1],
      "with a text far outside": [
        "plt.plot([1]); plt.text(1e7, 1e7, 'far')",
        1,
      ],
      "of an error": ["plt.plot([1]); 1 / 0", 1],
      "of an exit": ["plt.plot([1]); exit()", 1],
      "of pandas": ["import pandas as pd; pd.Series([1, 2]).plot()", 1],
      "saved": [
        "plt.plot([1]); plt.savefig('/tmp/a.png'); plt.close('all')",
        0,
      ],
      "shown, then saved": [
        "plt.plot([1]); f = plt.gcf(); f.show(); f.savefig('/tmp/a.png'); plt.show(); f",
        1,
      ],
      "of parts in a list": [
        "[plt.bar([1], [2]), plt.boxplot([1, 2]), plt.title('a'), plt.gcf(), plt.errorbar([1], [2], yerr=[1]), plt.subplots(2, 2)]",
        2,
      ],
      "of a histogram": ["plt.hist([1, 2])", 1],
      "of a notebook": [
        "%matplotlib inline\nplt.plot([1]); plt.show(); plt.close('all')",
        1,
      ],
    };
    const session = await shareSession(server);
    for (const [name, [code, count]] of Object.entries(plots)) {
      const { shown, text, output, returnValue } = await show(
        server,
        `import matplotlib.pyplot as plt\n${code}`,
        FRESH.includes(name) ? {} : session,
      );
      assertEquals([shown.length, output], [count, []], `${name}: ${text}`);
      // The picture stands for the lines and axes that are the last value.
      assertEquals(returnValue ?? null, null, `${name}: ${text}`);
      for (const { mimeType, width, height } of shown) {
        assertEquals(mimeType, "image/png");
        assert(width > 400 && width < 700, `${name}: ${width}`);
        assert(height > 300 && height < 600, `${name}: ${height}`);
      }
    }
  },
);

withPackages(
  "figures are whole: they end where savefig() with a tight box ends",
  async (options) => {
    const server = await shareServer(options);
    const plots = [
      "ax = fig.add_subplot(projection='3d'); ax.plot_surface(np.eye(3), np.eye(3).T, np.eye(3)); ax.set_zlabel('z')",
      "fig.add_subplot(projection='polar').plot([1, 2])",
      "ax = fig.add_subplot(); ax.plot([1e9, 2e9], label='x'); ax.legend(bbox_to_anchor=(1.02, 1), loc='upper left')",
      "fig.set_layout_engine('constrained'); fig.add_subplot().set_ylabel('y')",
      "fig.add_subplot().bar(['a long name', 'another'], [1, 2]); plt.xticks(rotation=90)",
    ];
    const session = await shareSession(server);
    for (const plot of plots) {
      const { shown: [one], returnValue, text } = await show(
        server,
        `import io, matplotlib.pyplot as plt, numpy as np
from PIL import Image
fig = plt.figure()
${plot}
display(fig)
file = io.BytesIO()
fig.savefig(file, bbox_inches="tight")
plt.close()
Image.open(file).size`,
        session,
      );
      assert(one, text);
      const [width, height] = returnValue;
      assert(Math.abs(one.width - width) <= 2, `${plot}: ${text}`);
      assert(Math.abs(one.height - height) <= 2, `${plot}: ${text}`);
    }
  },
);

withPackages(
  "what cannot be drawn is said, and the run succeeds",
  async (options) => {
    const server = await shareServer(options);
    const { status, shown, output, returnValue } = await show(
      server,
      "import matplotlib.pyplot as plt\nplt.title('$\\\\unknown{$')\nplt.figure()\n7",
      await shareSession(server),
    );
    assertEquals([status, shown.length, returnValue], ["success", 1, 7]);
    assertMatch(
      output.join(),
      /^This Figure could not be shown: ValueError: .*Unknown symbol/,
    );
  },
);

withPackages(
  "a value that is not only drawn, or of which no picture came, is data",
  async (options) => {
    const server = await shareServer(options);
    const values: Record<string, unknown> = {
      "plt.plot([1]); [1]": [1],
      "plt.plot([1]); []": [],
      "fig, _ = plt.subplots(); [fig, 5]": [
        "<Figure size 640x480 with 1 Axes>",
        5,
      ],
      "import numpy as np; fig, _ = plt.subplots(); fig, np.ones(1)": [
        "<Figure size 640x480 with 1 Axes>",
        [1],
      ],
      "lines = plt.plot([1]); plt.close(); str(lines[0])": "Line2D(_child0)",
      "t = plt.title('a'); plt.close(); [t]": ["Text(0.5, 1.0, 'a')"],
    };
    const session = await shareSession(server);
    for (const [code, value] of Object.entries(values)) {
      const { returnValue, text } = await show(
        server,
        `import matplotlib.pyplot as plt\n${code}`,
        session,
      );
      assertEquals(returnValue, value, text);
    }
  },
);

/** Python that makes a font, where mounts are, with a black square for two characters of Chinese. */
const FONT = `
import os
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
pen = TTGlyphPen(None)
pen.moveTo((0, 0)); pen.lineTo((0, 1000)); pen.lineTo((1000, 1000)); pen.lineTo((1000, 0)); pen.closePath()
font = FontBuilder(1000)
font.setupGlyphOrder([".notdef", "square"])
font.setupCharacterMap({ord("日"): "square", ord("本"): "square"})
font.setupGlyf({".notdef": TTGlyphPen(None).glyph(), "square": pen.glyph()})
font.setupHorizontalMetrics({".notdef": (500, 0), "square": (1000, 0)})
font.setupHorizontalHeader(ascent=1000, descent=0)
font.setupNameTable({"familyName": "Squares", "styleName": "Regular"})
font.setupOS2(); font.setupPost()
os.makedirs("/mnt/fonts")
font.save("/mnt/fonts/squares.ttf")
`;

withPackages(
  "characters that no font has are a note; a font that is there has them drawn",
  async (options) => {
    const server = await shareServer(options);
    const plot = `
import io, matplotlib.pyplot as plt, numpy as np
from PIL import Image
plt.figtext(0.1, 0.5, "日本 a", fontsize=50)
file = io.BytesIO(); plt.savefig(file, dpi=72)
int((np.asarray(Image.open(file).convert("L")) < 50).sum())`;
    const without = await show(
      server,
      `${plot}\nplt.title("語日é"); plt.xlabel("$x$"); None`,
    );
    assertEquals(without.shown.length, 1);
    assertEquals(without.output.length, 1, without.text);
    assertMatch(
      without.output[0],
      /^No font here has 日本語: boxes are drawn .* --mount\.$/,
    );
    const { output, returnValue, shown, text } = await show(
      server,
      `${FONT}${plot}`,
    );
    assertEquals([output, shown.length], [[], 1], text);
    // Two squares of 50 by 50 pixels, which boxes do not fill.
    assert(returnValue > 5000 && returnValue < 7000, text);
  },
);

withPackages(
  "a family of fonts that is not there is a line for each text of its warning",
  async (options) => {
    const server = await shareServer(options);
    for (const key of ["font.family", "font.sans-serif"]) {
      const { output, text } = await show(
        server,
        `import matplotlib.pyplot as plt
with plt.rc_context({"${key}": ["SimHei"]}):
    plt.plot([-1, 2]); plt.title("t"); plt.show()`,
        await shareSession(server),
      );
      assertEquals(output.length, 1, text);
      assertMatch(output[0], /^findfont: .*SimHei/);
    }
  },
);

withPackages(
  "figures by the hundred cost no more than those that are shown",
  async (options) => {
    const server = await shareServer(options);
    const { shown, output } = await show(
      server,
      `import matplotlib.pyplot as plt
plt.rcParams["figure.max_open_warning"] = 0
for _ in range(300): plt.figure()`,
      await shareSession(server),
    );
    assertEquals(shown.length, 10);
    assertMatch(
      output.join(),
      /^290 more pictures were left out.*Show fewer\.$/,
    );
  },
);

withPackages(
  "images come by show() or as values, in each mode",
  async (options) => {
    const server = await shareServer(options);
    const { shown, text, returnValue } = await show(
      server,
      `from PIL import Image
Image.new("RGB", (30, 20), "red").show()
for mode in ("1", "L", "LA", "P", "RGBA", "CMYK", "F", "I;16", "HSV"): display(Image.new(mode, (3, 2)))`,
      await shareSession(server),
    );
    assertEquals(
      shown.map(({ width, height }) => [width, height]),
      [[30, 20], ...Array(9).fill([3, 2])],
      text,
    );
    assertEquals(returnValue, null);
    const returned = await show(
      server,
      "from PIL import Image; Image.new('RGB', (3, 2))",
      await shareSession(server),
    );
    assertEquals(returned.shown.length, 1);
    assertMatch(returned.returnValue, /mode=RGB size=3x2/);
  },
);

withPackages(
  "what is too large is scaled down, and never encoded whole",
  async (options) => {
    await using server = await startServer([
      ...options,
      ...["--memory", "768", "+maxImageMiB=1"],
    ]);
    const cases: [string, RegExp][] = [
      [
        "from PIL import Image; Image.new('RGB', (10_000, 10_000), 'red')",
        /^A picture of 10,000 x 10,000 pixels was scaled down to 2,896 x 2,896\.$/,
      ],
      [
        "from PIL import Image; Image.new('L', (100_000, 10), 'red')",
        /^A picture of 100,000 x 10 pixels was scaled down to 8,000 x 1\.$/,
      ],
      [
        "import matplotlib.pyplot as plt; plt.subplots(figsize=(100, 100))",
        /^A picture of 10,000 x 10,000 pixels was scaled down to 2,\d{3} x 2,\d{3}\.$/,
      ],
      [
        "from PIL import Image; import os; Image.frombytes('RGB', (1000, 1000), os.urandom(3_000_000))",
        /^A picture of 1,000 x 1,000 pixels was scaled down to \d{3} x \d{3}, as it had 3,0\d\d,\d{3} bytes and may have 1,048,576\.$/,
      ],
      [
        "import matplotlib.pyplot as plt, numpy as np; plt.figure(dpi=300); plt.imshow(np.random.random((1500, 2000)), interpolation='none', cmap='prism')",
        /^A picture of 1,920 x 1,440 pixels was scaled down to .* bytes and may have 1,048,576\.$/,
      ],
    ];
    for (
      const [code, said] of ALL_ROUNDS ? cases : [0, 3].map((at) => cases[at]!)
    ) {
      const { shown: [one], output, text } = await show(server, code);
      assertMatch(output.join("\n"), said);
      assert(one && one.width <= 8000 && one.data.length <= 2 ** 20, text);
      const [, width, height] =
        / down to ([\d,]*\d) x ([\d,]*\d)/.exec(output) ??
          [];
      assertEquals(
        [one.width, one.height].map((side) => side.toLocaleString("en-US")),
        [width, height],
      );
      assert(one.width * one.height < 2 ** 23 * 1.5, text);
    }
  },
);

withPackages(
  "a DataFrame is data, and text where it is displayed",
  async (options) => {
    const server = await shareServer(options);
    const { returnValue, shown, text } = await show(
      server,
      `import pandas as pd
frame = pd.DataFrame({"a": [1, 2], "b": ["x", "y"]})
display(frame)
frame`,
    );
    assertEquals(shown, []);
    assertEquals(returnValue, [{ a: 1, b: "x" }, { a: 2, b: "y" }], text);
    assert(!text.includes("<table"), text);
  },
);

onEachPyodide(
  "what draws no picture, as in a test of others' code, fails no run",
  async (options) => {
    const server = await shareServer(options);
    const { status, output, returnValue, shown, text } = await show(
      server,
      `
import sys, types
module = sys.modules["PIL.Image"] = types.ModuleType("PIL.Image")
class Image:
    size, mode = (1, 1), "RGB"
    def save(self, file, kind): file.write(self.data)
module.Image = Image
for Image.data in (b"", b"GIF89a"): display(Image())
"mine"`,
    );
    const note = "A picture was left out, as what was drawn is no PNG.";
    assertEquals([status, returnValue, shown], ["success", "mine", []], text);
    assertEquals(output, [note, note]);
  },
);
