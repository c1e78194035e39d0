/**
 * The page as a notebook: its sessions, history, keys and room, in a real browser.
 *
 * @module
 */
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import {
  choose,
  codeOf,
  CONTENT,
  count,
  EDITOR,
  LAST,
  runOn,
  sharePage,
  TEXT,
  textOf,
  write,
} from "./support/page.ts";

const { testPage } = sharePage();

testPage(
  "a run on the page goes on in the session of the last, and Shift+Enter runs it",
  async (tab) => {
    await runOn(tab, "x = 5");
    assertEquals(await textOf(tab, "#status"), "Success");
    // An assignment has no value to show.
    assertEquals(await textOf(tab, `${LAST} .results`), "");
    await runOn(tab, "x * 2");
    assertEquals(await textOf(tab, `${LAST} .results pre`), "10");
    const first = await tab.eval(`document.querySelector("#session").value`);
    await tab.click("#new-session");
    await tab.until(`document.querySelector("#session").value === "new"`);
    await runOn(tab, "'x' in globals()");
    assertEquals(await textOf(tab, `${LAST} .results pre`), "false");
    await choose(tab, "#session", String(first));
    await tab.until(`${TEXT("#session-details")}.includes("x")`);
    await runOn(tab, "x");
    assertEquals(await textOf(tab, `${LAST} .results pre`), "5");
    await choose(tab, "#session", "none");
    await tab.until(`document.querySelector("#session-card").hidden`);
    await runOn(tab, "x");
    assertMatch(await textOf(tab, `${LAST} .error pre`), /NameError/);
  },
);

testPage(
  "the page's runs form a history with their code, the latest last, which a person clears",
  async (tab) => {
    await runOn(tab, "one = 1\none");
    await runOn(tab, "print('two')");
    const heads = `[...document.querySelectorAll(".run h3")]
    .map((head) => head.innerText)`;
    assertEquals(await tab.eval(heads), ["[1]", "[2]"]);
    assertMatch(await textOf(tab, ".run details pre"), /^one = 1\none$/);
    assertEquals(await textOf(tab, `${LAST} .log`), "two\n");
    await tab.click('[aria-label="Edit run 1"]');
    await tab.until(`${CONTENT}.innerText.startsWith("one = 1")`);
    await tab.click('[aria-label="Remove run 1"]');
    assertEquals(await tab.eval(heads), ["[2]"]);
    await tab.click("#clear");
    assertEquals(await tab.eval(count(".run")), 0);
    await tab.go(new URL(String(await tab.eval("location.href"))));
    await tab.until(`document.querySelector("#session").options.length > 1`);
    assertEquals(await tab.eval(count(".run")), 0);
  },
);

testPage(
  "code, session and outputs outlast a reload of the page, as text",
  async (tab, { server }) => {
    const evil = "<img src=x onerror=alert(1)>";
    await runOn(
      tab,
      `EVIL = ${JSON.stringify(evil)}
print(EVIL)
open(EVIL + '.txt', 'w').write('x')
class Evil:
    def _repr_svg_(self): return '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9" onload="alert(2)"/>'
display(Evil())
[{EVIL: EVIL}] * 3`,
    );
    await runOn(tab, "raise ValueError(EVIL)");
    const shown = await textOf(tab, "#runs");
    const session = await tab.eval(`document.querySelector("#session").value`);
    await tab.go(
      server.url.pathname === "/mcp" ? new URL("/", server.url) : server.url,
    );
    await tab.until(
      `document.querySelector("#session").value === "${session}"`,
    );
    await tab.until(`${TEXT("#runs")} === ${JSON.stringify(shown)}`);
    assertMatch(await codeOf(tab), /raise ValueError/);
    await tab.until(`document.querySelector("figure img").naturalWidth > 0`);
    assertEquals(await tab.eval(count("[onerror], [onload], #runs svg")), 0);
    await runOn(tab, "len(EVIL)");
    assertEquals(await textOf(tab, `${LAST} h3`), "[3]");
    assertEquals(await textOf(tab, `${LAST} .results pre`), `${evil.length}`);
  },
);

testPage(
  "a run whose results stop the page is not shown by the next load, and the others are",
  async (tab) => {
    await runOn(tab, "'harmless'");
    await runOn(tab, "'stops the page'");
    // As a page leaves it that does not come to its own end.
    await tab.eval(
      `addEventListener("pagehide", () => sessionStorage.showing = "2")`,
    );
    const again = new URL(String(await tab.eval("location.href")));
    for (let load = 0; load < 2; load++) {
      await tab.go(again);
      await tab.until(`${TEXT("#runs")}.includes("as it showed the results")`);
      assertEquals(await textOf(tab, ".run .results pre"), "harmless");
      assert(!(await textOf(tab, `${LAST} .results`)).includes("stops"));
      await tab.until(`sessionStorage.showing === undefined`);
    }
  },
);

testPage(
  "the page shows what turns a text or piles up, and the start of a long one",
  async (tab) => {
    await runOn(tab, `"\\u202e" + "a" + "\\u0301" * 100_000`);
    const value = await textOf(tab, `${LAST} .results pre`);
    assertEquals(value, `\\u202ea${"\u0301".repeat(8)}…`);
    await runOn(tab, "open('d\\u202egpj.exe', 'w').write('x'); 'y' * 30_000");
    assertMatch(await textOf(tab, `${LAST} .downloads`), /^d\\u202egpj\.exe/);
    assertEquals((await textOf(tab, `${LAST} .results pre`)).length, 20_000);
    await tab.click(`${LAST} pre + button`);
    assertEquals((await textOf(tab, `${LAST} .results pre`)).length, 30_000);
  },
);

testPage(
  "a session that has ended is not chosen after a reload of the page, and a run that it stopped says so",
  async (tab, { server }) => {
    await runOn(tab, "gone = 1");
    await write(tab, "while True: pass");
    await tab.press("Enter", { shift: true });
    await tab.until(`${TEXT("#status")} === "Running"`);
    await tab.eval(`sessionStorage.session = "an-old-handle"`);
    await tab.go(new URL("/", server.url));
    await tab.until(`document.querySelector("#session").value === "new"`);
    assertMatch(await textOf(tab, `${LAST} .error`), /loaded again/);
  },
);

testPage(
  "Tab completes a name after a letter, and indents at the start of a line",
  async (tab) => {
    await runOn(tab, "temperature_of_rome = 21\nimport math");
    await tab.until(`${TEXT("#session-details")}.includes("math")`);
    const popup = `${EDITOR}.querySelector(".cm-tooltip-autocomplete")`;
    const complete = async (start: string, whole: string) => {
      await write(tab, start);
      await tab.press("Tab");
      await tab.until(`${popup}.innerText.includes("${whole}")`);
      await tab.press("Tab");
      await tab.until(`!${popup}`);
      assertEquals((await codeOf(tab)).trim(), whole);
    };
    await complete("temp", "temperature_of_rome");
    await complete("mat", "math");
    await complete("enumer", "enumerate");
    await complete("contin", "continue");
    await write(tab, "if True:\n");
    await tab.press("Tab");
    assertMatch(await codeOf(tab), /\n {4,8}$/);
    // Escape leaves an open list first, then the editor.
    await write(tab, "temp");
    await tab.press("Tab");
    await tab.until(popup);
    await tab.press("Escape");
    await tab.until(`!${popup}`);
    assertEquals(await tab.eval("document.activeElement.id"), "editor");
    await tab.press("Escape");
    assertEquals(await tab.eval("document.activeElement.id"), "run");
  },
);

testPage(
  "the playground and the live view name a session alike",
  async (tab) => {
    await runOn(tab, "data = bytes(range(256)) * (60 * 2**12)");
    await tab.until(`${TEXT("#session-details")}.includes("bytes")`);
    const facts = await textOf(tab, "#session-facts");
    const [, name = "", held] =
      /^(\w{8}) · ready · holds (\d+) MiB$/.exec(facts) ??
        [];
    // It holds its data, and not the interpreter, which takes some 150 MiB.
    assert(Number(held) >= 40 && Number(held) < 110, facts);
    const option = `document.querySelector("#session").selectedOptions[0].text`;
    assertEquals(await tab.eval(option), `${name} · 1 run`);
    await tab.press("Escape");
    await tab.press("l");
    await tab.until(`${TEXT("#live")}.includes("${name}")`);
  },
);

/** Controls that overlap or leave the window, at a width. */
const FAULTS = `(() => {
  const shown = [...document.querySelectorAll(
    "header a, header button, .bar button, .bar select",
  )].filter((one) => one.checkVisibility());
  const boxes = shown.map((one) => one.getBoundingClientRect());
  const faults = [];
  if (document.documentElement.scrollWidth > innerWidth) faults.push("scroll");
  for (const [at, a] of boxes.entries()) {
    if (a.left < 0 || a.right > innerWidth) faults.push("out: " + shown[at].id);
    for (const [other, b] of boxes.entries()) {
      const isOver = other > at && a.left < b.right - 1 && b.left < a.right - 1 &&
        a.top < b.bottom - 1 && b.top < a.bottom - 1;
      if (isOver) faults.push(shown[at].id + " over " + shown[other].id);
    }
  }
  return faults;
})()`;

testPage(
  "the toolbar holds from 1,280 to 360 px, and is one line above a phone's width",
  async (tab) => {
    await runOn(tab, "x = 1");
    for (const width of [1280, 1100, 1000, 800, 600, 390, 360]) {
      await tab.resize(width, 800);
      assertEquals(await tab.eval(FAULTS), [], `${width} px`);
      const tops = await tab.eval(`new Set(
      ["session", "new-session", "example", "stop", "run"]
        .map((id) => document.getElementById(id))
        .filter((one) => one.checkVisibility())
        .map((one) => Math.round(one.getBoundingClientRect().top))
    ).size`);
      assert(width < 560 || tops === 1, `${width} px: ${tops} lines`);
    }
  },
);
