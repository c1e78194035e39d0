/**
 * What an error says about this place, for whoever mends the code.
 *
 * @module
 */
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { CANNOT_RUN } from "../src/engines/shared/cannot_run.ts";
import { NPM_PYODIDE } from "../src/engines/pyodide/runtime.ts";
import {
  FOLDER_027,
  onEachPyodide,
  PACKAGES_027,
} from "./support/each_pyodide.ts";
import { ALL_ROUNDS } from "./support/rounds.ts";
import { shareServer, shareSession } from "./support/shared_server.ts";

/** Code that asks for what WebAssembly lacks, and what is said of it. */
const SURPRISES: Record<string, RegExp> = {
  "import subprocess; subprocess.run(['ls'])": /no other processes here/,
  "import os; os.popen('ls').read()": /no other processes here/,
  "import os; os.fork()": /no operating system for this function/,
  "import multiprocessing; multiprocessing.Pool(2)": /no other processes here/,
  "from concurrent.futures import ProcessPoolExecutor as P\nP().submit(print)":
    /no other processes here/,
  "import asyncio\nawait asyncio.create_subprocess_exec('ls')":
    /no other processes here/,
  "import threading; threading.Thread(target=print).start()":
    /no threads here.*asyncio\.gather/,
  "from concurrent.futures import ThreadPoolExecutor as T\nT().submit(print)":
    /no threads here/,
  "input('name? ')": /EOFError: .*\nThere is no input here.*global_variables/,
  "open('/home/me/data.csv')": /user's files are not here.*--mount/,
  "open('~/data.csv')": /user's files are not here/,
  "open(r'C:\\Users\\me\\data.csv')": /user's files are not here/,
  "import micropip": /Code cannot install packages: import them/,
  // As pandas 2 and 3 word it, plotly and others.
  "raise ImportError(\"Missing optional dependency 'Tabulate'. Use pip\")":
    /Tabulate'\.\nIf .* package tabulate, ask the user .* --deps tabulate\.$/,
  "raise ImportError('`Import pyarrow` failed.  Use pip, conda, or')":
    /failed\.\n.* package pyarrow, ask the user to start .* --deps pyarrow\.$/,
  "raise ImportError('Use pip or conda to install the X.y package. Or not.')":
    /ImportError: +Or not\.$/,
  "raise RuntimeError('Requires it:\\n\\n  $ pip install -U \"kaleido>=1\"\\n')":
    /\n {2}install kaleido>=1\n\nkaleido cannot run here: pictures of plotly/,
  "raise ValueError('Run `python -m pip install --upgrade foo[bar]` first')":
    /ValueError: Run `install foo\[bar\]` first\nIf .* --deps foo\.$/,
  "raise Exception('conda install -c conda-forge umap-learn')":
    /Exception: install umap-learn\nIf .* --deps umap-learn\.$/,
  "e = KeyError('x'); e.add_note('await micropip.install(\"x\") or'); raise e":
    /KeyError: 'x'\s*$/,
  "import os; os.system('ls')": /OSError: .*\nThere are no other processes/,
  "import os; os.execv('/bin/ls', ['ls'])": /no other processes here/,
  "import os; os.posix_spawn('/bin/ls', ['ls'], {})": /cannot run here: there/,
  "import signal; signal.alarm(1)": /signal\.alarm cannot run here: .*timeout/,
  "import getpass; getpass.getpass()": /There is no input here/,
  "import webbrowser; webbrowser.open('x')": /no browser here.*write_html/,
  "import torch.nn": /\ntorch cannot run here: its native .* scikit-learn/,
  "from selenium import webdriver": /selenium cannot run here: .* HTTP/,
  "import psycopg2": /psycopg2 cannot run here: .* sqlite3/,
  "import pyspark": /pyspark cannot run here: .* duckdb/,
  "import distutils.core": /distutils\S* cannot run here: python itself/,
  "import test.support": /"test" is a part of the standard library/,
  "from IPython.display import display":
    /display\(object\) needs no import here, and HTML\(text\) is in mcp_run_python\. It is in the package ipython/,
  "```python\nprint(1)\n```": /SyntaxError: .*\nLeave the lines with ``` out/,
  "import tkinter": /tkinter cannot run here: there is neither a screen/,
  "import readline": /"readline" is a part of the standard library that/,
};

onEachPyodide(
  "hints: an error that WebAssembly makes says what is missing, and the way around",
  async (options) => {
    const server = await shareServer(options);
    const session = await shareSession(server);
    for (const [code, hint] of Object.entries(SURPRISES)) {
      const { error } = await server.call(code, session);
      assertMatch(error ?? "no error", hint, code);
    }
    if (options.length > 0) {
      const { error } = await server.call("import sqlite3");
      assertMatch(error ?? "", /It is in the package sqlite3, ask the user/);
    }
    const { error } = await server.call("def f(x):\n    return x / 0\nf(1)");
    assertMatch(
      error ?? "",
      /^Traceback.*\n {2}File "main\.py", line 3, in <module>\n {4}f\(1\)\n( {4}~\^\^\^\n)? {2}File "main\.py", line 2, in f\n {4}return x \/ 0\n {11}~~\^~~\nZeroDivisionError: \w+ by zero$/,
    );
  },
);

onEachPyodide("input is at its end", async (options) => {
  const server = await shareServer(options);
  const { returnValue, text } = await server.call(
    "import sys\n[sys.stdin.read(), list(sys.stdin)]",
  );
  assertMatch(JSON.stringify(returnValue), /^\["",\[\]\]$/, text);
});

const MEASURES = CANNOT_RUN.measures.says;

/** Code as models write it for notebooks, and the value and the output that come. */
const NOTEBOOKS: [code: string, value: unknown, output: string[]][] = [
  ["%matplotlib inline\nfrom __future__ import annotations\n1", 1, []],
  [
    "%%time\nx = 1\nif x:\n    %load_ext autoreload\nx",
    1,
    [
      `Ignored, as this is not a notebook: %%time; %load_ext autoreload. ${MEASURES}`,
    ],
  ],
  [
    "%config InlineBackend.figure_format = 'retina'\n1",
    1,
    [
      "Ignored, as this is not a notebook: %config InlineBackend.figure_format = 'retina'",
    ],
  ],
  ["%time x = 5\n%timeit -n 10 -r3 x += 1\n%time x + 1\n", 7, [
    `Ignored, as this is not a notebook: %time; %timeit -n 10 -r3. ${MEASURES}`,
  ]],
  ["%matplotlib qt\n1", 1, [
    "Ignored, as this is not a notebook: %matplotlib qt",
  ]],
  [
    's = """\n%matplotlib inline\n!pip install x\n"""\n%config a = 1\nt = f"""\n!ls {\n2}"""\ny = (5\n%time(2)) if 0 else \\\n3\n[s, t, y]',
    ["\n%matplotlib inline\n!pip install x\n", "\n!ls 2", 3],
    ["Ignored, as this is not a notebook: %config a = 1"],
  ],
  [
    '%matplotlib inline\nx = 1\n"""\n!ls\n\n%time x\n"""',
    "\n!ls\n\n%time x\n",
    [],
  ],
  ["\r\n%colors\r\ntry:\r\n    1\r\nexcept: \r\n    !ls\r\n2", 2, [
    "Ignored, as this is not a notebook: %colors",
  ]],
];

/** Code for a shell, and the start and the end of its error. */
const COMMANDS: Record<string, RegExp> = {
  "%pip install torch>=2 x":
    /There is no pip here, and torch cannot run here: its native/,
  "x = 1\n!pip install polars 'altair>=5' -q > /dev/null":
    /^Traceback .*\n {2}File "main\.py", line 2, in <module>\n {4}!pip install polars .*\nNotImplementedError: There is no pip here, ask the user to start the server with --deps polars,altair\.$/,
  "def f():\n    %pip install -U Some.Thing[x]~=1.0\n\nf()":
    /line 4, in <module>\n {4}f\(\)\n.*line 2, in f\n {4}%pip install .*\nN.* --deps Some\.Thing\.$/s,
  "!{sys.executable} -m pip install -c c.txt x": / --deps x\.$/,
  "pip install x==1 && python a.py": / --deps x\.$/,
  "%conda install -y -c forge x # why": / --deps x\.$/,
  "!pip install -r requirements.txt":
    /There is no pip here\. Code cannot install/,
  "!pip install git+https://host.example/x": /There is no pip here/,
  "files = !ls": /line 1, in <module>\n {4}files = !ls\nN.*no other processes/s,
  "!python main.py": /no other processes here/,
  "!!ls": /no other processes here/,
  "%sql SELECT it's": /There is no IPython here, and no %sql\./,
  "%%bash\nfor x in *; do echo '$x; done": /no %%bash\. Do it in Python\.$/,
  "%matplotlib inline\n\nx = = 3": /line 3\n {4}x = = 3\n {8}\^\nSyntaxError/,
  "x = 5\n% 3": /line 2\n {4}% 3\n {4}\^\nSyntaxError/,
  "x = (5\n%time 3)": /SyntaxError/,
  "%time 1 / 0": /line 1, in <module>\n {4}%time 1 \/ 0\n {10}~~\^~~\nZero/,
};

onEachPyodide(
  "lines of a notebook are ignored, or say the way to do it here",
  async (options) => {
    const server = await shareServer(options);
    const session = await shareSession(server);
    for (const [code, value, output] of NOTEBOOKS) {
      const ran = await server.call(code, session);
      assertEquals([ran.returnValue, ran.output], [value, output], ran.text);
    }
    for (const [code, says] of Object.entries(COMMANDS)) {
      // Tracebacks of a session also name the run of each line.
      const args = says.source.includes("line ") ? {} : session;
      const { error } = await server.call(code, args);
      assertMatch(error ?? "no error", says, code);
    }
  },
);

onEachPyodide(
  "what plotly draws by a browser, or shows in one, says so",
  async (options) => {
    const server = await shareServer(options);
    const text =
      "def show(*args): raise RuntimeError('$ pip install -U kaleido')";
    const cases = {
      "io._renderers":
        /install kaleido\nPictures of plotly are drawn by a browser/,
      "io._kaleido":
        /install kaleido\nPictures of plotly are drawn by a browser/,
      "offline.offline": /install kaleido\nThere is no browser here .*display/,
    };
    const files = Object.keys(cases).map((name) => ({
      path: `plotly/${name.replace(".", "/")}.py`,
      text,
    }));
    for (const [name, says] of Object.entries(cases)) {
      const code = `import plotly.${name}\nplotly.${name}.show(None, "png")`;
      const { error } = await server.call(code, { files });
      assertMatch(error ?? "no error", says, code);
    }
  },
);

/** Modules of the standard library that are packages of their own in some Pyodide. */
const UNVENDORED =
  "ssl lzma _lzma sqlite3 _sqlite3 test distutils pydecimal _pydecimal pydoc_data hashlib _hashlib _ssl tzdata";
const FOREIGN = /micropip\.|loadPackage|pip install|conda|Pyodide/;

onEachPyodide(
  "no error of a missing module has the words of another installer",
  async (options) => {
    const server = await shareServer(options);
    const session = await shareSession(server);
    const folder = options[1] ?? NPM_PYODIDE.folder;
    const lock = JSON.parse(
      await Deno.readTextFile(`${folder}/pyodide-lock.json`),
    );
    const packages: { imports?: string[] }[] = Object.values(lock.packages);
    const offered = packages.flatMap(({ imports = [] }) => imports)
      .filter((_, at) => ALL_ROUNDS || at % 20 === 0);
    for (const name of [...offered, ...UNVENDORED.split(" ")]) {
      const { error = "" } = await server.call(`import ${name}`, session);
      assert(!FOREIGN.test(error), error);
      const isThere = error === "";
      assert(isThere || /\n.+(--deps|WebAssembly|here).+$/.test(error), error);
    }
  },
);

Deno.test({
  name: "hints of data packages: pandas, matplotlib and the rest",
  ignore: FOLDER_027 === "",
  async fn() {
    const server = await shareServer(PACKAGES_027);
    const session = await shareSession(server);
    const files = [{ path: "data.csv", text: "a\n1\n" }];
    await server.call("import pandas as pd; df = pd.DataFrame({'a': [1]})", {
      ...session,
      files,
    });
    const near = /The nearest are \/workspace\/data\.csv\.$/;
    const errors: Record<string, RegExp> = {
      "pd.read_csv('dta.csv')": near,
      "pd.read_parquet('data.parquet')": near,
      "import numpy; numpy.loadtxt('dta.csv')": near,
      "import pyarrow.parquet as pq; pq.read_table('data.parquet')": near,
      "df.to_markdown()": /'tabulate'\.\nIf .* --deps tabulate\.$/,
      "df.style": /requires jinja2\.\nIf .* --deps jinja2\.$/,
      "df.to_excel('x.xlsx')": /'openpyxl'\nIf .* --deps openpyxl\.$/,
      "df.to_sql('a', 'sqlite:///x.db')": /--deps sqlalchemy\.$/,
      "pd.read_xml('<a/>')": /--deps lxml\.$/,
      "import cv2": /cv2 cannot run here: only a Pyodide distribution/,
      "pd.DataFrame({'city': [1], 'n': [2]})['citty']":
        /\nThe nearest are 'city'\. The columns are 'city', 'n'\.$/,
      "df.merge(pd.DataFrame({'c': [1], 'aa': [2]}), on='a')":
        /KeyError: 'a'\nThe nearest are 'aa'\. The columns are 'c', 'aa'\.$/,
      "df.merge(df, left_on='a', right_on='b')": /'b'\nThe columns are 'a'\.$/,
      "df.sort_values('b')": /'b'\nThe columns are 'a'\.$/,
      "df.apply(lambda row: row['b'], axis=1)": /'b'\nThe columns are 'a'\.$/,
      "df.apply(lambda row: {}['b'], axis=1)": /'b'$/,
      "df.loc[:, 'b']": /'b'\nThe columns are 'a'\.$/,
      "df.loc['a']": /KeyError: 'a'$/,
      "df.drop('a')": /not found in axis"$/,
      "df.drop(columns='b')": /in axis"\nThe columns are 'a'\.$/,
      "pd.DataFrame([[1, 2]])['b']": /'b'\nThe columns are 0, 1\.$/,
      ...Object.fromEntries(
        ["loc['Olso']", "loc[['Olso']]", "at['Olso', 'n']"].map((of) => [
          `pd.DataFrame({'n': [1]}, index=['Oslo']).${of}`,
          /KeyError: .*Olso.*\nThe nearest labels of the index are 'Oslo'\.$/,
        ]),
      ),
      "pd.Series({'Oslo': 1})['Olso']": /\nThe nearest labels .* 'Oslo'\.$/,
      ...Object.fromEntries(
        [
          "groupby('B')",
          "groupby('a')['B']",
          "groupby('a').agg({'B': 'sum'})",
          "dropna(subset=['B'])",
          "drop_duplicates(subset=['B'])",
          "query('B > 1')",
          "eval('B + 1')",
        ].map((of) => [
          `pd.DataFrame({'a': [1], 'b': [2]}).${of}`,
          /\nThe nearest are 'b'\. The columns are 'a', 'b'\.$/,
        ]),
      ),
      "df.query('a > @least')": /'least' is not defined$/,
      "df['a'].map(int).astype('x y')": /TypeError: .*$/,
      "pd.read_csv('data.csv', usecols=['A'])":
        /\['A'\]\nThe nearest are 'a'\. The columns are 'a'\.$/,
      "df[['b', 'a']]": /\nThe columns are 'a'\.$/,
      "pd.Timestamp('2026-07-01', tz='Europe/Berln')":
        /\nThe nearest are Europe\/Berlin/,
    };
    for (const [code, says] of Object.entries(errors)) {
      const { error = "no error" } = await server.call(code, session);
      assertMatch(error, says, code);
      assert(!/pip install|Use pip/.test(error), error);
    }
    const zones = await server.call(
      "str(pd.Timestamp('2026-07-01').tz_localize('Europe/Amsterdam')), str(__import__('zoneinfo').ZoneInfo('Asia/Tokyo'))",
      session,
    );
    assertEquals(zones.returnValue, [
      "2026-07-01 00:00:00+02:00",
      "Asia/Tokyo",
    ]);
    for (
      const code of [
        "import matplotlib; matplotlib.use('TkAgg')",
        "import matplotlib.pyplot as plt; plt.switch_backend('QtAgg')",
      ]
    ) {
      const plot =
        "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()";
      const { content } = await server.client.callTool({
        name: "run_python_code",
        arguments: { python_code: `${code}\n${plot}`, ...session },
      });
      const [text, ...images] = content;
      assertMatch(
        text?.type === "text" ? text.text : "",
        /\[no backend \w+\] There are no windows here/,
      );
      assertEquals(images.map(({ type }) => type), ["image"], code);
    }
  },
});
