/**
 * Tables, long values and links on the page, and the lines of clients, in a real
 * browser.
 *
 * @module
 */
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import type { Tab } from "./support/browser.ts";
import { startHttp } from "./support/http_server.ts";
import {
  CHROMIUM,
  giveToken,
  LAST,
  run,
  runOn,
  sharePage,
  TEXT,
  textOf,
} from "./support/page.ts";

const { open, testPage } = sharePage();

async function columnOf(tab: Tab, number: number): Promise<unknown> {
  const cells = `${LAST} tbody td:nth-of-type(${number})`;
  return await tab.eval(
    `[...document.querySelectorAll("${cells}")].map((cell) => cell.innerText)`,
  );
}

testPage(
  "a table is a table at any size: head, tail, sort, and all of it as CSV",
  async (tab, { browser }) => {
    // Longer than --max-output, so that the answer has a part of it.
    await runOn(
      tab,
      "[{'n': n, 'square': n * n, 'name': 'row %d' % n} for n in range(2000)]",
    );
    await tab.until(`${TEXT(`${LAST} .shape`)} === "2,000 rows × 3 columns"`);
    const column = await columnOf(tab, 1);
    assert(Array.isArray(column));
    assertEquals([column[0], column.at(-1)], ["0", "1999"]);
    assert(column.length < 30, `${column.length} rows`);
    const sort = `${LAST} th:nth-of-type(2) button`;
    const sorted = () =>
      tab.eval(`document.querySelector("${LAST} th:nth-of-type(2)").ariaSort`);
    await tab.click(sort);
    assertEquals(await sorted(), "ascending");
    await tab.click(sort);
    assertEquals(await sorted(), "descending");
    assertEquals(Object(await columnOf(tab, 2))[0], "3996001");
    await tab.click(`${LAST} .csv`);
    await tab.downloaded();
    const csv = await Deno.readTextFile(`${browser.folder}/table.csv`);
    const lines = csv.trimEnd().split("\r\n");
    assertEquals(
      [lines.length, lines[0], lines.at(-1)],
      [2001, "n,square,name", "1999,3996001,row 1999"],
    );
    await tab.click(`${LAST} tbody td button`);
    assertEquals(Object(await columnOf(tab, 1)).length > 100, true);
  },
);

testPage(
  "a table that is longer than the server keeps is written to a file by Python",
  async (tab, { browser }) => {
    await runOn(
      tab,
      "rows = [{'n': n, 'x': 'y' * 20} for n in range(30_000)]\nrows",
    );
    await tab.until(`${TEXT(`${LAST} .shape`)} === "30,000 rows × 2 columns"`);
    await tab.click(`${LAST} .csv:last-child`);
    await tab.until(`document.querySelector("${LAST} .downloads a")`);
    await tab.click(`${LAST} .downloads a`);
    await tab.downloaded();
    const csv = await Deno.readTextFile(`${browser.folder}/rows.csv`);
    assertEquals(csv.trimEnd().split("\n").length, 30_001);
  },
);

testPage(
  "pictures and files stand above a long value, and names of resources are links",
  async (tab, { browser }) => {
    await runOn(
      tab,
      `class Dot:
    def _repr_svg_(self): return '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'
display(Dot())
open('a.txt', 'w').write('kept')
{str(n): list(range(40)) for n in range(1000)}`,
    );
    const titles = `[...document.querySelectorAll("${LAST} h4")]
    .map((title) => title.innerText)`;
    await tab.until(`${titles}.at(-1) === "Value"`);
    assertEquals(await tab.eval(titles), ["Picture", "Files", "Value"]);
    const link = `${LAST} section:last-child a`;
    assertMatch(await textOf(tab, link), /^run-python:.*\/result\.json$/);
    // The value is whole: the answer has a part of it.
    await tab.click(`${LAST} .tree > button`);
    await tab.until(`${TEXT(`${LAST} .tree`)}.includes("199: ")`);
    await tab.click(link);
    await tab.downloaded();
    const whole = JSON.parse(
      await Deno.readTextFile(`${browser.folder}/result.json`),
    );
    assertEquals(Object.keys(whole.return_value).length, 1000);
  },
);

testPage("each control of the page has a name", async (tab) => {
  await runOn(tab, "[{'a': n} for n in range(50)]");
  for (const view of ["playground", "live", "connect"]) {
    await tab.eval(`location.hash = "${view}"`);
    await tab.until(`!document.getElementById("${view}").hidden`);
    const { nodes } = await tab.send("Accessibility.getFullAXTree");
    assert(Array.isArray(nodes));
    const nameless = nodes.filter(({ role, name, ignored }) =>
      !ignored && /^(button|link|combobox|textbox)$/.test(role?.value) &&
      !name?.value
    );
    assertEquals(nameless, [], view);
  }
});

testPage(
  "the page has the lines of clients, with the address of its server",
  async (tab, { server }) => {
    await tab.until(`document.querySelector("#session").options.length > 1`);
    await tab.press("c");
    await tab.until(`!document.querySelector("#connect").hidden`);
    const text = await textOf(tab, "#connect");
    assert(
      text.includes(
        `claude mcp add --transport http python ${server.url.href}`,
      ),
      text,
    );
    assert(!text.includes("YOUR_TOKEN"), text);
  },
);

Deno.test({
  name:
    "the page has a place for the token in the lines of clients, and never the token",
  ignore: CHROMIUM === undefined,
  async fn() {
    const token = "a".repeat(43);
    await using server = await startHttp([], {
      env: { MCP_RUN_PYTHON_TOKEN: `ann:${token}` },
    });
    const { browser } = await open();
    const tab = await browser.open(new URL("/#connect", server.url));
    await giveToken(tab, token);
    await tab.until(`${TEXT("#connect")}.includes("Bearer YOUR_TOKEN")`);
    const text = await textOf(tab, "#connect");
    assert(text.includes(server.url.href), text);
    assert(!text.includes(token), text);
    await tab.eval(`location.hash = "playground"`);
    await run(tab, "x = 1");
  },
});
