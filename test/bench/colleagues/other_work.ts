import { type Kind, KINDS } from "../soak/kinds.ts";
import { makeNonce } from "../soak/tally.ts";
import type { Asked, Desk } from "./desk.ts";
import type { Verdict } from "./line.ts";

/** Time that code in an interpreter of its own has. */
const TIMEOUT_S = 60;

/** Those that end by themselves, and soon. */
const FRESH_KINDS: [Kind, ...Kind[]] = [
  KINDS[0],
  ...KINDS.slice(1).filter(({ name, isCancelled, timeoutSeconds }) =>
    !isCancelled && timeoutSeconds === undefined &&
    !/without end|after its end|deep/.test(name)
  ),
];

/** Runs code in an interpreter of its own, which must have nothing of others. */
export async function runFresh(desk: Desk, name: string): Promise<void> {
  const kind = desk.options.random.pickByWeight(FRESH_KINDS);
  const nonce = makeNonce();
  for (let tries = 1;; tries++) {
    const asked = await desk.ask("run_python_code", {
      python_code: kind.code,
      global_variables: { nonce },
      timeout: TIMEOUT_S,
      session: "none",
    });
    const { answer } = asked;
    const isBusy = answer.is === "refused" ||
      answer.is === "result" && answer.called.status === "busy";
    if (isBusy && await desk.mayAskAgain(name, tries)) continue;
    if (answer.is !== "result") return noteNone(desk, name, asked);
    const { called } = answer;
    const isOther = (called.text.match(/nonce-[0-9a-f-]{36}/g) ?? [])
      .some((one) => one !== nonce);
    const isRight = !isOther && kind.isRight(called, nonce);
    // Its process was killed, or its server ended.
    const isLost = ["crashed", "cancelled"].includes(called.status);
    return !isRight && !isOther && isLost
      ? count(desk, name, "lost", asked)
      : desk.note(
        name,
        isRight,
        asked,
        `${kind.name}, ${nonce}: ${called.text}`,
      );
  }
}

/** Lists sessions, which must all be the caller's. */
export async function list(desk: Desk, name: string): Promise<void> {
  const { owner } = desk.options;
  const asked = await desk.ask("list_sessions", {});
  const { answer } = asked;
  if (answer.is !== "result") return noteNone(desk, name, asked);
  const { sessions } = answer.called.structured;
  const listed: unknown[] = Array.isArray(sessions) ? sessions : [];
  const strays = listed.map((one) => String(Object(one).session))
    .filter((one) => (desk.office.handles.get(one) ?? owner) !== owner);
  const isRight = strays.length === 0 && Array.isArray(sessions);
  desk.note(name, isRight, asked, `it lists ${strays} of others`);
}

const INTRUSIONS: [tool: string, args: Record<string, unknown>][] = [
  ["run_python_code", { python_code: "secret" }],
  ["read_file", { path: "line.txt" }],
  ["write_file", { path: "notes/intruder", text: "intruder" }],
  ["fork_session", {}],
  ["end_session", {}],
];

/** Calls a session of another caller, which must not be there. */
export async function intrude(desk: Desk, name: string): Promise<void> {
  const { owner, random } = desk.options;
  const others = [...desk.office.handles].filter(([, of]) => of !== owner);
  const [handle] = random.pick(others) ?? [];
  const [tool, args] = random.pick(INTRUSIONS) ?? [];
  if (handle === undefined || tool === undefined) return;
  const asked = await desk.ask(tool, { ...args, session: handle });
  const { answer } = asked;
  if (answer.is !== "result") return noteNone(desk, name, asked);
  const { isError, text } = answer.called;
  const isRight = isError && !/nonce-/.test(text) &&
    /There is no session|busy|again/i.test(text);
  desk.note(name, isRight, asked, `${tool}: ${text}`);
}

/** Notes a call that got no answer. */
function noteNone(desk: Desk, name: string, asked: Asked): void {
  const isRefused = asked.answer.is === "refused";
  count(desk, name, isRefused ? "refused" : "unknown", asked);
}

function count(
  desk: Desk,
  name: string,
  verdict: Verdict,
  { begun, ended }: Asked,
): void {
  desk.office.counts.count(name, verdict, ended - begun);
}
