/**
 * The MCP App in a chat: the official host in a real browser, a real server over HTTP.
 *
 * @module
 */
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { ERAS } from "./support/client.ts";
import { startAppHost } from "./support/app_host.ts";
import { shareApp } from "./support/app_chat.ts";
import type { Page } from "./support/browser.ts";
import { CHROMIUM, TEXT, textOf } from "./support/page.ts";

const { shared, testApp, ended } = shareApp();

const isHidden = (app: Page, selector: string) =>
  app.eval(`document.querySelector("${selector}").checkVisibility() === false`);

for (const era of ERAS) {
  testApp(
    `a value and output, then edited and run again, by a client of ${era}`,
    async ({ app, call, asked }) => {
      await call({ python_code: "print('hello')\n6 * 7" });
      await ended(app);
      assertEquals(await textOf(app, ".log"), "hello\n");
      assertEquals(await textOf(app, ".results pre"), "42");
      assertEquals(await isHidden(app, "#code-text"), true);
      await app.click("#edit");
      assertEquals(await app.eval("document.activeElement.id"), "code-text");
      await app.eval(`(() => {
        const text = document.activeElement;
        text.value = "print('more')\\n[1, 2]";
        text.dispatchEvent(new KeyboardEvent("keydown", {
          key: "Enter", shiftKey: true, bubbles: true,
        }));
      })()`);
      await app.until(`${TEXT(".log")} === "more\\n"`);
      await ended(app);
      assertEquals(await textOf(app, ".results pre"), "[1, 2]");
      await app.until(`!document.querySelector("#again").hidden`);
      await app.click("#again");
      await ended(app);
      await app.until(`!document.querySelector("#again").hidden`);
      const calls = await asked("call");
      assertEquals(calls.map((one) => Object(one).arguments.python_code), [
        "print('more')\n[1, 2]",
        "print('more')\n[1, 2]",
      ]);
      // The model hears of what its user has run.
      while ((await asked("tell")).length < 2);
      const [told] = await asked("tell");
      assertMatch(JSON.stringify(told), /print\('more'\).*\[1, 2\]/);
    },
    { isLegacy: era === "2025-11-25" },
  );
}

testApp("an error marks its line", async ({ app, call }) => {
  await call({ python_code: "x = 1\nx / 0\nx" });
  await ended(app, "Run error");
  assertMatch(await textOf(app, ".error pre"), /ZeroDivisionError/);
  assertEquals(await textOf(app, ".marked"), "x / 0");
  assertEquals(await app.eval(`document.querySelector("#code").open`), true);
  await app.click(".error button");
  assertEquals(await app.eval("document.activeElement.textContent"), "x / 0");
});

testApp("a table is sorted, filtered, copied and saved", async (chat) => {
  const { app, tab, call, asked } = chat;
  await call({
    python_code:
      "[{'n': n, 'name': ('odd' if n % 2 else 'even') + f' {n}'} for n in range(40)]",
  });
  await ended(app);
  const cells = () =>
    app.eval(
      `[...document.querySelectorAll("tbody td:nth-of-type(1)")].map((cell) => cell.textContent)`,
    );
  await app.click("th:nth-of-type(1) button");
  await app.click("th:nth-of-type(1) button");
  assertEquals(Object(await cells())[0], "39");
  await app.eval(`(() => {
    const filter = document.querySelector(".filter");
    filter.value = "ODD 3";
    filter.dispatchEvent(new Event("input"));
  })()`);
  const odd = ["39", "37", "35", "33", "31", "23", "13", "3"];
  assertEquals(await cells(), odd);
  assertEquals(await textOf(app, ".value [role=status]"), "8 rows");
  await app.eval(`document.querySelectorAll(".csv")[1].focus()`);
  await tab.press("Enter");
  await app.until(`document.activeElement.textContent === "Copied"`);
  // This chat gives no permission: it was copied as by Ctrl-C.
  assertMatch(tab.complaints.splice(0).join(), /Clipboard API/);
  await app.click(".csv");
  let saved: unknown[] = [];
  while (saved.length === 0) saved = await asked("save");
  const { contents: [{ resource }] } = Object(saved[0]);
  assertEquals(resource.uri, "file:///table.csv");
  const csv = new TextDecoder().decode(Uint8Array.fromBase64(resource.blob));
  assertEquals(csv.split("\r\n").slice(0, 3), [
    "n,name",
    "3,odd 3",
    "13,odd 13",
  ]);
});

testApp("a long value is a tree, which opens by the keyboard", async (chat) => {
  const { app, tab, call } = chat;
  await call({
    python_code:
      "{'config': {'names': [f'name {n}' for n in range(150)]}, 'few': [1]}",
  });
  await ended(app);
  await app.eval(`document.querySelector(".tree summary").focus()`);
  await tab.press("Enter");
  await app.until(`document.querySelectorAll(".tree summary").length === 2`);
  await app.eval(`document.querySelectorAll(".tree summary")[1].click()`);
  await app.until(`${TEXT(".tree")}.includes("name 99")`);
  assertEquals(await app.eval(`${TEXT(".tree")}.includes("name 100")`), false);
  await app.eval(
    `[...document.querySelectorAll(".tree button")].find((one) => one.textContent.includes("50 more")).click()`,
  );
  await app.until(`${TEXT(".tree")}.includes("name 149")`);
});

testApp("files are opened and saved", async ({ app, call, asked }) => {
  await call({
    python_code: `open('notes.txt', 'w').write('the notes')
open('data.bin', 'wb').write(bytes([0, 255]))
open('page.html', 'w').write('<p>hi')
None`,
  });
  await ended(app);
  await app.click(`[aria-label="Open notes.txt"]`);
  await app.until(`${TEXT("#results")}.includes("the notes")`);
  await app.click(`[aria-label="Open data.bin"]`);
  await app.until(`${TEXT("#results")}.includes("neither text nor a picture")`);
  await app.click(`[aria-label="Open page.html"]`);
  await app.until(
    `document.querySelector(".framed iframe").getAttribute("sandbox") === "allow-scripts"`,
  );
  await app.eval(
    `[...document.querySelectorAll("a.resource")].find((one) => one.textContent.startsWith("data.bin")).click()`,
  );
  let saved: unknown[] = [];
  while (saved.length === 0) saved = await asked("save");
  const { contents: [{ resource }] } = Object(saved[0]);
  assertEquals(resource.uri, "file:///data.bin");
  // Of no type that a browser would open.
  assertEquals(resource.mimeType, "application/octet-stream");
  assertEquals(resource.blob, "AP8=");
});

testApp("a picture becomes its own size, and is saved", async (chat) => {
  const { app, call, asked } = chat;
  await call({
    python_code: `class Picture:
    def _repr_svg_(self):
        return '<svg xmlns="http://www.w3.org/2000/svg" width="2000" height="90"/>'
Picture()`,
  });
  await ended(app);
  const width = () =>
    app.eval(`document.querySelector("figure img").clientWidth`).then(Number);
  assert(await width() < 1000);
  await app.click(".picture");
  assertEquals(await width(), 2000);
  await app.click("figure + button");
  let saved: unknown[] = [];
  while (saved.length === 0) saved = await asked("save");
  assertMatch(
    JSON.stringify(saved),
    /"file:\/\/\/Picture%201%20of%20the%20run\.svg"/,
  );
});

testApp(
  "a session's variables are there, and a run goes on in it",
  async (chat) => {
    const { app, call } = chat;
    await call({ python_code: "kept = [1, 2]", session: "new" });
    await ended(app);
    await app.click("#variables-title");
    await app.until(`${TEXT("#variables-look")}.includes("[1, 2]")`);
    await app.click("#edit");
    await app.eval(
      `document.querySelector("#code-text").value = "kept.append(3); kept"`,
    );
    await app.click("#run-edited");
    await app.until(`${TEXT("#results")}.includes("[1, 2, 3]")`);
    await app.until(`${TEXT("#variables-look")}.includes("[1, 2, 3]")`);
  },
);

testApp(
  "a run under way shows its lines as they come",
  async (chat) => {
    const { app, tab, give, asked } = chat;
    const running = (output: string[], next?: number) => ({
      content: [{ type: "text", text: "…" }],
      structuredContent: { status: "running", run: "run-1", output },
      ...(next ? { _meta: { "mcp-run-python/outputNext": next } } : {}),
    });
    const done = {
      content: [{ type: "text", text: "…" }],
      structuredContent: {
        ...{ status: "success", run: "run-1", return_value: "over" },
        output: ["one", "two", "three"],
      },
    };
    await tab.eval(`chat.answers = ${
      JSON.stringify([
        running(["two"], 40),
        running([]),
        done,
      ])
    }`);
    await give({ python_code: "slow()" }, running(["one"]));
    await ended(app);
    assertEquals(await textOf(app, ".log"), "one\ntwo\nthree\n");
    assertEquals(await textOf(app, ".results pre"), "over");
    const calls = (await asked("call")).map((one) => Object(one));
    assertEquals(calls.map(({ name }) => name), [
      "get_run",
      "get_run",
      "get_run",
    ]);
    assertEquals(
      calls.map(({ _meta }) => _meta["mcp-run-python/outputFrom"]),
      [4, 40, 40],
    );
    // The server has no long runs: the run that it never had is an error.
    await give({ python_code: "slow()" }, running(["one"]));
    await ended(app, "Failed");
    assertMatch(await textOf(app, ".error pre"), /get_run/);
  },
);

testApp(
  "a chat that offers nothing has no buttons, and a clear line for what cannot be",
  async ({ app, call }) => {
    await call({
      python_code: "open('a.txt', 'w').write('a'); 5",
      session: "new",
    });
    await ended(app);
    assertEquals(await textOf(app, ".results pre"), "5");
    for (const part of ["#again", "#edit", "#variables", "#stop", "#expand"]) {
      assertEquals(await isHidden(app, part), true, part);
    }
    await app.click(`[aria-label="Open a.txt"]`);
    await app.until(`${TEXT("#results")}.includes("reads no files")`);
    await call({ python_code: "[{'n': 1}]" });
    await app.click(".csv");
    await app.until(`${TEXT("#fault")}.includes("saves no files")`);
  },
  { capabilities: {} },
);

testApp("messages of a wrong shape break nothing", async (chat) => {
  const { app, tab, give, call } = chat;
  const wrong: unknown[] = [
    null,
    7,
    {},
    { jsonrpc: "2.0", method: "ui/notifications/tool-result", params: 5 },
    {
      jsonrpc: "2.0",
      method: "ui/notifications/tool-result",
      params: { content: "text" },
    },
    { jsonrpc: "2.0", method: "ui/notifications/tool-input", params: [] },
    { jsonrpc: "2.0", method: "ui/notifications/unknown", params: {} },
    { jsonrpc: "2.0", id: 99, method: "ui/unknown", params: {} },
    { jsonrpc: "2.0", id: 77, result: {} },
    { jsonrpc: "1.0", method: 5 },
  ];
  for (const message of wrong) {
    await tab.eval(`chat.send(${JSON.stringify(message)})`);
  }
  await app.until(`${TEXT("#fault")}.includes("another form")`);
  const structured = [
    undefined,
    { status: 5, output: "text", return_value: { columns: 5 } },
    { status: "success", files: "none", images: 3, truncated: [], pages: 1 },
    { status: "success", pages: [null, 7, { uri: 5 }], files: [null, {}] },
    { status: "running" },
    { status: "running", run: 7, output: [null, {}] },
    { error: { name: "no text" } },
  ];
  for (const structuredContent of structured) {
    const content = [{ type: "text", text: "words" }];
    await give({ python_code: 7 }, { content, structuredContent });
  }
  await call({ python_code: "'still here'" });
  await app.until(`${TEXT("#results")}.includes("still here")`);
  tab.complaints.length = 0;
});

testApp(
  "the app follows the chat's theme, variables, locale and size",
  async ({ app, tab, call, height }) => {
    const ground = () =>
      app.eval("getComputedStyle(document.body).backgroundColor");
    assertEquals(await ground(), "rgb(1, 2, 3)");
    await call({ python_code: "[{'n': n} for n in range(1234)]" });
    await ended(app);
    assertMatch(await textOf(app, ".shape"), /^1\.234 rows/);
    const tall = await height();
    assert(tall > 300 && tall < 900, `${tall}`);
    assertEquals(
      await app.eval("getComputedStyle(document.documentElement).colorScheme"),
      "dark",
    );
    await tab.eval(
      `chat.bridge.sendHostContextChange({ theme: "light", locale: "?" })`,
    );
    await app.until(
      `getComputedStyle(document.documentElement).colorScheme === "light"`,
    );
  },
  {
    context: {
      ...{ theme: "dark", locale: "de-DE" },
      styles: { variables: { "--color-background-primary": "rgb(1, 2, 3)" } },
    },
  },
);

testApp("all that a user acts on has a name, and a role", async (chat) => {
  const { app, tab, call } = chat;
  await call({
    python_code:
      "print(1); open('a.txt', 'w').write('a'); [{'n': n} for n in range(40)]",
    session: "new",
  });
  await ended(app);
  await app.click("#edit");
  const { frameTree } = await tab.send("Page.getFrameTree");
  const { childFrames: [{ childFrames: [{ frame }] }] } = Object(frameTree);
  await tab.send("Accessibility.enable");
  const { nodes } = await tab.send("Accessibility.getFullAXTree", {
    frameId: frame.id,
  });
  const acted = Object(nodes).filter((
    { role, ignored }: { role: { value: string }; ignored: boolean },
  ) =>
    !ignored &&
    /^(button|link|textbox|searchbox|DisclosureTriangle)$/.test(role?.value)
  );
  assert(acted.length > 8, `${acted.length}`);
  for (const { role, name } of acted) {
    assert(name.value.trim() !== "", `a ${role.value} has no name`);
  }
  const roles = Object(nodes).map((
    { role }: { role?: { value: string } },
  ) => role?.value);
  for (const role of ["main", "status", "log", "table", "columnheader"]) {
    assert(roles.includes(role), `there is no ${role}`);
  }
});

Deno.test({
  name: "the app shows the results of code mode",
  ignore: CHROMIUM === undefined,
  async fn() {
    const { browser } = await shared();
    await using host = await startAppHost(["--code-mode"]);
    const { app, call } = await host.open(browser, { tool: "run_python" });
    await call({ code: "import sys\nprint('out')\n6 * 7" });
    await ended(app);
    assertEquals(await textOf(app, ".log"), "out\n");
    assertEquals(await textOf(app, ".results pre"), "42");
    await app.click("#edit");
    await app.eval(`document.querySelector("#code-text").value = "1 / 0"`);
    await app.click("#run-edited");
    await app.until(`${TEXT("#results")}.includes("ZeroDivisionError")`);
    assertEquals(await textOf(app, ".marked"), "1 / 0");
  },
});

Deno.test({
  name: "the app follows real runs that outlive their calls, and stops one",
  ignore: CHROMIUM === undefined,
  async fn() {
    const { browser } = await shared();
    await using host = await startAppHost(["--long-runs"]);
    const { app, call } = await host.open(browser);
    await call({
      python_code: `import time
for n in range(6):
    print(n)
    time.sleep(0.1)
"over"`,
      wait: 0,
    });
    await ended(app);
    assertEquals(await textOf(app, ".log"), "0\n1\n2\n3\n4\n5\n");
    assertEquals(await textOf(app, ".results pre"), "over");
    // A user's own run goes the same way.
    await app.click("#edit");
    await app.eval(
      `document.querySelector("#code-text").value = "print('first')\\nwhile True: pass"`,
    );
    await app.click("#run-edited");
    await app.until(`${TEXT(".log")} === "first\\n"`);
    await app.click("#stop:not([hidden])");
    await ended(app, "Cancelled");
    assertEquals(await textOf(app, ".log"), "first\n");
  },
});

/** A page of an answer, as the server gives it. */
function toPageAnswer(html: string) {
  const uri = "run-python://run/page-1.html";
  const resource = { uri, mimeType: "text/html", text: html };
  return {
    content: [{ type: "text", text: "a page" }, { type: "resource", resource }],
    structuredContent: {
      ...{ status: "success", output: [], return_value: null },
      pages: [{ uri, title: "A page", about: "HTML", size: html.length }],
    },
  };
}

testApp("a page that Python has shown lives in its frame", async (chat) => {
  const { app, tab, call } = chat;
  await tab.eval(
    `addEventListener("message", ({ data }) => globalThis.said = data)`,
  );
  await call({
    python_code: `from mcp_run_python import HTML
HTML("<script>top.postMessage('alive', '*')</script>", title="A page")`,
  });
  await ended(app);
  await tab.until(`globalThis.said === "alive"`);
  const frame = `document.querySelector("iframe")`;
  assertEquals(
    await app.eval(`[${frame}.title, ${frame}.getAttribute("sandbox")]`),
    ["A page", "allow-scripts"],
  );
});

testApp("a page that the answer only names is read", async (chat) => {
  const { app, tab, give, call } = chat;
  await tab.eval(
    `addEventListener("message", ({ data }) => globalThis.said = data)`,
  );
  const answer = await call({
    python_code:
      `open("a.html", "w").write('<script>top.postMessage("read", "*")</script>')`,
  });
  const [{ uri }] = Object(answer.structuredContent).files;
  await give({ python_code: "chart" }, {
    content: [{ type: "resource_link", uri, name: "a.html" }],
    structuredContent: {
      ...{ status: "success", output: [], return_value: null },
      pages: [
        { uri, title: "", about: "a chart", size: 9 },
        { uri: "run-python://gone/a.html", about: "another", size: 9 },
      ],
    },
  });
  await tab.until(`globalThis.said === "read"`);
  await app.until(
    `[...document.querySelectorAll(".framed")].at(-1)?.textContent.includes("gone")`,
  );
});

/** Has the top keep the messages that are not of the protocol. */
const LISTEN = `globalThis.said = [];
  addEventListener("message", ({ data }) => data.jsonrpc || said.push(data))`;

testApp(
  "escape: a page calls no tool of the chat, by no forged message",
  async (chat) => {
    const { app, tab, give, call, asked } = chat;
    await tab.eval(LISTEN);
    const forged = [
      "tools/call",
      "resources/read",
      "ui/open-link",
      "ui/message",
    ]
      .map((method, id) => ({
        ...{ jsonrpc: "2.0", id: 1000 + id, method },
        params: {
          ...{ name: "run_python_code", arguments: { python_code: "1" } },
          ...{ uri: "run-python://packages", url: "https://example.com" },
          ...{ role: "user", content: [{ type: "text", text: "attack" }] },
        },
      }));
    const notes = [
      "tool-result",
      "tool-input",
      "size-changed",
      "tool-cancelled",
    ]
      .map((name) => ({
        ...{ jsonrpc: "2.0", method: `ui/notifications/${name}` },
        params: {
          ...{ content: [{ type: "text", text: "attack" }], reason: "attack" },
          ...{ arguments: { python_code: "attack" }, height: 9, width: 9 },
        },
      }));
    await give(
      { python_code: "chart" },
      toPageAnswer(`<script>
      const all = ${JSON.stringify([...forged, ...notes])};
      let up = window;
      do {
        up = up.parent;
        for (const one of all) up.postMessage(one, "*");
      } while (up !== top);
      top.postMessage("over", "*");
    </script>`),
    );
    await tab.until(`said.includes("over")`);
    // Messages before it have had their effect.
    await call({ python_code: "'after'" });
    await app.until(`${TEXT("#results")}.includes("after")`);
    for (const what of ["call", "open", "message", "error"]) {
      assertEquals(await asked(what), [], what);
    }
    const sizes = (await asked("size")).map((one) => Object(one).width);
    assert(!sizes.includes(9), `${sizes}`);
    assertEquals(
      await app.eval(`document.body.innerText.includes("attack")`),
      false,
    );
  },
);
