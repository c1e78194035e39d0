import { fields } from "../../../src/protocol/fields.ts";
import type { Called } from "../../support/client.ts";
import type { Answer } from "./caller.ts";
import type { Told } from "./line.ts";

/** The answer to a call, or why there cannot be such an answer. */
export type Reading = { told: Told } | { wrong: string };

/** Reads what an answer to code tells; `secret` is the session's. */
export function readRun(answer: Answer, secret: string): Reading {
  if (answer.is === "broken") return readBroken(answer.text);
  if (answer.is === "refused") return { told: { is: "refused" } };
  const { called } = answer;
  const { status, error = "", structured } = called;
  const next = readNext(error);
  const told = findTold(called);
  if (told) {
    if (told.secret !== secret) {
      return { wrong: `the secret is ${told.secret}` };
    }
    if (!told.whole) return { wrong: "its data have changed" };
    const { line } = told;
    const strays = told.kept.filter((call) => !line.includes(call));
    // A run can be stopped between its two changes, but not have one of them only.
    if (strays.length > 0) return { wrong: `its file has ${strays} besides` };
    const resumed = structured.resumed !== undefined;
    return { told: { is: "line", line, resumed, ...next } };
  }
  switch (status) {
    case "busy":
      return {
        told: { is: /code has run/.test(error) ? "unknown" : "refused" },
      };
    case "session-lost":
      // Its state goes on elsewhere.
      return { told: { is: /in vain/.test(error) ? "refused" : "lost" } };
    case "success":
    case "invalid-arguments":
    case "denied":
      return { wrong: `${status}: ${called.text.slice(0, 300)}` };
    default: {
      const back = structured.resumed === undefined
        ? next
        : { next: "back" as const };
      return { told: { is: "unknown", ...back } };
    }
  }
}

/** Reads what an answer of a file tool, `fork_session` or `end_session` tells of a session. */
export function readTool(answer: Answer): Reading | undefined {
  if (answer.is === "broken") return readBroken(answer.text);
  if (answer.is === "refused") return { told: { is: "refused" } };
  const { isError, text } = answer.called;
  if (!isError) return undefined;
  if (/in vain/.test(text)) return { told: { is: "refused" } };
  // Of a session that begins anew.
  if (/There is no file/.test(text)) return { told: { is: "seen", line: [] } };
  // A session that has begun anew has no state to copy.
  if (
    /There is no session|state (of session .* )?is gone|it has no state/i
      .test(text)
  ) {
    return { told: { is: "lost" } };
  }
  const next = readNext(text);
  if (next.next !== undefined || /cancelled|ended/.test(text)) {
    return { told: { is: "unknown", ...next } };
  }
  if (/again|later|here now|are running/i.test(text)) {
    return { told: { is: "refused" } };
  }
  return { wrong: text.slice(0, 300) };
}

/** All callers have tokens at all times. */
function readBroken(text: string): Reading {
  return /\b401\b|unauthorized/i.test(text)
    ? { wrong: text.slice(0, 300) }
    : { told: { is: "unknown" } };
}

/** What a text says of the state after a call. */
function readNext(text: string): { next?: "back" | "gone" } {
  if (/goes on from its state of/.test(text)) return { next: "back" };
  return /state is gone/.test(text) ? { next: "gone" } : {};
}

/** What the code of `code.ts` tells. */
function findTold({ returnValue, output }: Called) {
  const text = [returnValue, ...output].map(String)
    .find((one) => one.startsWith("told "));
  if (text === undefined) return undefined;
  const { secret, line, kept, whole } = fields(JSON.parse(text.slice(5)));
  const names = (list: unknown) => Array.isArray(list) ? list.map(String) : [];
  return {
    secret,
    line: names(line),
    kept: names(kept),
    whole: whole === true,
  };
}
