/// <reference lib="dom" />
/**
 * The MCP App: a run and what it gives, in a frame of a chat. It is made of the parts
 * of the page, and speaks with the server through the chat.
 *
 * @module
 */
import { maybeCsvCode } from "../page/csv_code.ts";
import { saveByBrowser, saveWith } from "../page/downloads.ts";
import { find } from "../page/elements.ts";
import type { Fields } from "../page/mcp_client.ts";
import { maybeLine, resultOf } from "../page/results.ts";
import { toUsual } from "../page/usual_answer.ts";
import { CodeCard } from "./code_card.ts";
import { Host } from "./host.ts";
import { follow } from "./look.ts";
import { openFile } from "./open_file.ts";
import { RunCard } from "./run_card.ts";
import { SessionCard } from "./session_card.ts";
import { ToolCalls } from "./tool_calls.ts";

const host = new Host({
  onInput: (args, isWhole) => {
    const isLate = isEnded && (!isWhole || calls.isOf(args));
    if (isLate && !isWhole) return;
    calls.takeArguments(args);
    code.show(calls.code, isLate ? marked : undefined);
    if (isLate) code.offer(canRun());
    else if (isWhole) showRunning("Running");
  },
  onResult: (answer) => void end(answer),
  onCancelled: (reason) => {
    if (!isEnded) fail("Cancelled", reason || "The chat ended it.");
  },
  onContext: look,
  onError: ({ message }) =>
    complain(`The chat sent a message of another form: ${message}`),
  onLeave: () => void turn++,
});
const calls = new ToolCalls(host);
const code = new CodeCard({ run: (text) => void run(text) });
const card = new RunCard({
  host,
  goTo: (line) => code.goTo(line),
  open: (file) => openFile(file, host),
});
const session = new SessionCard(host);
const fault = find("fault", HTMLElement);
const stop = find("stop", HTMLButtonElement);
const expand = find("expand", HTMLButtonElement);
let isRunning = false;
let isEnded = false;
/** Whether a user has started this run, or stopped it. */
let isUsers = false;
/** The line of the last error. */
let marked: number | undefined;
/** Counts the runs and answers that are shown: of an older one, nothing more is. */
let turn = 0;

stop.onclick = () => {
  isUsers = true;
  void calls.cancel().catch(complain);
};
expand.onclick = () =>
  void host.show(isFull() ? "inline" : "fullscreen").then(look).catch(complain);

/** Runs code that the user asks for. */
async function run(text: string): Promise<void> {
  if (isRunning) return;
  code.show(text);
  showRunning("Running");
  isUsers = true;
  try {
    await calls.tell(await end(await calls.run(text)));
  } catch (error) {
    if (isRunning) fail("Failed", Object(error).message);
    else complain(error);
  }
}

/** Shows an answer; one of a run under way is followed to its end, and gives that. */
async function end(answer: Fields): Promise<Fields> {
  if (!isRunning) showRunning("Running");
  const own = ++turn;
  const isShown = () => own === turn;
  let last = answer;
  try {
    last = await calls.follow(answer, {
      isShown,
      onLines(lines) {
        card.add(lines);
        stop.hidden = false;
      },
    });
    if (!isShown()) return last;
    const usual = toUsual(last);
    const result = resultOf(usual);
    const { session: handle, error } = result;
    showEnded();
    marked = error === undefined ? undefined : maybeLine(`${error}`);
    if (error !== undefined) code.show(calls.code, marked);
    session.show(handle);
    calls.takeSession(handle);
    const csv = host.can.call && typeof handle === "string"
      ? maybeCsvCode(calls.code)
      : undefined;
    await card.finish(usual, csv === undefined ? csv : () => void run(csv));
  } catch (error) {
    if (isShown()) fail("Failed", Object(error).message);
  }
  return last;
}

function showRunning(status: string): void {
  [isRunning, isEnded, isUsers] = [true, false, false];
  marked = undefined;
  turn++;
  fault.hidden = true;
  card.start(status);
  code.offer(false);
}

function showEnded(): void {
  [isRunning, isEnded] = [false, true];
  stop.hidden = true;
  code.offer(canRun(), { isUsers });
}

function canRun(): boolean {
  return host.can.call && calls.code !== "";
}

function fail(status: string, error: string): void {
  turn++;
  showEnded();
  card.fail(status, error);
}

function isFull(): boolean {
  return document.documentElement.dataset.mode === "fullscreen";
}

function look(context: Parameters<typeof follow>[0]): void {
  follow(context);
  expand.hidden = !host.can.expand;
  expand.textContent = isFull() ? "Back to the chat" : "Full window";
}

function complain(error: unknown): void {
  fault.hidden = false;
  fault.textContent = Object(error).message ?? String(error);
}

try {
  await host.connect();
  look(host.context);
  saveWith((name, parts) => {
    if (host.can.save) return void host.save(name, parts).catch(complain);
    saveByBrowser(name, parts);
    complain("This chat saves no files for an app: its frame may be refused.");
  });
} catch (error) {
  complain(`No chat answers this app: ${Object(error).message}`);
}
