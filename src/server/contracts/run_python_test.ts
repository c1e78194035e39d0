import { openShares } from "../shares.ts";
import { fakePool, fakePools } from "../../../test/support/fake_pool.ts";
import { assert, assertEquals, assertMatch } from "../../../deps/assert.ts";
import { SERVER_SETTINGS } from "../../../test/support/request.ts";
import type { ListedServer } from "../../protocol/downstream.ts";
import type { RunResult } from "../../protocol/run_result.ts";
import type { ServerSettings } from "../../protocol/server_settings.ts";
import { CodeMode } from "../code_mode/code_mode.ts";
import { NO_PARTS } from "../../../test/support/no_parts.ts";
import { ConnectionFiles, openFileStores } from "../files/connection_files.ts";
import { Sessions } from "../sessions/sessions.ts";
import type { CodeOfCall } from "./contract.ts";
import { Contracts } from "./contracts.ts";

const SETTINGS: ServerSettings = {
  ...SERVER_SETTINGS,
  ...{ codeMode: true, stateful: true },
  ...{ maxCode: 200_000, timeoutSeconds: 30, maxTimeoutSeconds: 120 },
};
const SUCCESS: RunResult = {
  ...{ status: "success", returnValue: 42, output: ["out", "err"] },
};

/** All tools of a server in code mode. */
function openTools(
  some: Partial<ServerSettings> = {},
  names: readonly string[] = ["time", "git"],
) {
  const settings = { ...SETTINGS, ...some };
  const sessions = new Sessions(
    fakePools(fakePool()),
    settings,
    { write() {} },
  );
  const servers = names.map((name): ListedServer => ({
    ...{ name, transport: "stdio", source: "f" },
    ...{ fingerprint: "1", revision: "1" },
    description: `${name} has a description`,
  }));
  const hub = { ...NO_PARTS.hub, servers: () => Promise.resolve(servers) };
  return new Contracts().open({
    ...{ settings, sessions, owner: { name: "", connection: "" } },
    files: new ConnectionFiles(
      settings,
      "",
      openFileStores(openShares(settings)),
    ),
    codeMode: settings.codeMode
      ? new CodeMode({ ...NO_PARTS, hub })
      : undefined,
  });
}

/** The runs that a call asks for, and its answer. */
async function call(
  args: object,
  some: Partial<ServerSettings> = {},
  result = SUCCESS,
) {
  const [contract] = openTools(some);
  assert(contract && "call" in contract);
  const asked: CodeOfCall[] = [];
  const answer = await contract.call({ code: "1", ...args }, (code) => {
    asked.push(code);
    const streams = { stdout: ["out"], stderr: ["err"] };
    return Promise.resolve({ result, blocks: [], streams });
  });
  const [first] = answer.content;
  return { asked, answer, text: first?.type === "text" ? first.text : "" };
}

Deno.test("code mode has one tool, whatever else is wanted", () => {
  const names = (some: Partial<ServerSettings>) =>
    openTools(some).map(({ name }) => name);
  assertEquals(names({}), ["run_python"]);
  assertEquals(names({ fileTools: true }), ["run_python"]);
  assert(!names({ codeMode: false }).includes("run_python"));
});

Deno.test("run_python is listed in less than 2 KB with any servers, and names none of them", () => {
  const many = Array.from({ length: 500 }, (_, at) => `server-number-${at}`);
  const texts = [[], many].map((names) =>
    JSON.stringify(openTools({}, names).map((one) => one.tool()))
  );
  assertEquals(texts[0], texts[1]);
  const [text = ""] = texts;
  assert(new TextEncoder().encode(text).length < 1700, `${text.length}`);
  assert(!text.includes("server-number"));
});

Deno.test("run_python tells in a few lines how to discover, call, persist, remember, and print the manual", () => {
  const properties = propertiesOf({});
  const { description = "" } = Object(properties.code);
  assert(description.split("\n").length <= 8, description);
  for (
    const name of [
      ...["discovered_servers", "search_tool_docs", "gather", "MCPError"],
      ...["save_tool", "save_memory", "capability_summary"],
    ]
  ) assert(description.includes(name), name);
  assertEquals(Object.keys(properties), [
    ...["code", "servers", "timeout", "session"],
  ]);
  assert(!("session" in propertiesOf({ sessions: false })));
});

function propertiesOf(some: Partial<ServerSettings>): Record<string, unknown> {
  return { ...openTools(some)[0]?.tool().inputSchema.properties };
}

Deno.test("run_python takes what just fits", async () => {
  const requestOf = async (args: object, some = {}) => {
    const { asked: [code] } = await call(args, some);
    assert(code);
    return code;
  };
  const usual = await requestOf({});
  assertEquals([usual.request.timeoutMs, usual.servers], [30_000, []]);
  assertEquals(usual.session, undefined);
  for (const [timeout, ms] of [[1, 1000], [1.5, 1500], [120, 120_000]]) {
    assertEquals((await requestOf({ timeout })).request.timeoutMs, ms);
  }
  const half = { timeoutSeconds: 0.5 };
  assertEquals((await requestOf({}, half)).request.timeoutMs, 500);
  const code = "x".repeat(100_000);
  assertEquals((await requestOf({ code })).request.code, code);
  assertEquals((await requestOf({ session: "none" })).session, "none");
  assertEquals((await requestOf({ servers: ["time"] })).servers, ["time"]);
});

const REFUSED: [object, RegExp][] = [
  [{ code: undefined }, /code must be a string, not missing/],
  [{ code: 1 }, /code must be a string, not a number/],
  [
    { code: "x".repeat(200_001) },
    /code has 200001 bytes, and may have 200000: send/,
  ],
  [{ python_code: "1" }, /Unknown argument "python_code".* code, servers/],
  [{ timeout: 0.99 }, /timeout is 0\.99, and must be from 1 to 120 seconds/],
  [{ timeout: 121 }, /timeout is 121, .*--max-timeout/],
  [{ timeout: "9" }, /timeout must be a number, not a string/],
  [{ servers: "time" }, /servers must be an array, not a string/],
  [{ servers: [1] }, /servers\.?\[0\] must be a string, not a number/],
  [
    { servers: ["tim"] },
    /servers has "tim", which is not a configured .*"time", "git".*discovered_servers\(\)/,
  ],
  [{ servers: Array(1001).fill("time") }, /servers/],
  [{ session: "" }, /session is empty/],
];

for (const [args, message] of REFUSED) {
  const shown = JSON.stringify(args).slice(0, 60);
  Deno.test(`run_python refuses ${shown} as ${message}`, async () => {
    const { asked, answer, text } = await call(args);
    assertEquals([asked, answer.isError], [[], true]);
    const { status, error, ...rest } = Object(answer.structuredContent);
    assertEquals(status, "validation_error");
    assertMatch(error, message);
    assertEquals(Object.keys(rest), ["summary"]);
    assertEquals(text, `error: ${error}\nstatus: validation_error`);
  });
}

Deno.test("run_python shows its result as --return-mode says, and each half stands alone", async () => {
  const servers = ["time"];
  const compact = await call({ servers });
  assertEquals(compact.text, "out\nstderr:\nerr\nreturn_value: 42");
  assertEquals(compact.answer.structuredContent, {
    ...{ status: "success", stdout: ["out"], stderr: ["err"] },
    return_value: 42,
  });
  const whole = {
    ...{ status: "success", summary: "Success", exitCode: 0, servers },
    ...{ stdout: ["out"], stderr: ["err"], return_value: 42 },
  };
  const json = await call({ servers }, { returnMode: "json" });
  assertEquals(JSON.parse(json.text), whole);
  assertEquals(json.answer.structuredContent, whole);
  const toon = await call({ servers }, { returnMode: "toon" });
  assertMatch(toon.text, /^```toon\nstatus: success\nsummary: Success\n/);
  assertEquals(toon.answer.structuredContent, whole);
});

Deno.test("run_python leaves out structure and isError where options say so", async () => {
  const failed: RunResult = {
    ...{ status: "run-error", error: "E", exitCode: 1, output: [] },
  };
  const usual = await call({}, {}, failed);
  assertEquals([usual.answer.isError, usual.text], [
    ...[true, "out\nstderr:\nerr\nE\nexit: 1\nstatus: error"],
  ]);
  const quiet = { structured: "none", errorResults: true } as const;
  const { answer, text } = await call({}, quiet, failed);
  assertEquals([answer.isError, text], [false, usual.text]);
  assert(!("structuredContent" in answer));
});

Deno.test("run_python shows pictures and files as blocks", async () => {
  const image = {
    ...{ mimeType: "image/png", data: "aGk=", size: 2, uri: "u" } as const,
  };
  const { answer, text } = await call({}, {}, { ...SUCCESS, images: [image] });
  assertEquals(answer.content.map(({ type }) => type), ["text", "image"]);
  assertMatch(text, /image: u \(image\/png, 2 bytes\)/);
});
