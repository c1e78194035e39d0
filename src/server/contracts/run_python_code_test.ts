import { openShares } from "../shares.ts";
import { fakePool, fakePools } from "../../../test/support/fake_pool.ts";
import { SERVER_SETTINGS } from "../../../test/support/request.ts";
import { assertEquals, assertMatch } from "../../../deps/assert.ts";
import type { ServerSettings } from "../../protocol/server_settings.ts";
import { parseStructured } from "../../../test/support/structured.ts";
import { ConnectionFiles, openFileStores } from "../files/connection_files.ts";
import { Sessions } from "../sessions/sessions.ts";
import type { CodeOfCall } from "./contract.ts";
import { openRunPythonCode } from "./run_python_code.ts";

const SETTINGS: ServerSettings = {
  ...SERVER_SETTINGS,
  ...{ maxCode: 100, timeoutSeconds: 5, maxTimeoutSeconds: 10 },
};

const sessions = new Sessions(
  fakePools(fakePool()),
  SETTINGS,
  { write() {} },
);

/** The requests that a call makes, and its answer. */
async function call(args: object) {
  const files = new ConnectionFiles(
    SETTINGS,
    "",
    openFileStores(openShares(SETTINGS)),
  );
  const contract = openRunPythonCode({
    ...{
      settings: SETTINGS,
      files,
      sessions,
      owner: { name: "", connection: "" },
    },
  });
  const asked: CodeOfCall["request"][] = [];
  const answer = await contract?.call(
    { python_code: "1", ...args },
    ({ request }) => {
      asked.push(request);
      const result = { status: "cancelled", error: "", output: [] } as const;
      return Promise.resolve({ result: { ...result, output: [] }, blocks: [] });
    },
  );
  return { asked, answer };
}

async function toRequest(args: object): Promise<CodeOfCall["request"]> {
  const { asked: [request] } = await call(args);
  if (!request) throw new Error("There was no run");
  return request;
}

/** Lists inside each other. */
function nested(depth: number): unknown {
  return depth === 0 ? 1 : [nested(depth - 1)];
}

Deno.test("run_python_code takes what just fits", async () => {
  assertEquals((await toRequest({})).timeoutMs, 5000);
  assertEquals((await toRequest({ timeout: 10 })).timeoutMs, 10_000);
  assertEquals((await toRequest({ timeout: 1e-9 })).timeoutMs, 1);
  const { code } = await toRequest({ python_code: "é".repeat(50) });
  assertEquals(code.length, 50);
  const names = [
    { a: 1, _b: [null], "ünï2": { c: "d" } },
    { ["__proto__"]: 1 },
    { a: nested(199) },
  ];
  for (const given of names) {
    const { globals } = await toRequest({ global_variables: given });
    assertEquals(globals, JSON.stringify(given));
  }
});

const long = "x".repeat(1000);
const REFUSED: [object, RegExp][] = [
  [{ python_code: undefined }, /string, not missing$/],
  [{ python_code: ["1"] }, /string, not an array$/],
  [{ python_code: "x".repeat(101) }, /has 101 bytes.*100/],
  [{ python_code: "é".repeat(51) }, /has 102 bytes.*100/],
  [{ timeout: 0 }, /timeout is 0, .* at most 10 seconds/],
  [{ timeout: -1 }, /timeout is -1/],
  [{ timeout: 10.001 }, /timeout is 10\.001, .*--max-timeout/],
  [{ timeout: Infinity }, /timeout must be a number, not Infinity/],
  [{ timeout: "5" }, /timeout must be a number, not a string/],
  [
    { global_variables: [] },
    /global_variables must be an object, not an array/,
  ],
  [{ global_variables: null }, /object, not null/],
  [{ global_variables: { "a b": 1 } }, /"a b", which is not/],
  [{ global_variables: { "1a": 1 } }, /"1a", which is not/],
  [{ global_variables: { "": 1 } }, /"", which is not/],
  [{ global_variables: { [`${long} `]: 1 } }, /"x{100}", which/],
  [{ global_variables: { a: nested(200) } }, /nested too deep/],
  [{ global_variables: { a: [1e999] } }, /\.a\.0 is a number/],
  [{ code: "1" }, /Unknown argument "code".*python_code/],
  [{ [long]: "1" }, /Unknown argument "x{100}"/],
  [{ ["__proto__"]: 1 }, /Unknown argument "__proto__"/],
];

for (const [args, message] of REFUSED) {
  const shown = JSON.stringify(args).slice(0, 60);
  Deno.test(`run_python_code refuses ${shown} as ${message}`, async () => {
    const { asked, answer } = await call(args);
    assertEquals([asked, answer?.isError], [[], true]);
    const { status, output, error } = parseStructured(
      answer?.structuredContent,
    );
    assertEquals([status, output], ["invalid-arguments", []]);
    assertMatch(String(error), message);
  });
}

Deno.test("run_python_code says of an empty session that it can be left out", async () => {
  const { asked, answer } = await call({ session: "" });
  assertEquals(asked, []);
  assertMatch(JSON.stringify(answer), /session is empty: leave it out/);
});
