/// <reference lib="dom" />
/**
 * The page: a client of the server that it comes from, in the user's browser.
 *
 * @module
 */
import { Access } from "./access.ts";
import { Attachments } from "./attachments.ts";
import { CodeRunner } from "./code_runner.ts";
import { showComponents } from "./components_panel.ts";
import { openEditor } from "./editor.ts";
import { showSnippets } from "./connect.ts";
import { find } from "./elements.ts";
import { EXAMPLES } from "./examples.ts";
import { History } from "./history.ts";
import { keep, maybeKept } from "./kept.ts";
import { openKeys } from "./keys.ts";
import { LiveView } from "./live_view.ts";
import { McpClient } from "./mcp_client.ts";
import { resultOf } from "./results.ts";
import { SessionPanel } from "./session_panel.ts";

const CODE = "code";

const access = new Access();
const mcp = new McpClient(access, document.body.dataset.mcp ?? "");
const runner = new CodeRunner(mcp);
const runButton = find("run", HTMLButtonElement);
const stopButton = find("stop", HTMLButtonElement);
const attachments = new Attachments();
const sessions = new SessionPanel(mcp);
const editor = openEditor(find("editor", HTMLElement), {
  text: maybeKept(CODE) ?? EXAMPLES.Hello ?? "",
  run: () => void run(),
  leave: () => runButton.focus(),
  onChange: (text) => keep(CODE, text),
  names: () => sessions.names,
});
const history = new History({
  ...{ mcp, run: (code) => void run(code) },
  goTo(line, code) {
    if (editor.text !== code) editor.text = code;
    editor.goTo(line);
  },
  edit(code) {
    editor.text = code;
    editor.focus();
  },
});
const live = new LiveView(access);
/** Of the run that is under way. */
let stopping: AbortController | undefined;

async function run(code = editor.text): Promise<void> {
  if (stopping) return;
  const { signal } = stopping = new AbortController();
  showRunning(true);
  // The page may be new: a run waits until it knows of sessions.
  await opening;
  const { keepsState } = sessions;
  const inSession = keepsState || runner.isCodeMode;
  const view = history.start({ code, inSession });
  try {
    const files = await attachments.read();
    const args = { files, session: sessions.chosen };
    const answer = await runner.run(code, args, {
      signal,
      onLine: (level, text) =>
        view.printed.add({ text, isWarning: level === "warning" }),
      onProgress: (message) => view.takeProgress(message),
    });
    view.finish(answer);
    // The session has them now.
    if (keepsState && !answer.isError) attachments.clear();
    const { session } = resultOf(answer);
    await sessions.refresh(session);
  } catch (error) {
    if (signal.aborted) view.fail("Stopped", "You stopped the run.");
    else view.fail("Failed", Object(error).message);
    await sessions.refresh().catch(() => {});
  } finally {
    history.keep(view);
    stopping = undefined;
    showRunning(false);
  }
}

const stop = () => stopping?.abort();

function showRunning(isRunning: boolean): void {
  const [off, on] = isRunning
    ? [runButton, stopButton]
    : [stopButton, runButton];
  const hadFocus = document.activeElement === off;
  off.disabled = true;
  on.disabled = false;
  if (hadFocus) on.focus();
}

const VIEWS = ["playground", "live", "connect"];

function showView(): void {
  const asked = location.hash.slice(1);
  const shown = VIEWS.includes(asked) ? asked : "playground";
  for (const name of VIEWS) {
    const isShown = name === shown;
    find(name, HTMLElement).hidden = !isShown;
    find(`to-${name}`, HTMLElement).ariaCurrent = isShown ? "page" : null;
  }
  if (shown === "connect") showSnippets(mcp.url, access.hasToken);
  void live.poll();
}

function offerExamples(): void {
  const select = find("example", HTMLSelectElement);
  const options = Object.keys(EXAMPLES).map((name) => new Option(name));
  select.replaceChildren(new Option("Examples", ""), ...options);
  select.onchange = () => {
    editor.text = EXAMPLES[select.value] ?? editor.text;
    select.value = "";
    editor.focus();
  };
}

offerExamples();
runButton.onclick = () => void run();
stopButton.onclick = stop;
find("clear", HTMLButtonElement).onclick = () => history.clear();
find("new-session", HTMLButtonElement).onclick = () => {
  runner.forget();
  sessions.chooseNew();
};
addEventListener("hashchange", showView);
openKeys({ run: () => void run(), stop, edit: () => editor.focus() });
showView();
const opening = open().catch((error) => {
  find("status", HTMLElement).textContent = Object(error).message;
});

async function open(): Promise<void> {
  const tools = await mcp.tools();
  runner.open(tools);
  showComponents(tools);
  await sessions.open(tools);
  const hasSessions = runner.isCodeMode || sessions.isOffered;
  find("new-session", HTMLElement).hidden = !hasSessions;
  // A token may have been given meanwhile.
  showView();
}
