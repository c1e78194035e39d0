import { DENIED, type Denied, parseDenied } from "../../grants/guest_grants.ts";
import { isGrantable } from "../../grants/widen.ts";
import { isComponent, type ListedServer } from "../../protocol/downstream.ts";
import { fields } from "../../protocol/fields.ts";
import type { CodeModeRun } from "../code_mode/code_mode_run.ts";
import type { Hub } from "../code_mode/hub.ts";

/** Questions about one call: a component could ask until a yes slips in. */
const MOST_QUESTIONS = 3;

/**
 * Asks the user for what a component was denied in a call. What is granted counts from
 * the component's next start, which its next call is.
 *
 * @param server The entry that was called: code may have another in its place by now.
 * @param ofCall Its result in MCP.
 * @returns A sentence for the caller; undefined if nothing was granted.
 */
export async function askGrants(
  server: ListedServer,
  ofCall: { [key: string]: unknown },
  { hub, codeMode, approvalMs, signal }: {
    hub: Pick<Hub, "grant">;
    codeMode: CodeModeRun;
    approvalMs: number;
    signal: AbortSignal;
  },
): Promise<string | undefined> {
  if (!isComponent(server)) return undefined;
  const denied = parseDenied(fields(ofCall._meta)[DENIED]).filter(isGrantable);
  const { name, revision } = server;
  const wanted = AbortSignal.any([signal, AbortSignal.timeout(approvalMs)]);
  const granted: Denied[] = [];
  for (const grant of denied.slice(0, MOST_QUESTIONS)) {
    const question = { server: name, revision, grant };
    // Without an answer it stays denied; the call has its result.
    const approval = await codeMode.approve(question, wanted)
      .catch(() => "declined");
    if (approval === "accepted") granted.push(grant);
  }
  if (granted.length === 0) return undefined;
  hub.grant(server, granted);
  return `The user has granted ${
    granted.map(toWords).join(" and ")
  } meanwhile: call it again.`;
}

function toWords(denied: Denied): string {
  switch (denied.kind) {
    case "net":
      return `the host ${JSON.stringify(denied.host)}`;
    case "env":
      return `the variable ${JSON.stringify(denied.name)}`;
    default:
      return `to ${denied.kind} ${JSON.stringify(denied.path)}`;
  }
}
