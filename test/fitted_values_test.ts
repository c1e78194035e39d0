/**
 * Large values as a client's model reads them: summed up in the text and in
 * `structuredContent`, by `--structured`, by the official client in both eras and
 * over both transports. All of a value is a resource of its owner; programs get
 * values whole.
 *
 * @module
 */
import { assert, assertEquals, assertRejects } from "../deps/assert.ts";
import { log } from "../src/log.ts";
import { valueOfCode, withServers } from "./support/code_mode.ts";
import { tempFolder } from "./support/folder.ts";
import { CLI, command, COMMAND_LINE } from "./support/command.ts";
import { FOLDER_027, PACKAGES_027 } from "./support/each_pyodide.ts";
import { startHttp } from "./support/http_server.ts";
import { getPythonPackages, runPython } from "./support/python_packages.ts";
import { connectTo, ERAS, type TestClient } from "./support/server.ts";
import { shareServer, shareSession } from "./support/shared_server.ts";

const MANY = "list(range(10_000))";
const SUMMARY = {
  ...{ type: "list", length: 10_000 },
  ...{ head: [0, 1, 2, 3, 4], tail: [9995, 9996, 9997, 9998, 9999] },
};
/** As docs/values.md has it. */
const FULL = { "mcp-run-python/structured": "full" };

/** What a model gets, without the wish of this project's other tests for whole values. */
async function ask(
  { client }: Pick<TestClient, "client">,
  code: string,
  args: Record<string, unknown> = {},
  more: { name?: string; _meta?: Record<string, unknown> } = {},
) {
  const name = more.name ?? "run_python_code";
  const given = name === "run_python" ? { code } : { ["python_code"]: code };
  const { content, structuredContent } = await client.callTool({
    ...{ name, arguments: { ...given, ...args } },
    ...(more._meta ? { _meta: more._meta } : {}),
  });
  const [first] = content;
  const text = first?.type === "text" ? first.text : "";
  // deno-lint-ignore no-explicit-any -- a test says what it expects
  const data: any = structuredContent;
  return { text, data };
}

const [, TABLE = ""] = Deno.readTextFileSync(
  new URL("../docs/values.md", import.meta.url),
).split(/^## Large values/m);

Deno.test({
  name:
    "docs/values.md says how large values are summed up, in both forms of an answer",
  ignore: FOLDER_027 === "",
  async fn() {
    const server = await shareServer(PACKAGES_027);
    const session = await shareSession(server);
    const [, setup = ""] = /```python\n(.*?)```/s.exec(TABLE) ?? [];
    await ask(server, setup, session);
    const rows = [...TABLE.matchAll(/^\| `(.*?)` +\| `(.*?)` +\|$/gm)];
    assert(rows.length > 5);
    for (const [, expression = "", expected = ""] of rows) {
      const { text, data } = await ask(server, expression, session);
      assertEquals(data.return_value, JSON.parse(expected), expression);
      assert(data.truncated["return_value"] > 4000, expression);
      assert(text.includes("\n<return_value>\n"));
      assert(text.length < 1500, `${expression}: ${text.length}`);
    }
    const { text } = await ask(server, "series", session);
    assert(text.includes("Length: 5000"), text);
    const all = "(series.sum(), len(rows), rows[4999]['name'])";
    const { data } = await ask(server, all, session);
    assertEquals(data.return_value, [12_497_500, 5000, "item 4999"]);
  },
});

Deno.test("a large value is summed up for all clients, and its owner alone reads all of it", async () => {
  await using http = await startHttp([]);
  const own = await shareServer();
  await using first = await http.connect(ERAS[0]);
  await using second = await http.connect(ERAS[1]);
  for (const server of [own, first, second]) {
    const { text, data } = await ask(server, MANY);
    assertEquals(data.return_value, SUMMARY);
    const { uri, note, return_value: length } = data.truncated;
    assertEquals(length, 48_891);
    assert(text.includes(`\n${JSON.stringify(SUMMARY)}\n`), text);
    assert(text.endsWith(`<truncated>\n${note}\n</truncated>`), text);
    assert(note.includes(uri) && text.length < 500, text);
    const { contents } = await server.client.readResource({ uri });
    const whole = JSON.parse(Object(contents[0]).text);
    assertEquals(whole.return_value.at(-1), 9999);
    const others = server === own ? [first] : [own];
    for (const { client } of others) {
      await assertRejects(
        () => client.readResource({ uri }),
        /There is no file at/,
      );
    }
  }
});

Deno.test("values of up to 4,000 characters stay as they are, and texts that long in the text", async () => {
  const server = await shareServer();
  const list = await ask(server, "['a' * 3996]");
  assertEquals(list.data, {
    ...{ status: "success", output: [], "return_value": ["a".repeat(3996)] },
  });
  const long = await ask(server, "['a' * 3997]");
  assert(JSON.stringify(long.data).length < 2500);
  assertEquals(long.data.truncated["return_value"], 4001);
  const all = await ask(server, "'a' * 4000");
  assertEquals(all.data.return_value, "a".repeat(4000));
  const text = await ask(server, "'a' * 4001");
  assertEquals(text.data.truncated["return_value"], 4001);
  assert(text.data.return_value.includes("characters left out"));
  assert(text.text.includes("a".repeat(4001)));
});

Deno.test("--structured: full has values whole, none has no structured content and no schema of it", async () => {
  const full = await shareServer(["--structured", "full"]);
  const { text, data } = await ask(full, "list(range(2000))");
  assertEquals(data.return_value.at(-1), 1999);
  assertEquals(data.truncated, undefined);
  assert(text.includes('"length":2000') && text.length < 500, text);
  for (const options of [["--structured", "none"], ["--no-structured"]]) {
    const server = await shareServer(options);
    const { tools } = await server.client.listTools();
    const schemas = tools.map((tool) => tool.outputSchema);
    assertEquals(schemas.filter((it) => it !== undefined).length, 0);
    const { text, data } = await ask(server, MANY);
    assertEquals(data, undefined);
    assert(text.includes('"length":10000'), text);
  }
});

Deno.test("programs get values whole: --return-mode json, run, and calls that ask for it", async () => {
  const json = await shareServer(["--return-mode", "json"]);
  const answer = await ask(json, "list(range(2000))");
  assertEquals(JSON.parse(answer.text).return_value.at(-1), 1999);
  assertEquals(answer.data.return_value.type, "list");
  const asked = await ask(await shareServer(), "list(range(2000))", {}, {
    _meta: FULL,
  });
  assertEquals(asked.data.return_value.at(-1), 1999);
  const { stdout } = await command([
    ...["run", "--return-mode", "json", "-c", MANY],
  ]);
  assertEquals(JSON.parse(stdout).return_value.at(-1), 9999);
});

Deno.test("in code mode values are summed up, too, and stay whole in Python", async () => {
  for (const mode of ["compact", "toon"]) {
    await using server = await connectTo([
      ...[CLI, "--code-mode", "--return-mode", mode, "stdio"],
    ], { era: ERAS[1] });
    const name = { name: "run_python" };
    const code = `rows = {"title": "t", "all": ${MANY}}\nrows`;
    const { text, data } = await ask(server, code, {}, name);
    assertEquals(data.return_value, { title: "t", all: SUMMARY });
    assert(text.includes("9995") && text.length < 1000, text);
    const next = "print(sum(rows['all']))\nlen(rows['all'])";
    const then = await ask(server, next, {}, name);
    assertEquals(then.data.return_value, 10_000);
    assertEquals(then.data.stdout, ["49995000"]);
    const whole = await ask(server, "rows['all'][:2000]", {}, {
      ...name,
      _meta: FULL,
    });
    assertEquals(whole.data.return_value.at(-1), 1999);
  }
});

Deno.test("code of code mode gets values of another server of this program whole", async () => {
  await using folder = await tempFolder();
  const [program = "", ...args] = [...COMMAND_LINE, "stdio"];
  const inner = { command: program, args, env: Deno.env.toObject() };
  const options = await withServers(folder.path, { inner });
  await using server = await connectTo([
    ...[CLI, ...options, "stdio"],
  ], { env: { MCP_RUN_PYTHON_ALLOW_SELF_SERVER: "1" } });
  const value = await valueOfCode(
    server,
    `r = await mcp_inner.run_python_code(python_code="list(range(2000))")
r.data["return_value"][-1]`,
    ["inner"],
  );
  assertEquals(value, 1999);
});

Deno.test("values of Monty are summed up, too, but for its own tool, whose values have tags", async () => {
  const server = await shareServer(["--engine", "pyodide,monty"]);
  const { text, data } = await ask(server, MANY, { engine: "monty" });
  assertEquals(data.return_value, SUMMARY);
  assert(text.includes(JSON.stringify(SUMMARY)), text);
  const { structuredContent } = await server.client.callTool({
    ...{ name: "run", arguments: { code: "list(range(2000))" } },
  });
  const { List: list } = Object(Object(structuredContent).result);
  assertEquals(list.length, 2000);
});

Deno.test("series and tables of the real polars are summed up", async () => {
  const found = await getPythonPackages("polars==1.31.0");
  if ("reason" in found) {
    return log(`skipped: values of polars: ${found.reason}`);
  }
  const runner = new URL("../src/engines/pyodide", import.meta.url).pathname;
  const printed = await runPython(found, [
    "-c",
    `import sys; sys.path.insert(0, ${JSON.stringify(runner)})
sys.dont_write_bytecode = True
import polars as pl
from runner.summaries import summary_text
from runner.values import to_json_text
for value in (pl.Series(range(5000)), pl.DataFrame({"a": range(3000)})):
    print(summary_text(value, to_json_text(value)))`,
  ]);
  const [series, table] = printed.trim().split("\n").map((it) =>
    JSON.parse(it)
  );
  const head = [0, 1, 2, 3, 4];
  const tail = [4995, 4996, 4997, 4998, 4999];
  const type = "polars.Series";
  assertEquals(series, { type, dtype: "Int64", shape: [5000], head, tail });
  assertEquals([table.shape, table.tail.at(-1)], [[3000, 1], { a: 2999 }]);
});
