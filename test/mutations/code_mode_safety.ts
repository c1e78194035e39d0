import type { Mutation } from "./mutation.ts";

const CALL = {
  file: "src/server/host_calls/call_tool.ts",
  tests: ["src/server/host_calls/call_tool_test.ts"],
};
const APPROVE = { ...CALL, file: "src/server/host_calls/approve_call.ts" };
const RULES = {
  file: "src/server/code_mode/tool_rules.ts",
  tests: ["src/server/code_mode/tool_rules_test.ts"],
};
const FORM = {
  file: "src/server/code_mode/approval_form.ts",
  tests: ["src/server/code_mode/approval_form_test.ts"],
};
const APPROVALS = {
  file: "src/server/code_mode/approvals.ts",
  tests: ["src/server/code_mode/approvals_test.ts"],
};
const ROUNDS = { tests: ["test/approvals_test.ts"] };
const AUDIT = {
  file: "src/server/host_calls/audit_call.ts",
  tests: ["src/server/host_calls/call_tool_test.ts"],
};

/** The gate of calls of downstream tools: who may call, and who has approved it. */
export const CODE_MODE_SAFETY: readonly Mutation[] = [
  {
    ...APPROVALS,
    name: "code asks a user who declines until a yes slips in",
    text: "if (declined >= MOST_DECLINED)",
    replacement: "if (declined < 0)",
  },
  {
    ...CALL,
    name: "code calls servers that its call does not name",
    text: "if (servers.includes(server)) return;",
    replacement: "if (servers.length >= 0) return;",
  },
  {
    ...CALL,
    name: "code calls tools that the user denies",
    text: "if (denial === undefined) return;",
    replacement: "if (denial !== null) return;",
  },
  {
    ...CALL,
    name: "code calls tools without the user's approval",
    text: "await approveCall(call, tool, { limits, codeMode, signal });",
    replacement: "",
  },
  {
    ...CALL,
    name: "a result of any size reaches Python",
    text: "if (text.length <= size) return text;",
    replacement: "if (size > 0) return text;",
  },
  {
    ...CALL,
    name: "a run waits after its end for a server that hangs",
    text: "const abort = () => reject(signal.reason);\n",
    replacement: "const abort = () => {};\n",
  },
  {
    ...CALL,
    file: "src/server/host_calls/open_calls.ts",
    name: "a run has any number of calls under way",
    text: "return await turns.take(signal);",
    replacement: "return await new Turns(1).take(signal);",
  },
  {
    ...CALL,
    file: "src/server/host_calls/tool_result.ts",
    name: "a server answers with something else than a result",
    text: "if (wrong === undefined) {",
    replacement: "if (true) {",
  },
  {
    ...CALL,
    file: "src/server/host_calls/tool_call.ts",
    name: "arguments of any depth fill the stack",
    text: "if (isDeeper(args, MOST_DEPTH)) {",
    replacement: "if (isDeeper(args, 1e9)) {",
  },
  {
    ...CALL,
    file: "src/server/host_calls/find_tool.ts",
    name: "a denied tool is named to code that asks for one like it",
    text: ".filter((name) => rules.mayCall(server, name))",
    replacement: "",
  },
  {
    ...APPROVE,
    name: "a call that is declined is made",
    text: 'if (approval !== "accepted")',
    replacement: 'if (approval === "unable")',
  },
  {
    ...APPROVE,
    name: "a client that cannot ask calls destructive tools",
    text: 'if (approval !== "accepted")',
    replacement: 'if (approval === "declined")',
  },
  {
    ...APPROVE,
    name: "--approve all asks about destructive tools only",
    text: "      return true;\n",
    replacement: "      return annotations?.destructiveHint === true;\n",
  },
  {
    ...APPROVE,
    name: "a call waits for its user for ever",
    text: "setTimeout(() => late.abort(), limits.approvalMs)",
    replacement: "0",
  },
  {
    ...RULES,
    name: "an allowed tool may be called though it is denied",
    text: "if (denied !== undefined) return",
    replacement: "if (denied !== undefined && allowTool.length === 0) return",
  },
  {
    ...RULES,
    name: "a pattern matches the start of a name",
    text: "return /^\\**$/.test(pattern.slice(at));",
    replacement: "return true;",
  },
  {
    ...RULES,
    name: "a pattern matches names with more behind them",
    text: "} else return false;",
    replacement: "} else return at === pattern.length;",
  },
  {
    ...FORM,
    name: "arguments hide characters from the user",
    text: "json.replace(UNSEEN, escape)",
    replacement: "json",
  },
  {
    ...FORM,
    name: "arguments are markup in the user's client",
    text: ".replace(MARKUP, escape)",
    replacement: "",
  },
  {
    ...FORM,
    name: "arguments leave the block in which they are shown",
    text: ".map((line) => `    ${line}`)",
    replacement: "",
  },
  {
    ...FORM,
    name: "an answer that is not a yes is taken for one",
    text: 'const isAccepted = action === "accept";',
    replacement: 'const isAccepted = action !== "decline";',
  },
  {
    ...APPROVALS,
    name: "a tool that is allowed for a session allows all tools",
    text: "JSON.stringify([server, tool])",
    replacement: "JSON.stringify([server])",
  },
  {
    ...APPROVALS,
    name: "a tool that is allowed for a session is allowed for other clients",
    text: "return JSON.stringify([name, connection]);",
    replacement: "return JSON.stringify([name, typeof connection]);",
  },
  {
    ...APPROVALS,
    name: "clients that are not told apart share what their users allow",
    text: "if (!canRemember || !answer.isRemembered) return",
    replacement: "if (!answer.isRemembered) return",
    survives: "Nothing is looked up for a client without a connection, either",
  },
  {
    ...APPROVALS,
    name: "a tool is allowed for as long as the server runs",
    text: "if (!found || found.used < this.now() - IDLE_MS) return undefined;",
    replacement: "if (!found) return undefined;",
  },
  {
    ...ROUNDS,
    file: "src/server/code_mode/parked_runs.ts",
    name: "a state is good for another client",
    text: "bind: () => owner,",
    replacement: "bind: () => typeof owner,",
    filter: "another's",
  },
  {
    ...ROUNDS,
    file: "src/server/code_mode/parked_runs.ts",
    name: "the owner of a call is known by its seal alone",
    text: "if (parked?.owner !== owner) {",
    replacement: "if (!parked) {",
    survives: "The seal holds the owner, too: this is the second wall",
  },
  {
    ...ROUNDS,
    file: "src/server/create_server.ts",
    name: "a client makes states of its own",
    text: "requestState: { verify: rounds.verify },",
    replacement: "",
    filter: "another's",
  },
  {
    ...ROUNDS,
    file: "src/server/code_mode/parked_run.ts",
    name: "a client answers a round a second time",
    text: "if (asked === this.#round && asked > this.#answered) {",
    replacement: "if (asked <= this.#round) {",
    filter: "in rounds",
  },
  {
    ...ROUNDS,
    file: "src/server/code_mode/parked_run.ts",
    name: "a run goes on for a client that has given it up",
    text: 'request.signal.addEventListener("abort", leave);',
    replacement: "",
    filter: "gives up",
  },
  {
    ...ROUNDS,
    file: "src/server/code_mode/parked_runs.ts",
    name: "any number of calls wait for a client's user",
    text: "if (own.length < MOST_OF_OWNER) return;",
    replacement: "if (own.length >= 0) return;",
    filter: "few calls",
  },
  {
    ...ROUNDS,
    file: "src/server/code_mode/asking.ts",
    name: "a client is asked that says it cannot",
    text:
      'return "form" in elicitation || Object.keys(elicitation).length === 0;',
    replacement: "return true;",
    filter: "cannot ask",
  },
  {
    ...AUDIT,
    name: "the audit has the arguments of calls",
    text: "arguments_sha256: hashOfJson(args),",
    replacement: "arguments_sha256: JSON.stringify(args),",
  },
  {
    name: "a fact of a call passes for another run's or client's",
    file: "src/server/run_lines.ts",
    text: "{ ...facts, ...toOrigin(run) }",
    replacement: "{ ...toOrigin(run), ...facts }",
    tests: ["src/server/code_mode/run_audit_test.ts"],
  },
  {
    name: "the audit takes texts of any length from code",
    file: "src/server/code_mode/run_audit.ts",
    text: "return head(String(fact), LONGEST_TEXT);",
    replacement: "return String(fact);",
    tests: ["src/server/code_mode/run_audit_test.ts"],
  },
];
