import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { Browser } from "./support/browser.ts";
import { tempFolder } from "./support/folder.ts";
import { startHttp } from "./support/http_server.ts";
import {
  choose,
  CHROMIUM,
  EDITOR,
  focusEditor,
  giveToken,
  LAST,
  run,
  TEXT,
  textOf,
  write,
} from "./support/page.ts";

/** Markup that would run a script, were it read as markup. */
const EVIL = "<img src=x onerror=alert(1)><script>alert(2)</script>";

Deno.test({
  name: "a person runs code on the page, in a real browser",
  ignore: CHROMIUM === undefined,
  async fn(test) {
    // Each step goes on where the step before it has ended.
    let isBroken = false;
    await using server = await startHttp(["--env", "REGION=secret-place"]);
    await using browser = await Browser.start(CHROMIUM ?? "");
    await using folder = await tempFolder();
    const tab = await browser.open(new URL("/", server.url));

    if (isBroken) return;
    isBroken =
      !await test.step("a value and output, by the keyboard alone", async () => {
        await run(tab, "print('hello')\n6 * 7");
        assertEquals(await textOf(tab, ".log"), "hello\n");
        assertEquals(await textOf(tab, ".results pre"), "42");
        assertEquals(await textOf(tab, "#status"), "Success");
      });

    if (isBroken) return;
    isBroken =
      !await test.step("lines are there while the code runs, and Stop ends it", async () => {
        await write(tab, "print('first')\nwhile True: pass");
        await tab.press("Enter", { control: true });
        await tab.until(
          `${TEXT(`${LAST} .log`)} === "first\\n"`,
        );
        assertEquals(await textOf(tab, "#status"), "Running");
        await tab.press(".", { control: true });
        await tab.until(
          `document.querySelector("#status").textContent === "Stopped"`,
        );
        const status = async () =>
          await (await server.fetch({}, "/status")).json();
        // The sandbox is free again.
        while ((await status()).underWay.length > 0);
        await run(tab, "'and on'");
        assertEquals(await textOf(tab, ".results pre"), "and on");
      });

    if (isBroken) return;
    isBroken = !await test.step("a traceback leads to its line", async () => {
      await run(tab, "x = 1\n1 / 0");
      assertEquals(await textOf(tab, "#status"), "Run error");
      assertMatch(await textOf(tab, ".error pre"), /ZeroDivisionError/);
      await tab.click(".error button");
      const line = `${EDITOR}.querySelector(".cm-activeLine").textContent`;
      await tab.until(`${line} === "1 / 0"`);
    });

    if (isBroken) return;
    isBroken = !await test.step("an example shows a picture", async () => {
      await choose(tab, "#example", "Picture");
      await tab.click("#run");
      await tab.until(`document.querySelector("figure img").naturalWidth > 0`);
    });

    if (isBroken) return;
    isBroken = !await test.step("files go up, and down in parts", async () => {
      const path = `${folder.path}/data.bin`;
      await Deno.writeFile(path, new Uint8Array([7, 0, 255]));
      await tab.choose("#file-input", [path]);
      await tab.click("#files button");
      await tab.choose("#file-input", [path]);
      await tab.until(`document.querySelector("#files li")`);
      await run(
        tab,
        "data = open('data.bin', 'rb').read()\nopen('big.html', 'wb').write(data * 3_000_000)",
      );
      assertEquals(
        await textOf(tab, ".downloads a"),
        "big.html · 8.6 MiB",
      );
      await tab.click(".downloads a");
      await tab.downloaded();
      const got = await Deno.readFile(`${browser.folder}/big.html`);
      assertEquals([got.length, ...got.slice(-3)], [9_000_000, 7, 0, 255]);
      // The session has it now.
      await tab.until(`!document.querySelector("#files li")`);
    });

    if (isBroken) return;
    isBroken =
      !await test.step("a session's variables are shown, copied and ended", async () => {
        await choose(tab, "#session", "new");
        await run(tab, "kept = [1, 2]");
        await tab.until(`${TEXT("#session-details")}.includes("[1, 2]")`);
        const handle = await tab.eval(
          `document.querySelector("#session").value`,
        );
        await tab.click("#fork");
        await tab.until(
          `document.querySelector("#session").value !== "${handle}"`,
        );
        await run(tab, "kept + [3]");
        assertMatch(await textOf(tab, ".results pre"), /3/);
        await tab.click("#end");
        await tab.until(`document.querySelector("#session").value === "new"`);
        assertEquals(
          await tab.eval(`document.querySelector("#session-card").hidden`),
          true,
        );
      });

    if (isBroken) return;
    isBroken = !await test.step("the page works without a mouse", async () => {
      await focusEditor(tab);
      await tab.press("Escape");
      assertEquals(await tab.eval("document.activeElement.id"), "run");
      await tab.click("#clear");
      await tab.press("Enter", { control: true });
      await tab.until(`${TEXT("#status")} === "Run error"`);
      await tab.press("?");
      await tab.until(`document.querySelector("#keys-dialog").open`);
      await tab.press("Escape");
      await tab.press("l");
      await tab.until(`!document.querySelector("#live").hidden`);
    });

    if (isBroken) return;
    isBroken =
      !await test.step("the live view shows runs and grants, and no value", async () => {
        await tab.until(
          `document.querySelectorAll("#live tbody tr").length > 5`,
        );
        const text = await textOf(tab, "#live");
        for (const part of ["run error", "cancelled", "REGION", "page"]) {
          assert(text.includes(part), `${part}: ${text}`);
        }
        assert(!text.includes("secret-place"), text);
      });

    if (isBroken) return;
    isBroken =
      !await test.step("nothing of it has hurt the page's policy", () => {
        assertEquals(tab.complaints, []);
      });

    if (isBroken) return;
    isBroken =
      !await test.step("all that hostile code gives is text, or a picture without a script", async () => {
        const evil = await browser.open(new URL("/", server.url));
        await evil.until(
          `document.querySelector("#session").options.length > 1`,
        );
        await choose(evil, "#session", "new");
        await run(evil, attack("raise ValueError(EVIL)"));
        assert((await textOf(evil, ".error pre")).includes(EVIL));
        assert((await textOf(evil, ".log")).includes(EVIL));
        await evil.until(
          `document.querySelector("figure img").naturalWidth > 0`,
        );
        await evil.until(`${TEXT("#session-details")}.includes("onerror")`);
        assert((await textOf(evil, ".downloads")).includes("onerror"));
        await run(evil, "[{EVIL: EVIL, '__proto__': EVIL}] * 2");
        assert((await textOf(evil, ".value")).includes(EVIL));
        await run(evil, "EVIL");
        assertEquals(await textOf(evil, ".results pre"), EVIL);
        await evil.eval(`location.hash = "live"`);
        await evil.until(`document.querySelectorAll("#live tbody tr").length`);
        assertEquals(
          await evil.eval(
            `document.querySelectorAll("[onerror], [onload], script:not([src]), iframe, object, svg").length`,
          ),
          0,
        );
        assertEquals(evil.complaints, []);
      });

    if (isBroken) return;
    isBroken =
      !await test.step("the policy stops markup and scripts even so", async () => {
        const tried = await tab.eval(`(() => {
        try { document.body.innerHTML = "<p>"; return "written"; }
        catch (error) { return error.name; }
      })()`);
        assertEquals(tried, "TypeError");
      });

    if (isBroken) return;
    isBroken =
      !await test.step("a phone needs no sideways scroll", async () => {
        const phone = await browser.open(new URL("/", server.url));
        await phone.resize(360, 740);
        await run(phone, "print('x' * 500)\n[{'a' * 40: 'b' * 400, 'c': 1}]");
        const width = "document.documentElement.scrollWidth";
        assertEquals(await phone.eval(width), 360);
        await phone.eval(`location.hash = "live"`);
        await phone.until(`document.querySelectorAll("#live tbody tr").length`);
        assertEquals(await phone.eval(width), 360);
      });
  },
});

Deno.test({
  name:
    "the page asks for a token, keeps it in its tab, and shows no run of another",
  ignore: CHROMIUM === undefined,
  async fn() {
    const [ann, bob] = ["a", "b"].map((letter) => letter.repeat(43));
    await using server = await startHttp([], {
      env: { MCP_RUN_PYTHON_TOKEN: `ann:${ann},bob:${bob}` },
    });
    await using browser = await Browser.start(CHROMIUM ?? "");
    const home = new URL("/", server.url);
    const [hers, his] = [await browser.open(home), await browser.open(home)];
    await giveToken(hers, "c".repeat(43));
    await hers.until(`!document.querySelector("#token-refused").hidden`);
    // No header takes it.
    await giveToken(hers, "tok—en");
    await giveToken(hers, String(ann));
    await run(hers, "1");
    await giveToken(his, String(bob));
    await run(his, "1 / 0");
    await his.eval(`location.hash = "live"`);
    await his.until(`document.querySelectorAll("#live tbody tr").length`);
    assertEquals(
      await his.eval(`document.querySelectorAll("#live tbody tr").length`),
      1,
    );
    // Only the refused requests are complaints of a browser's console.
    const complaints = [...hers.complaints, ...his.complaints];
    assertEquals(complaints.filter((one) => !one.includes(" 401 ")), []);
    const kept = "[location.href, document.cookie, { ...localStorage }]";
    assertEquals(await hers.eval(kept), [home.href, "", {}]);
    assertEquals(await hers.eval("sessionStorage.token"), ann);
  },
});

Deno.test({
  name: "a person runs code on the page of a server in code mode",
  ignore: CHROMIUM === undefined,
  async fn() {
    await using folder = await tempFolder();
    await using server = await startHttp([
      ...["--code-mode", "--state-dir", folder.path],
    ]);
    await using browser = await Browser.start(CHROMIUM ?? "");
    const tab = await browser.open(new URL("/", server.url));
    const runHere = (code: string) => run(tab, code, { hasSessions: false });
    await runHere("print('hello')\nkept = 6 * 7");
    assertEquals(await textOf(tab, ".log"), "hello\n");
    assertEquals(await textOf(tab, "#status"), "Success");
    await runHere("kept + len(discovered_servers())");
    assertEquals(await textOf(tab, ".results pre"), "42");
    await runHere("1 / 0");
    assertEquals(await textOf(tab, "#status"), "Error");
    assertMatch(await textOf(tab, ".error pre"), /ZeroDivisionError/);
    await tab.go(new URL("/", server.url));
    await runHere("kept");
    assertEquals(await textOf(tab, ".results pre"), "42");
    await tab.click("#new-session:not([hidden])");
    await runHere("'kept' in globals()");
    assertEquals(await textOf(tab, ".results pre"), "false");
  },
});

/** Code that gives markup in each place that the page shows. */
function attack(last: string): string {
  return [
    `EVIL = ${JSON.stringify(EVIL)}`,
    "print(EVIL)",
    "import sys, types",
    "print(EVIL, file=sys.stderr)",
    "globals()[EVIL] = EVIL",
    "globals()['m' + EVIL] = types.ModuleType(EVIL)",
    "open('<img src=x onerror=alert(3)>.html', 'w').write(EVIL)",
    `class Evil:
    def __repr__(self): return EVIL
    def _repr_svg_(self): return SVG`,
    `SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20" onload="alert(4)"><script>alert(5)</script><foreignObject><body xmlns="http://www.w3.org/1999/xhtml"><img src="x" onerror="alert(6)"/></body></foreignObject></svg>'`,
    "display(Evil())",
    "evil = Evil()",
    last,
  ].join("\n");
}
