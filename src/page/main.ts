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
import { find } from "./elements.ts";
import { EXAMPLES } from "./examples.ts";
import { openKeys } from "./keys.ts";
import { LiveView } from "./live_view.ts";
import { fieldsOf, McpClient } from "./mcp_client.ts";
import { RunView } from "./run_view.ts";
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
  text: sessionStorage.getItem(CODE) ?? EXAMPLES.Hello ?? "",
  run: () => void run(),
  leave: () => runButton.focus(),
  onChange: keepCode,
});
const view = new RunView(mcp, editor.goTo);
const live = new LiveView(access);
/** Of the run that is under way. */
let stopping: AbortController | undefined;

async function run(): Promise<void> {
  if (stopping) return;
  const { signal } = stopping = new AbortController();
  showRunning(true);
  view.start();
  try {
    const { keepsState } = sessions;
    const files = await attachments.read();
    const args = { files, session: sessions.chosen };
    const answer = await runner.run(editor.text, args, {
      signal,
      onLine: (level, line) => view.printed.add(line, level),
      onProgress: (message) => view.takeProgress(message),
    });
    view.finish(answer);
    // The session has them now.
    if (keepsState && !answer.isError) attachments.clear();
    const { session } = fieldsOf(answer.structuredContent);
    await sessions.refresh(session);
  } catch (error) {
    if (signal.aborted) view.fail("Stopped", "You stopped the run.");
    else view.fail("Failed", Object(error).message);
    await sessions.refresh().catch(() => {});
  } finally {
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

function keepCode(text: string): void {
  try {
    sessionStorage.setItem(CODE, text);
  } catch {
    // It is too long to keep.
  }
}

function showView(): void {
  const isLive = location.hash === "#live";
  find("live", HTMLElement).hidden = !isLive;
  find("playground", HTMLElement).hidden = isLive;
  const current = (isCurrent: boolean) => isCurrent ? "page" : null;
  find("to-live", HTMLElement).ariaCurrent = current(isLive);
  find("to-playground", HTMLElement).ariaCurrent = current(!isLive);
  void live.poll();
}

function offerExamples(): void {
  const select = find("example", HTMLSelectElement);
  const options = Object.keys(EXAMPLES).map((name) => new Option(name));
  select.replaceChildren(new Option("Choose…", ""), ...options);
  select.onchange = () => {
    editor.text = EXAMPLES[select.value] ?? editor.text;
    select.value = "";
    editor.focus();
  };
}

offerExamples();
runButton.onclick = () => void run();
stopButton.onclick = stop;
find("clear", HTMLButtonElement).onclick = () => view.clear();
addEventListener("hashchange", showView);
openKeys({ run: () => void run(), stop, edit: () => editor.focus() });
showView();
open().catch((error) => {
  view.start();
  view.fail("Failed", Object(error).message);
});

async function open(): Promise<void> {
  const tools = await mcp.tools();
  showComponents(tools);
  await sessions.open(tools);
}
