/**
 * Writes the table of docs/values.md: the tokens that a model reads of ten typical
 * answers, as text or as structured content, beside those of an earlier version,
 * which that table has. Each answer is checked first.
 *
 * `deno run -A scripts/answer_tokens.ts`
 *
 * @module
 */
import { assert, assertMatch } from "../deps/assert.ts";
import { count } from "../src/results/cut.ts";
import { print } from "../src/log.ts";
import { toTable } from "../test/bench/table.ts";
import { withServers } from "../test/support/code_mode.ts";
import { npmServers } from "../test/support/downstream_servers.ts";
import { FOLDER_027, PACKAGES_027 } from "../test/support/each_pyodide.ts";
import { tempFolder } from "../test/support/folder.ts";
import { startServer } from "../test/support/server.ts";
import { openTokenizer, TOKENIZER } from "../test/support/tokenizer.ts";

type CallTool = Awaited<ReturnType<typeof startServer>>["client"]["callTool"];
type Answer = Awaited<ReturnType<CallTool>>;

/** A call of a typical kind, and what its answer has to say, in both its forms. */
interface Asked {
  name: string;
  code: string;
  says: RegExp[];
}

const FRAME = `import numpy as np, pandas as pd
df = pd.DataFrame({
    "city": [f"city {i}" for i in range(200)],
    "people": np.arange(200) * 1000,
    "area": np.linspace(1, 99, 200),
    "day": pd.date_range("2026-01-01", periods=200),
    "capital": [i % 7 == 0 for i in range(200)],
})
`;

const TABLES: Asked[] = [
  {
    name: "a frame of 200 rows",
    code: `${FRAME}df`,
    says: [/city 0\b/, /city 199\b/, /199000/],
  },
  {
    name: "an array, `np.random.rand(100, 100)`",
    code: "import numpy as np\nnp.random.seed(0)\nnp.random.rand(100, 100)",
    says: [/0\.5488135/],
  },
  {
    name: "`df.describe()`",
    code: `${FRAME}df.describe()`,
    says: [/mean/, /99500/, /75%/],
  },
  {
    name: 'an error in pandas, `df["nope"]`',
    code: `${FRAME}df["nope"]`,
    says: [/KeyError: 'nope'/, /main\.py\\?", line \d+/],
  },
];

const PLAIN: Asked[] = [
  {
    name: "nested JSON, 2,000 items",
    code: `[{"id": i, "name": f"item {i}", "tags": ["a", "b"],
  "price": {"amount": i * 1.5, "currency": "EUR"}} for i in range(2000)]`,
    says: [/item 0\b/, /EUR/],
  },
  {
    name: "a long print, 5,000 lines",
    code: `for i in range(5000): print("line", i, i * i)`,
    says: [/line 0 0/, /line 4999 24990001/],
  },
  {
    name: "an error, a NameError",
    code: "prices = [1, 2]\nsum(price)",
    says: [/NameError: name 'price' is not defined/, /line 2/],
  },
  {
    name: "100 files that were written, as a list",
    code: `import os
for i in range(100):
    with open(f"part-{i:03}.csv", "w") as file: file.write("a,b\\n1,2\\n" * 20)
sorted(os.listdir())`,
    says: [/part-000\.csv/, /part-099\.csv/, /run-python:/],
  },
];

const BAR: Asked = {
  name: "a loop of 1,000 steps with tqdm",
  code: `import time
from tqdm import tqdm
for _ in tqdm(range(1000)): time.sleep(0.005)`,
  says: [/1000\/1000/],
};

const PICTURE: Asked = {
  name: "a picture of a tool, in code mode",
  code: "r = await mcp_everything.get_tiny_image()\nr",
  says: [/image/],
};

/** What one answer costs. */
interface Cost {
  name: string;
  text: number;
  structured: number;
}

const PAGE = new URL("../docs/values.md", import.meta.url);
const TABLE = /^\| answer .*\n(\|.*\n)+/m;

const page = await Deno.readTextFile(PAGE);
const countTokens = await openTokenizer();
const costs = await measureAll();
const before = readBefore(page, costs);
const table = toTable(
  ["answer", "text before", "text", "structured before", "structured"],
  [...costs, total(costs)].map(({ name, text, structured }, at) => {
    const was = [...before, total(before)][at];
    const numbers = [was?.text, text, was?.structured, structured];
    return [name, ...numbers.map((number = 0) => count(number))];
  }),
);
await Deno.writeTextFile(PAGE, page.replace(TABLE, () => `${table}\n`));
print(`${table}\n\nTokens of ${TOKENIZER}.\n`);

async function measureAll(): Promise<Cost[]> {
  assert(FOLDER_027 !== "", "There is no Pyodide 0.27 here.");
  await using folder = await tempFolder();
  const found = await npmServers(folder.path);
  if ("reason" in found) throw new Error(found.reason);
  const { everything } = found.servers;
  assert(everything);
  const costs: Cost[] = [];
  const ask = async (options: string[], asked: Asked[]) => {
    await using server = await startServer(options);
    for (const one of asked) costs.push(await measure(server.client, one));
  };
  await ask(PACKAGES_027, TABLES);
  await ask([], PLAIN);
  await ask(["--deps", "tqdm"], [BAR]);
  await ask(await withServers(folder.path, { everything }), [PICTURE]);
  return costs;
}

async function measure(
  client: { callTool: CallTool },
  { name, code, says }: Asked,
): Promise<Cost> {
  const answer = await client.callTool(
    name.includes("code mode")
      ? { name: "run_python", arguments: { code, servers: ["everything"] } }
      : { name: "run_python_code", arguments: { python_code: code } },
  );
  const text = textOf(answer);
  const structured = JSON.stringify(answer.structuredContent);
  for (const words of says) {
    for (const form of [text, structured]) assertMatch(form, words, name);
  }
  return {
    name,
    text: countTokens(text),
    structured: countTokens(structured),
  };
}

function textOf({ content }: Answer): string {
  return content.map((block) => block.type === "text" ? block.text : "")
    .join("\n");
}

function total(costs: readonly Cost[]): Cost {
  const sum = (key: "text" | "structured") =>
    costs.reduce((all, cost) => all + cost[key], 0);
  return { name: "all ten", text: sum("text"), structured: sum("structured") };
}

/** What the same answers cost before, by the page's table. */
function readBefore(page: string, costs: readonly Cost[]): Cost[] {
  const rows = (TABLE.exec(page)?.[0] ?? "").split("\n")
    .map((line) => line.split("|").map((cell) => cell.trim()));
  return costs.map(({ name }) => {
    const row = rows.find((cells) => cells[1] === name);
    if (!row) throw new Error(`${PAGE} does not say what ${name} cost before.`);
    const [, , text = "", , structured = ""] = row;
    return { name, text: toNumber(text), structured: toNumber(structured) };
  });
}

function toNumber(text: string): number {
  return Number(text.replaceAll(",", ""));
}
