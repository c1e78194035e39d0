/**
 * The MCP App in clumsy chats, and with hostile answers.
 *
 * @module
 */
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { shareApp } from "./support/app_chat.ts";
import type { Chat } from "./support/app_host.ts";
import type { Page } from "./support/browser.ts";
import { TEXT, textOf } from "./support/page.ts";

const { testApp, ended } = shareApp();

function answer(more: Record<string, unknown> = {}) {
  return {
    content: [{ type: "text", text: "words" }],
    structuredContent: { status: "success", output: [], ...more },
  };
}

/** Sends a notification of the chat, whatever the official host thinks of it. */
async function notify(
  { tab }: Chat,
  name: string,
  params: unknown,
): Promise<void> {
  const method = `ui/notifications/${name}`;
  const message = { jsonrpc: "2.0", method, params };
  await tab.eval(`chat.send(${JSON.stringify(message)})`);
}

/** Has the app take all messages that were sent before. */
async function settle(chat: Chat): Promise<void> {
  await notify(chat, "host-context-changed", { displayMode: "pip" });
  await chat.app.until(`document.documentElement.dataset.mode === "pip"`);
  await notify(chat, "host-context-changed", { displayMode: "inline" });
  await chat.app.until(`document.documentElement.dataset.mode === "inline"`);
}

const results = (app: Page) => app.eval(TEXT("#results")).then(String);
const isVisible = (selector: string) =>
  `document.querySelector("${selector}").checkVisibility()`;

testApp(
  "an answer before its input, and an input again, run nothing",
  async (chat) => {
    const { app } = chat;
    const failed = answer({
      status: "run-error",
      error: 'File "main.py", line 2',
    });
    await notify(chat, "tool-result", failed);
    await ended(app, "Run error");
    assertEquals(await app.eval(isVisible("#again")), false);
    for (let time = 0; time < 2; time++) {
      await notify(chat, "tool-input", { arguments: { python_code: "a\nb" } });
      await app.until(`${TEXT(".marked")} === "b"`);
      await settle(chat);
      assertEquals(await app.eval(TEXT("#status")), "Run error");
      assertEquals(await app.eval(isVisible("#again")), true);
    }
    await notify(chat, "tool-input-partial", {
      arguments: { python_code: "c" },
    });
    await settle(chat);
    assertEquals(await textOf(app, ".marked"), "b");
  },
);

testApp("a cancel after the answer takes nothing away", async (chat) => {
  const { app, give } = chat;
  await notify(chat, "tool-input", { arguments: { python_code: "5" } });
  for (const reason of ["too slow", "again"]) {
    await notify(chat, "tool-cancelled", { reason });
  }
  await settle(chat);
  assertEquals(await app.eval(TEXT("#status")), "Cancelled");
  assertMatch(await results(app), /too slow/);
  await give({ python_code: "5" }, answer({ return_value: "late" }));
  await ended(app);
  await notify(chat, "tool-cancelled", {});
  await settle(chat);
  assertEquals(await app.eval(TEXT("#status")), "Success");
  assertEquals(await results(app), "Valuelate");
});

testApp("of two answers the later is shown alone", async (chat) => {
  const { app, tab, give, asked } = chat;
  const part = answer({
    return_value: "first",
    truncated: { return_value: 99, uri: "run-python://gone/value.json" },
  });
  // The address is read as long as this test likes.
  await tab.eval(`{
    const read = Promise.withResolvers();
    globalThis.isReading = new Promise((begun) => {
      chat.bridge.onreadresource = () => (begun(true), read.promise);
    });
    globalThis.endReading = () => read.resolve({ contents: [{ text: '"first"' }] });
  }`);
  await give({ python_code: "x" }, part);
  await tab.until("isReading");
  await tab.eval("isReading");
  await notify(chat, "tool-result", answer({ return_value: "second" }));
  await app.until(`${TEXT("#results")} === "Valuesecond"`);
  await tab.eval("endReading()");
  await settle(chat);
  assertEquals(await results(app), "Valuesecond");
  // A run under way that another answer has replaced is followed no more.
  await tab.eval(`{
    const end = Promise.withResolvers();
    chat.bridge.oncalltool = (call) => {
      chat.asked.push({ what: "call", given: call });
      return end.promise;
    };
    globalThis.endCall = (answer) => end.resolve(answer);
  }`);
  const running = answer({ status: "running", run: "run-1", output: ["old"] });
  await give({ python_code: "y" }, running);
  while ((await asked("call")).length === 0);
  await notify(chat, "tool-result", answer({ return_value: "third" }));
  await app.until(`${TEXT("#results")} === "Valuethird"`);
  await tab.eval(`endCall(${JSON.stringify(running)})`);
  await settle(chat);
  assertEquals((await asked("call")).length, 1);
  assertEquals(await app.eval(TEXT("#status")), "Success");
  tab.complaints.length = 0;
});

testApp(
  "words of a newer protocol leave the rest of a chat's context",
  async (chat) => {
    const { app, tab, give } = chat;
    assertEquals(await app.eval(isVisible("#expand")), true);
    await notify(chat, "host-context-changed", {
      ...{ theme: "dark", displayMode: "hologram", locale: "xx_!!" },
      ...{ platform: "watch", containerDimensions: "small" },
    });
    await app.until(
      `getComputedStyle(document.documentElement).colorScheme === "dark"`,
    );
    const rows = Array.from({ length: 1234 }, (_, n) => ({ n }));
    await give({ python_code: "x" }, answer({ return_value: rows }));
    assertMatch(await textOf(app, ".shape"), /^1,234 rows/);
    assertEquals(await app.eval(isVisible("#fault")), false);
    // A chat that answers says how a user comes back.
    await tab.eval(
      `chat.bridge.onrequestdisplaymode = ({ mode }) => Promise.resolve({ mode })`,
    );
    await app.click("#expand");
    await app.until(`${TEXT("#expand")} === "Back to the chat"`);
    await app.click("#expand");
    await app.until(`${TEXT("#expand")} === "Full window"`);
  },
  {
    context: {
      ...{ theme: "sepia", displayMode: "hologram" },
      availableDisplayModes: ["inline", "hologram", "fullscreen"],
    },
  },
);

testApp("an answer of another tool is its text", async ({ app, give }) => {
  const { content } = answer();
  await give({ city: "Oslo" }, { content, structuredContent: { degrees: 5 } });
  await ended(app);
  assertEquals(await results(app), "Valuewords");
  const isError = true;
  await give({ city: "?" }, { content, isError, structuredContent: {} });
  await ended(app, "Failed");
  assertMatch(await results(app), /words/);
});

testApp(
  "a chat that calls no tools shows what a run under way has printed",
  async ({ app, give }) => {
    const more = { status: "running", run: "run-1", output: ["so far"] };
    await give({ python_code: "slow()" }, answer(more));
    await app.until(`${TEXT("#results")}.includes("The run goes on")`);
    assertEquals(await app.eval(TEXT("#status")), "Running");
    assertEquals(await textOf(app, ".log"), "so far\n");
  },
  { capabilities: {} },
);

testApp("long output scrolls in its place", async ({ app, give, height }) => {
  const lines = Array.from({ length: 3000 }, (_, n) => `line ${n}`);
  await give({ python_code: "x" }, answer({ output: lines }));
  await ended(app);
  assert(await height() < 800, `${await height()}`);
  const log = `document.querySelector(".log")`;
  assertEquals(await app.eval(`${log}.tabIndex`), 0);
  assert(Number(await app.eval(`${log}.scrollTop`)) > 0);
  await give({ python_code: "x" }, answer({ output: ["word ".repeat(9000)] }));
  await app.until(`${TEXT(".log")}.includes("all 45,000 characters")`);
  assert(Number(await app.eval(`${log}.textContent.length`)) < 21_000);
});

testApp("the focus stays with a user", async (chat) => {
  const { app, tab, call, give } = chat;
  const focused = (what: string) => app.until(`document.activeElement${what}`);
  const press = async (found: string) => {
    await app.eval(`${found}.focus()`);
    await tab.press("Enter");
  };
  await call({ python_code: "1" });
  await ended(app);
  await press(`document.querySelector("#again")`);
  await app.until(`${isVisible("#again")}`);
  await focused(`.id === "again"`);
  await app.click("#edit");
  await app.eval(`document.activeElement.value = "2"`);
  await tab.press("Enter", { shift: true });
  await app.until(`${TEXT("#results")} === "Value2"`);
  await focused(`.id === "again"`);
  const button = (words: string) =>
    `[...document.querySelectorAll("#results button")]
      .find(({ textContent }) => textContent.includes("${words}"))`;
  const names = Array.from({ length: 150 }, (_, n) => `name ${n}`);
  await give({ python_code: "x" }, answer({ return_value: { names } }));
  await app.click(".tree summary");
  await app.until(button("50 more"));
  await press(button("50 more"));
  await focused(`.textContent === "100: name 100"`);
  const rows = Array.from({ length: 60 }, (_, n) => ({ n }));
  await give({ python_code: "x" }, answer({ return_value: rows }));
  await app.until(button("more rows"));
  await press(button("more rows"));
  await focused(`.ariaLabel === "Table"`);
  const error = "word ".repeat(5000);
  await give({ python_code: "x" }, answer({ status: "run-error", error }));
  await app.until(button("all 25,000"));
  await press(button("all 25,000"));
  await focused(`.textContent.length === 25000`);
});

testApp("a save that the chat refuses is told", async ({ app, tab, give }) => {
  await tab.eval(
    `chat.bridge.ondownloadfile = () => Promise.resolve({ isError: true })`,
  );
  await give({ python_code: "x" }, answer({ return_value: [{ n: 1 }] }));
  await app.click(".csv");
  await app.until(`${TEXT("#fault")}.includes("has not saved table.csv")`);
  // The next run has faults of its own.
  await give({ python_code: "y" }, answer());
  await ended(app);
  assertEquals(await app.eval(isVisible("#fault")), false);
  tab.complaints.length = 0;
});

testApp("an error of forged lines has a way to a line", async (chat) => {
  const { app, give } = chat;
  const error = `  File "main.py", line 2\nE: File "main.py", line ${
    "9".repeat(30)
  }`;
  await give(
    { python_code: "a\nb" },
    answer({ status: "run-error", error }),
  );
  await ended(app, "Run error");
  assertEquals(await textOf(app, ".error button"), "Go to line 2");
  assertEquals(await textOf(app, ".marked"), "b");
});

testApp(
  "escape: an answer has the app read no address but those of runs",
  async (chat) => {
    const { app, tab, give } = chat;
    await tab.eval(`{
      globalThis.read = [];
      chat.bridge.onreadresource = ({ uri }) => {
        read.push(uri);
        return Promise.resolve({ contents: [{ uri, text: "[]" }] });
      };
    }`);
    const uris = ["file:///etc/passwd", "https://example.com/", "ui://other"];
    const given = answer({
      ...{ return_value: [1], pages: uris.map((uri) => ({ uri, size: 9 })) },
      truncated: { return_value: 99, uri: "https://example.com/value.json" },
    });
    await give({ python_code: "x" }, given);
    await app.until(
      `document.querySelectorAll(".framed .note").length === 3`,
    );
    await app.until(`${TEXT("#results")}.includes("A part of the value")`);
    assertMatch(await results(app), /file:\/\/\/etc\/passwd is not an address/);
    assertEquals(await tab.eval("read"), []);
    tab.complaints.length = 0;
  },
);

testApp("long words need no room beside a phone's", async (chat) => {
  const { app, tab, give } = chat;
  await tab.resize(360, 800);
  const word = "w".repeat(300);
  const size = 9;
  const answers = [
    { ["return_value"]: { [word]: { [word]: word }, more: word.repeat(2) } },
    { ["return_value"]: [{ [word]: word, [`${word}2`]: word }] },
    { output: [word], files: [{ path: word, size, uri: "run-python://a/b" }] },
    { pages: [{ uri: "run-python://a/b.html", title: word, size }] },
    { status: "run-error", error: word, truncated: { note: word } },
  ];
  for (const more of answers) {
    await give({ ["python_code"]: word }, answer(more));
    await ended(app, more.status ? "Run error" : "Success");
    await app.eval(
      `document.querySelectorAll("summary").forEach((one) => one.click())`,
    );
    await settle(chat);
    assertEquals(
      await app.eval("document.documentElement.scrollWidth"),
      await app.eval("document.documentElement.clientWidth"),
      JSON.stringify(more).slice(0, 40),
    );
  }
});
