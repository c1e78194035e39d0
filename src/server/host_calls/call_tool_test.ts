import {
  assert,
  assertEquals,
  assertMatch,
  assertRejects,
} from "../../../deps/assert.ts";
import {
  type MemoryTool,
  openMemoryHub,
  toResult,
} from "../../../test/support/memory_hub.ts";
import { RunClock } from "../../protocol/run_clock.ts";
import type { Answer } from "../../protocol/run_messages.ts";
import type { Json } from "../../protocol/run_result.ts";
import type { Approval, CodeModeRun } from "../code_mode/code_mode_run.ts";
import { DownstreamError } from "../code_mode/hub.ts";
import { ToolRules } from "../code_mode/tool_rules.ts";
import { type CallToolTerms, MOST_OPEN, openCallTool } from "./call_tool.ts";
import type { HostCallError } from "./host_call.ts";
import { RunCalls } from "./run_calls.ts";

const LIMITS: CallToolTerms["limits"] = {
  ...{ approve: "destructive", timeoutMs: 60_000, approvalMs: 60_000 },
  size: 10_000,
};
const DESTRUCTIVE = { annotations: { destructiveHint: true } };

/** A run that calls tools of servers in memory, and what it leaves in the audit. */
function open(
  { tools = {}, allowTool = [], servers = ["files"], approval }: {
    tools?: Record<string, MemoryTool>;
    allowTool?: string[];
    servers?: string[];
    approval?: CodeModeRun["approve"];
  } = {},
  limits: Partial<CallToolTerms["limits"]> = {},
) {
  const hub = openMemoryHub({
    files: { read_file: {}, delete: DESTRUCTIVE, ...tools },
    time: { "get-time": {} },
  });
  const rules = new ToolRules({ allowTool });
  const call = openCallTool({ hub, rules, limits: { ...LIMITS, ...limits } });
  const lines: Record<string, unknown>[] = [];
  const codeMode: CodeModeRun = {
    ...{ servers, owner: "ada" },
    audit: (event, facts) => void lines.push({ event, ...facts }),
    approve: approval ?? (() => Promise.reject(new Error("not asked"))),
  };
  const abort = new AbortController();
  const perform = (tool: string, args: unknown = {}, server = "files") =>
    call.perform({ server, tool, arguments: args }, {
      run: { codeMode },
      signal: abort.signal,
    });
  return { hub, call, codeMode, perform, lines, abort };
}

/** The end of a call that is refused. */
async function refused(call: Promise<Json>): Promise<string> {
  try {
    return `answered ${JSON.stringify(await call)}`;
  } catch (error) {
    const { kind, message } = error as HostCallError;
    return `${kind}: ${message}`;
  }
}

Deno.test("openCallTool() calls the tool of a server that the run names, and audits a hash of the arguments", async () => {
  const { perform, hub, lines } = open();
  assertEquals(await perform("read_file", { path: "/secret", b: 1 }), {
    content: [{ type: "text", text: '{"path":"/secret","b":1}' }],
  });
  assertEquals(hub.called.length, 1);
  const [{ ms, ...line } = {}] = lines;
  assert(Number(ms) >= 0);
  assertEquals(line, {
    ...{ event: "call", server: "files", tool: "read_file", outcome: "ok" },
    arguments_sha256:
      "5808019533fd9aaaaef98e22b66892dddd21fd9741b3ff9e9130f78a9b7cf0df",
    result_chars: 69,
  });
  assert(!JSON.stringify(lines).includes('secret"'));
});

Deno.test("openCallTool() takes a turn of the client", async () => {
  const callers: unknown[] = [];
  const call: MemoryTool["call"] = (_args, { caller }) => {
    callers.push(caller);
    return toResult("");
  };
  await open({ tools: { echo: { call } } }).perform("echo");
  assertEquals(callers, ["ada"]);
});

Deno.test("openCallTool() refuses arguments of another form, size or depth", async () => {
  const { perform, hub, call } = open();
  assertMatch(
    await refused(perform("read_file", [1])),
    /TypeError.*"read_file" of server "files".*must be a dict/,
  );
  assertMatch(await refused(perform("read_file", "x")), /TypeError/);
  assertMatch(await refused(perform("")), /TypeError.*tool must be the name/);
  assertMatch(
    await refused(perform("x".repeat(300))),
    /ValueError.*300 characters/,
  );
  const deep = JSON.parse("[".repeat(300) + "]".repeat(300));
  assertMatch(
    await refused(perform("read_file", { deep })),
    /ValueError.*deeper than 200/,
  );
  const { signal } = new AbortController();
  for (const data of [null, 1, "x", [], {}, { server: 1, tool: "x" }]) {
    assertMatch(
      await refused(call.perform(data, { run: {}, signal })),
      /TypeError/,
    );
  }
  const right = { server: "files", tool: "read_file" };
  assertMatch(
    await refused(call.perform(right, { run: {}, signal })),
    /PermissionError.*not one of run_python/,
  );
  assertEquals(hub.called, []);
});

Deno.test("openCallTool() reaches no server that the run does not name, and says how to name it", async () => {
  const { perform, hub, lines } = open();
  assertMatch(
    await refused(perform("get-time", {}, "time")),
    /PermissionError: .*does not name that server\. Call run_python with servers=\["files", "time"\]\.$/,
  );
  assertMatch(
    await refused(perform("get-time", {}, "tmie")),
    /PermissionError: .*no such server is configured\. Did you mean "time"\?$/,
  );
  assertMatch(
    await refused(perform("x", {}, "__proto__")),
    /no such server is configured\. discovered_servers\(\)/,
  );
  assertEquals(hub.called, []);
  assertEquals(lines.map(({ outcome }) => outcome), [
    ...["denied", "failed:unknown", "failed:unknown"],
  ]);
});

Deno.test("openCallTool() names the nearest tools for a tool that is not there, and none that is denied", async () => {
  const { perform, hub } = open({
    servers: ["files", "time"],
    allowTool: ["!files.delete"],
  });
  assertMatch(
    await refused(perform("get_time", {}, "time")),
    /ValueError: .*no such tool\. Did you mean "get-time"\?$/,
  );
  assertMatch(
    await refused(perform("readFile")),
    /Did you mean "read_file"\?$/,
  );
  assertMatch(
    await refused(perform("delet")),
    /list_tools\(\) lists its 1 tools/,
  );
  assertEquals(hub.called, []);
});

Deno.test("openCallTool() obeys the patterns of tools, and a denied tool whatever allows it", async () => {
  const { perform, hub, lines } = open({
    allowTool: ["files.*", "!*.delete"],
    approval: () => Promise.resolve("accepted"),
  });
  assertMatch(
    await refused(perform("delete")),
    /PermissionError: .*--allow-tool !\*\.delete denies it/,
  );
  await perform("read_file");
  const other = open({ allowTool: ["files.delete"] });
  assertMatch(
    await refused(other.perform("read_file")),
    /PermissionError: .*--allow-tool allows files\.delete only/,
  );
  assertEquals([hub.called.length, other.hub.called.length], [1, 0]);
  assertEquals(lines.map(({ outcome }) => outcome), ["denied", "ok"]);
});

Deno.test("openCallTool() asks the user about destructive tools, about all, or about none", async () => {
  const asked: string[] = [];
  const approval: CodeModeRun["approve"] = (question) => {
    const { tool, arguments: args } = { arguments: "", ...question };
    asked.push(`${tool} ${args}`);
    return Promise.resolve("accepted");
  };
  for (const approve of ["destructive", "all", "none"] as const) {
    const { perform } = open({ approval }, { approve });
    await perform("read_file", { a: 1 });
    await perform("delete", { b: 2 });
    asked.push(approve);
  }
  assertEquals(asked, [
    ...['delete {"b":2}', "destructive"],
    ...['read_file {"a":1}', 'delete {"b":2}', "all", "none"],
  ]);
});

Deno.test("openCallTool() calls no tool that the user does not approve, and says which option lifts it", async () => {
  const ends: [Approval, RegExp][] = [
    ["declined", /PermissionError: .*destructive.*has not approved it/],
    ["unable", /PermissionError: .*client cannot ask.*--approve none/],
  ];
  for (const [approval, expected] of ends) {
    const { perform, hub, lines } = open({
      approval: () => Promise.resolve(approval),
    });
    assertMatch(await refused(perform("delete")), expected);
    assertEquals(hub.called, []);
    assertEquals(lines.map(({ outcome }) => outcome), ["declined"]);
  }
});

Deno.test("openCallTool() does not wait for ever for the user", async () => {
  const { perform, hub, lines } = open({
    approval: (_, signal) =>
      new Promise((_, reject) =>
        signal.addEventListener("abort", () => reject(signal.reason))
      ),
  }, { approvalMs: 5 });
  assertMatch(
    await refused(perform("delete")),
    /TimeoutError: .*not answered within 0\.005 s/,
  );
  assertEquals(hub.called, []);
  assertEquals(lines.map(({ outcome }) => outcome), ["declined"]);
});

Deno.test("openCallTool() tells each failure of a server by its kind", async () => {
  const kinds = {
    connection: /^RuntimeError: Cannot/,
    timeout: /^TimeoutError: Cannot/,
    protocol: /^RuntimeError: Cannot/,
    size: /^ValueError: Cannot/,
  } as const;
  for (const [kind, expected] of Object.entries(kinds)) {
    const tools = {
      fail: {
        call: () =>
          Promise.reject(
            new DownstreamError(kind as keyof typeof kinds, "Cannot x"),
          ),
      },
    };
    const { perform, lines } = open({ tools });
    assertMatch(await refused(perform("fail")), expected);
    assertEquals(lines.map(({ outcome }) => outcome), [`failed:${kind}`]);
  }
  const { perform } = open({ servers: ["gone"] });
  assertMatch(
    await refused(perform("x", {}, "gone")),
    /RuntimeError: Cannot start gone/,
  );
});

Deno.test("openCallTool() keeps a fault of ours to itself", async () => {
  const tools = { fail: { call: () => Promise.reject(new Error("secret")) } };
  const { perform, lines } = open({ tools });
  await assertRejects(perform("fail"), (error) => !("kind" in Object(error)));
  assertEquals(lines.map(({ outcome }) => outcome), ["failed:fault"]);
});

Deno.test("openCallTool() takes no result that is not one of MCP", async () => {
  const lies = [
    ...["", "}{", "null", "1", "[]", '"text"', "{", '{"content": {}}'],
    ...['{"content": [1]}', '{"content": [{"text": "x"}]}'],
    ...['{"content": [{"__proto__": {"type": "text"}}]}'],
    ...['{"content": [{"type": 1}]}', '{"content": [], "isError": "no"}'],
    ...['{"structuredContent": []}', '{"structuredContent": null}'],
    `{"content": [], "x": ${"[".repeat(1000)}${"]".repeat(1000)}}`,
  ];
  for (const lie of lies) {
    const tools = { lie: { call: () => lie } };
    const { perform, lines } = open({ tools });
    assertMatch(
      await refused(perform("lie")),
      /^RuntimeError: Cannot use the result of tool "lie" of server "files": it/,
      lie,
    );
    assertEquals(lines.map(({ outcome }) => outcome), ["failed:result"]);
  }
  const tools = {
    none: { call: () => '{"structuredContent": {"a": 1}, "_meta": {}}' },
    bad: { call: () => toResult("no", { isError: true }) },
  };
  const { perform, lines } = open({ tools });
  assertEquals(await perform("none"), {
    ...{ content: [], structuredContent: { a: 1 }, _meta: {} },
  });
  assertMatch(JSON.stringify(await perform("bad")), /"isError":true/);
  assertEquals(lines.map(({ outcome }) => outcome), ["ok", "tool-error"]);
});

Deno.test("openCallTool() refuses a result that is too large, with the option", async () => {
  const tools = { long: { call: () => toResult("x".repeat(20_000)) } };
  const { perform } = open({ tools });
  assertMatch(
    await refused(perform("long")),
    /^ValueError: .*20\d{3} characters.*may have 10000\. Ask for less/,
  );
});

Deno.test("openCallTool() ends its calls with the run, whatever the server does", async () => {
  const started = Promise.withResolvers<AbortSignal>();
  const tools: Record<string, MemoryTool> = {
    hang: {
      call: (_, { signal }) => {
        started.resolve(signal);
        return new Promise(() => {});
      },
    },
  };
  const { perform, abort, lines } = open({ tools });
  const ended = refused(perform("hang"));
  const signal = await started.promise;
  abort.abort();
  assertMatch(await ended, /^RuntimeError: The call has ended with its run/);
  assert(signal.aborted);
  assertEquals(lines.map(({ outcome }) => outcome), ["failed:cancelled"]);
});

Deno.test("openCallTool() answers 10,000 calls at once, few at a time, within the count of calls", async () => {
  let working = 0;
  let most = 0;
  const tools: Record<string, MemoryTool> = {
    work: {
      async call(args) {
        most = Math.max(most, ++working);
        await Promise.resolve();
        working--;
        return toResult(args);
      },
    },
  };
  const { call, codeMode, hub } = open({ tools });
  const answers = new Map<number, string>();
  const done = Promise.withResolvers<void>();
  const calls = new RunCalls(
    { asks: [call], notifications: [] },
    { count: 10_000, size: 100_000, timeoutMs: 600_000 },
    {
      ...{ run: { codeMode }, clock: new RunClock() },
      send({ id, answer }: Answer) {
        answers.set(id, answer);
        if (answers.size === 10_000) done.resolve();
      },
    },
  );
  for (let id = 0; id < 10_000; id++) {
    const asked = { server: "files", tool: "work", arguments: { id } };
    const text = JSON.stringify(asked);
    calls.take({ type: "ask", id, name: "mcp_call_tool", arguments: text });
  }
  await done.promise;
  for (const [id, answer] of answers) {
    assertEquals(JSON.parse(answer).value.content[0].text, `{"id":${id}}`);
  }
  assertEquals([most, hub.called.length], [MOST_OPEN, 10_000]);
});

Deno.test("openCallTool() judges a tool by its server's life of now", async () => {
  const asked: string[] = [];
  const { hub, perform } = open({
    approval(question) {
      asked.push(`${question.tool}`);
      return Promise.resolve("declined");
    },
  });
  const call = hub.call;
  hub.call = (...args) => {
    hub.call = call;
    hub.change("files", DESTRUCTIVE);
    return call(...args);
  };
  assertMatch(await refused(perform("read_file")), /^PermissionError: /);
  assertEquals([asked, hub.called], [["read_file"], []]);
  hub.change("files", { annotations: {} });
  hub.call = (...args) => {
    hub.change("files", { annotations: {} });
    return call(...args);
  };
  assertMatch(await refused(perform("read_file")), /has other tools by now/);
  assertEquals(hub.called, []);
});

Deno.test("openCallTool() asks again if another program has the name of the approved server", async () => {
  const asked: string[] = [];
  const { hub, perform } = open({
    approval(question) {
      asked.push(question.revision);
      return Promise.resolve("accepted");
    },
  });
  const { call, servers } = hub;
  let revision = "one";
  hub.servers = async () =>
    (await servers()).map((one) => ({ ...one, revision }));
  hub.call = (...args) => {
    hub.call = call;
    revision = "another";
    hub.change("files", DESTRUCTIVE);
    return call(...args);
  };
  await perform("delete");
  assertEquals(asked, ["one", "another"]);
  assertEquals(hub.called.length, 1);
});
