import type { Called } from "../../support/client.ts";
import { SESSION_KINDS, type SessionKind } from "./code.ts";
import { type AskOptions, type Desk, nameCall } from "./desk.ts";
import { SessionHistory } from "./history.ts";
import type { Judged, Verdict } from "./line.ts";
import { type Reading, readRun, readTool } from "./told.ts";

/** Time that code in a session has. */
const TIMEOUT_S = 60;
export const [USUAL] = SESSION_KINDS;

/** Opens a session; undefined if the call got no answer. */
export async function open(desk: Desk): Promise<SessionHistory | undefined> {
  const session = new SessionHistory(desk.office.faults);
  desk.office.histories.push(session);
  const isThere = await run(desk, session, USUAL);
  return isThere && session.handle !== undefined ? session : undefined;
}

/**
 * Runs code in a session, maybe several times at once; gives whether the session is
 * there still.
 */
export async function run(
  desk: Desk,
  session: SessionHistory,
  kind: SessionKind,
  at?: number,
): Promise<boolean> {
  const { faults, counts, fleet } = desk.office;
  const { times = 1, mayKill } = kind;
  const own = mayKill ? faults.begin(kind.name, session) : undefined;
  const from = times > 1 ? 0 : at;
  const answers = await Promise.all(
    Array.from(
      { length: times },
      (_, more) =>
        runOnce(desk, session, kind, from === undefined ? from : from + more),
    ),
  );
  // The process may end after its answer.
  if (own) own.until = performance.now();
  answers.sort((one, other) => one.ended - other.ended);
  const told = answers.flatMap(({ reading, ...rest }): Judged[] =>
    "told" in reading ? [{ ...rest, told: reading.told }] : []
  );
  const before = session.violations.length;
  const verdicts = session.judge(told);
  for (const { reading } of answers) {
    if ("wrong" in reading) session.wrong(reading.wrong);
  }
  const isWrong = session.violations.length > before;
  for (const { call, begun, ended, server } of answers) {
    const verdict = verdicts[told.findIndex((one) => one.call === call)];
    const judged: Verdict | "wrong" = isWrong ? "wrong" : verdict ?? "wrong";
    counts.count(kind.name, judged, ended - begun);
    const isServed = judged === "right" || judged === "resumed";
    if (isServed) fleet.served(server, begun);
  }
  return !answers.some(({ isUnknown }) => isUnknown);
}

/** Runs code until it is not refused. */
async function runOnce(
  desk: Desk,
  session: SessionHistory,
  kind: SessionKind,
  at?: number,
) {
  for (let tries = 1;; tries++) {
    const call = nameCall("c");
    const options: AskOptions = {
      // Each server is asked in turn.
      at: at === undefined ? at : at + tries - 1,
      cancel: kind.isCancelled
        ? AbortSignal.timeout(1 + desk.options.random.next() * 800)
        : undefined,
    };
    const asked = await desk.ask("run_python_code", {
      python_code: kind.code,
      global_variables: { call, offered: session.secret },
      timeout: kind.timeoutSeconds ?? TIMEOUT_S,
      session: session.handle ?? "new",
    }, options);
    const { answer, ...rest } = asked;
    desk.hear(session, answer);
    const reading = readRun(answer, session.secret);
    const isRefused = "told" in reading && reading.told.is === "refused";
    if (isRefused && await desk.mayAskAgain(kind.name, tries)) continue;
    session.note(`${call} was ${kind.name}, at ${rest.server}`);
    return { ...rest, call, reading, isUnknown: isUnknown(asked) };
  }
}

/** Writes a file, which the next run finds. */
export async function write(
  desk: Desk,
  session: SessionHistory,
): Promise<boolean> {
  const call = nameCall("n");
  const file = { path: `notes/${call}`, text: call };
  const { isThere } = await callTool(desk, session, "write_file", {
    ...{ call, args: file, read: () => ({ told: { is: "kept" } }) },
  });
  return isThere;
}

/** Reads the file that has the session's line. */
export async function read(
  desk: Desk,
  session: SessionHistory,
): Promise<boolean> {
  const { isThere } = await callTool(desk, session, "read_file", {
    call: nameCall("r"),
    args: { path: "line.txt" },
    read({ structured }) {
      const text = String(structured.text);
      const [secret, ...line] = text.split("\n");
      return secret === session.secret
        ? { told: { is: "seen", line } }
        : { wrong: `its file is of ${text.slice(0, 100)}` };
    },
  });
  return isThere;
}

/** Copies a session; from then on, the two do not see each other. */
export async function fork(
  desk: Desk,
  session: SessionHistory,
): Promise<boolean> {
  const { histories, handles } = desk.office;
  let handle: string | undefined;
  const { isThere } = await callTool(desk, session, "fork_session", {
    call: nameCall("f"),
    args: {},
    read({ structured }) {
      handle = String(structured.session);
      return { told: { is: "seen", line: [] } };
    },
  });
  if (handle === undefined) return isThere;
  const copy = session.copy(handle);
  histories.push(copy);
  handles.set(handle, desk.options.owner);
  const copyIsThere = await run(desk, copy, USUAL);
  const isLeft = await run(desk, session, USUAL);
  if (copyIsThere && await run(desk, copy, USUAL)) await end(desk, copy);
  return isLeft;
}

/** Ends a session, at all servers. */
export async function end(desk: Desk, session: SessionHistory): Promise<void> {
  const { handle } = session;
  const { isDone } = await callTool(desk, session, "end_session", {
    ...{ call: nameCall("e"), args: {}, read: () => undefined },
  });
  if (!isDone || handle === undefined) return;
  for (const at of [0, 1]) {
    const { answer } = await desk.ask("run_python_code", {
      ...{ python_code: `"secret" in globals()`, session: handle },
    }, { at });
    // A server that has told a loss may start the session from nothing.
    const hasState = answer.is === "result" && answer.called.returnValue;
    if (hasState) session.wrong(`${handle} goes on after its end`);
  }
}

interface ToolCall {
  call: string;
  args: Record<string, unknown>;
  /** Reads an answer that is not an error; undefined if it tells nothing. */
  read(called: Called): Reading | undefined;
}

/** Calls a tool of a session until it is not refused, and judges the answer. */
async function callTool(
  desk: Desk,
  session: SessionHistory,
  name: string,
  { call, args, read }: ToolCall,
): Promise<{ isThere: boolean; isDone: boolean }> {
  for (let tries = 1;; tries++) {
    const asked = await desk.ask(name, { ...args, session: session.handle });
    const { answer, begun, ended } = asked;
    desk.hear(session, answer);
    const failure = readTool(answer);
    const reading = failure ??
      (answer.is === "result" ? read(answer.called) : undefined);
    const told = reading && "told" in reading ? reading.told : undefined;
    const isRefused = told?.is === "refused";
    if (isRefused && await desk.mayAskAgain(name, tries)) continue;
    const before = session.violations.length;
    const [verdict = "right"] = told
      ? session.judge([{ call, told, begun, ended }])
      : [];
    if (reading && "wrong" in reading) {
      session.wrong(`${name}: ${reading.wrong}`);
    }
    session.note(`${call} was ${name}, at ${asked.server}`);
    const isRight = session.violations.length === before;
    desk.office.counts.count(name, isRight ? verdict : "wrong", ended - begun);
    return { isThere: !isUnknown(asked), isDone: failure === undefined };
  }
}

/** Whether there is not such a session any more. */
function isUnknown({ answer }: Awaited<ReturnType<Desk["ask"]>>): boolean {
  return answer.is === "result" &&
    /There is no session/.test(answer.called.text);
}
