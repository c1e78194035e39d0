import { fakePool, fakePools } from "../../../../test/support/fake_pool.ts";
import { SERVER_SETTINGS } from "../../../../test/support/request.ts";
import { assert, assertEquals, assertMatch } from "../../../../deps/assert.ts";
import { Ajv } from "../../../../deps/json_schema.ts";
import { fields } from "../../../protocol/fields.ts";
import type { RunResult } from "../../../protocol/run_result.ts";
import type {
  OtherEngine,
  ServerSettings,
} from "../../../protocol/server_settings.ts";
import { fitResult } from "../../../results/fit_result.ts";
import {
  ConnectionFiles,
  type FinishedRun,
  openFileStores,
} from "../../files/connection_files.ts";
import { Sessions } from "../../sessions/sessions.ts";
import { openShares } from "../../shares.ts";
import type { CodeOfCall } from "../contract.ts";
import { Contracts } from "../contracts.ts";

const { engine } = SERVER_SETTINGS;
const MONTY: OtherEngine = {
  python: "3.14",
  ...{ ...engine, name: "monty", label: "Monty", canSave: false },
  promises: { ...engine.promises, choice: "a subset" },
};
const SETTINGS: ServerSettings = {
  ...SERVER_SETTINGS,
  ...{ otherEngines: [MONTY], maxCode: 100, memoryMiB: 200 },
  ...{ timeoutSeconds: 5, maxTimeoutSeconds: 10 },
};
const SUCCESS: RunResult = {
  ...{ status: "success", returnValue: { Int: 7 }, output: ["hi", ""] },
};

function openTools(some: Partial<ServerSettings> = {}) {
  const settings = { ...SETTINGS, ...some };
  const sessions = new Sessions(
    fakePools(fakePool()),
    settings,
    { write() {} },
  );
  const stores = openFileStores(openShares(settings));
  return new Contracts().open({
    ...{ settings, sessions, owner: { name: "", connection: "" } },
    files: new ConnectionFiles(settings, "", stores),
  });
}

function open(name = "run", some: Partial<ServerSettings> = {}) {
  const contract = openTools(some).find((one) => one.name === name);
  assert(contract && "call" in contract);
  return contract;
}

/** The runs that a call asks for, and its answer. */
async function call(
  args: object,
  result = SUCCESS,
  some: Partial<ServerSettings> = {},
  more: Partial<FinishedRun> = {},
) {
  const asked: CodeOfCall[] = [];
  const answer = await open("run", some)
    .call({ code: "1", ...args }, (code) => {
      asked.push(code);
      return Promise.resolve({ result, blocks: [], ...more });
    });
  const [first] = answer.content;
  const text = first?.type === "text" ? first.text : "";
  return { asked, answer, text, structured: answer.structuredContent };
}

async function toRequest(args: object): Promise<CodeOfCall["request"]> {
  const { asked: [code], text } = await call(args);
  assert(code, text);
  return code.request;
}

Deno.test("run is there where Monty is served, beside another engine or alone", () => {
  const names = (some: Partial<ServerSettings>) =>
    openTools(some).map(({ name }) => name)
      .filter((name) => name.startsWith("run"));
  assertEquals(names({}), ["run_python_code", "run"]);
  assertEquals(names({ engine: MONTY, otherEngines: [] }), [
    ...["run_python_code", "run"],
  ]);
  assertEquals(names({ otherEngines: [] }), ["run_python_code"]);
  assertEquals(names({ otherEngines: [{ ...MONTY, name: "toy" }] }), [
    "run_python_code",
  ]);
});

Deno.test("run says first when to choose it, and where the rest of Python is", () => {
  const describe = (some: Partial<ServerSettings>) =>
    String(open("run", some).tool().description);
  const [first, ...rest] = describe({}).split("\n");
  assertMatch(
    String(first),
    /^Runs plain Python in a fresh interpreter .* choose it for short code without packages\.$/,
  );
  assertMatch(
    rest.join("\n"),
    /subset of Python.*: run_python_code with engine "pyodide" has all of it\..*200 MiB of memory and 5 s/,
  );
  const alone = describe({ engine: MONTY, otherEngines: [] });
  assert(!alone.includes("run_python_code"));
  assertMatch(
    describe({ allowNet: ["a.example:443"] }),
    /these hosts only: a\.example:443.*http_request/,
  );
});

Deno.test("run asks for a fresh run of Monty, with the time of the server", async () => {
  const { asked } = await call({
    code: "é",
    inputs: { a: { Int: 1 }, b: [2] },
  });
  assertEquals(asked, [{
    request: {
      ...{ engine: "monty", code: "é", own: "{}", timeoutMs: 5000 },
      globals: '{"a":{"Int":1},"b":[2]}',
    },
    ...{ files: [], session: "none" },
  }]);
});

Deno.test("run caps limits of a call by those of the server", async () => {
  const termsOf = async (limits: object) =>
    JSON.parse(
      (await toRequest({ resource_limits: limits })).own ?? "",
    );
  assertEquals(
    await termsOf({
      ...{ max_allocations: 1, max_memory: 1, gc_interval: 1 },
      max_duration: { secs: 0, nanos: 1_500_000 },
      max_recursion_depth: 1,
    }),
    {
      ...{ maxAllocations: 1, maxDurationMs: 1.5, maxMemoryBytes: 1 },
      ...{ gcInterval: 1, maxRecursionDepth: 1 },
    },
  );
  const most = Number.MAX_SAFE_INTEGER;
  assertEquals(
    await termsOf({
      ...{ max_allocations: most, max_memory: most, gc_interval: most },
      max_duration: { secs: most, nanos: 999_999_999 },
      max_recursion_depth: 1000,
    }),
    {
      ...{ maxAllocations: most, maxDurationMs: 5000, gcInterval: most },
      ...{ maxMemoryBytes: 200 * 1024 * 1024, maxRecursionDepth: 1000 },
    },
  );
  assertEquals(await termsOf({ max_duration: { secs: 1, nanos: 0 } }), {
    maxDurationMs: 1000,
  });
  const { own } = await toRequest({ resource_limits: null });
  assertEquals(own, "{}");
});

const whole = (least: number, most: number) =>
  `, and must be a whole number from ${least} to ${most}`;
const SAFE = Number.MAX_SAFE_INTEGER;
const LIMITS: [limits: unknown, message: string][] = [
  [5, "resource_limits must be an object, not a number"],
  [[], "resource_limits must be an object, not an array"],
  [
    { max_time: 1 },
    'resource_limits has an unknown key "max_time": the keys are max_allocations, max_duration, max_memory, gc_interval, max_recursion_depth',
  ],
  [
    { max_duration: 5 },
    "resource_limits.max_duration must be an object, not a number",
  ],
  [
    { max_duration: { secs: 1 } },
    `resource_limits.max_duration.nanos is missing${whole(0, 999_999_999)}`,
  ],
  [
    { max_duration: { nanos: 1 } },
    `resource_limits.max_duration.secs is missing${whole(0, SAFE)}`,
  ],
  [
    { max_duration: { secs: 1, nanos: 1_000_000_000 } },
    `resource_limits.max_duration.nanos is 1000000000${whole(0, 999_999_999)}`,
  ],
  [
    { max_duration: { secs: 1, nanos: 0, ms: 1 } },
    'resource_limits.max_duration has an unknown key "ms": the keys are secs, nanos',
  ],
  [
    { max_duration: { secs: 0, nanos: 0 } },
    "resource_limits.max_duration is 0, and must be above 0: send secs or nanos above 0",
  ],
  [
    { max_recursion_depth: 1001 },
    `resource_limits.max_recursion_depth is 1001${whole(1, 1000)}`,
  ],
  ...[
    ...["max_allocations", "max_memory", "gc_interval", "max_recursion_depth"],
    "max_duration.secs",
  ].flatMap((name) => {
    const [most, least] = name === "max_recursion_depth"
      ? [1000, 1]
      : [SAFE, name === "max_duration.secs" ? 0 : 1];
    return [-1, 0, 1.5, "5", true, null, [], {}, 1e300]
      .filter((value) => value !== least)
      .map((value): [unknown, string] => [
        name === "max_duration.secs"
          ? { max_duration: { secs: value, nanos: 5 } }
          : { [name]: value },
        `resource_limits.${name} is ${
          Array.isArray(value)
            ? "an array"
            : typeof value === "object" && value
            ? "an object"
            : JSON.stringify(value)
        }${whole(least, most)}`,
      ]);
  }),
];

for (const [limits, message] of LIMITS) {
  Deno.test(`run refuses limits: ${message}`, async () => {
    const { asked, structured } = await call({ resource_limits: limits });
    assertEquals(asked, []);
    assertEquals(fields(fields(structured).error).message, message);
  });
}

const REFUSED: [args: object, message: RegExp][] = [
  [{ code: undefined }, /^code must be a string, not missing$/],
  [{ code: "é".repeat(51) }, /^code has 102 bytes, and may have 100: .*inputs/],
  [{ inputs: [] }, /^inputs must be an object, not an array$/],
  [{ inputs: { "a b": 1 } }, /^inputs has "a b", which is not a Python name$/],
  [{ inputs: { a: { Int: 1.5 } } }, /^inputs\.a\.Int is 1\.5, and must be/],
  [
    { inputs: { a: "\0".repeat(6_000_000) } },
    /^inputs is too large: as JSON in JSON it may have 33554432 bytes/,
  ],
  [{ python_code: "1" }, /^Unknown argument "python_code".*code, inputs, res/],
  [{ timeout: 1 }, /^Unknown argument "timeout"/],
];

for (const [args, message] of REFUSED) {
  Deno.test(`run refuses arguments as ${message}`, async () => {
    const { asked, answer, text, structured } = await call(args);
    assertEquals([asked, answer.isError], [[], true]);
    const { output, result, error } = fields(structured);
    assertEquals([output, result], ["", "None"]);
    const { type, message: said, traceback } = fields(error);
    assertEquals([type, traceback], ["InvalidArguments", said]);
    assertMatch(String(said), message);
    assertEquals(text, `--- exception ---\n${said}`);
  });
}

Deno.test("run refuses inputs nested 10,000 deep, plain and as MontyObjects", async () => {
  for (
    const wrap of [(it: unknown) => [it], (it: unknown) => ({ List: [it] })]
  ) {
    let deep: unknown = 1;
    for (let at = 0; at < 10_000; at++) deep = wrap(deep);
    const { asked, structured } = await call({ inputs: { deep } });
    assertEquals(asked, []);
    assertMatch(
      String(fields(fields(structured).error).message),
      /^inputs\.deep.* is nested too deep, in 100 other values/,
    );
  }
});

Deno.test("run answers with output and result, as one text and by its schema", async () => {
  const { answer, text, structured } = await call({});
  assertEquals(
    text,
    '--- stdout ---\nhi\n\n--- result ---\n{\n  "Int": 7\n}',
  );
  assertEquals(structured, { output: "hi\n\n", result: { Int: 7 } });
  assertEquals([answer.isError, answer.content.length], [false, 1]);
  const open = await call({}, SUCCESS, {}, { isLineOpen: true });
  assertEquals(fields(open.structured).output, "hi\n");
  const silent = await call({}, {
    ...SUCCESS,
    returnValue: "None",
    output: [],
  });
  assertEquals(silent.text, '--- result ---\n"None"');
  assertEquals(silent.structured, { output: "", result: "None" });
});

Deno.test("run answers with the exception of the code, and what it printed before", async () => {
  const traceback =
    'Traceback:\n  File "main.py", line 2\nZeroDivisionError: no';
  const failed: RunResult = {
    ...{ status: "run-error", error: traceback, output: ["before"] },
    ...{ errorType: "ZeroDivisionError", errorMessage: "no" },
  };
  const { answer, text, structured } = await call({}, failed);
  assertEquals(
    text,
    `--- stdout ---\nbefore\n--- exception ---\n${traceback}`,
  );
  assertEquals(answer.isError, true);
  assertEquals(structured, {
    ...{ output: "before\n", result: "None" },
    error: { type: "ZeroDivisionError", message: "no", traceback },
  });
  const counted = await call({}, failed, { errorResults: true });
  assertEquals(counted.answer.isError, false);
});

const TYPES: [status: RunResult["status"], type: string][] = [
  ["timeout", "TimeoutError"],
  ["memory-limit", "MemoryError"],
  ["cancelled", "CancelledError"],
  ["crashed", "SystemError"],
  ["busy", "BusyError"],
  ["denied", "PermissionError"],
  ["install-error", "ImportError"],
  ["session-lost", "SystemError"],
];

for (const [status, type] of TYPES) {
  Deno.test(`run answers ${status} as ${type}, with the server's sentence`, async () => {
    const result = { status, error: "It was so.", output: [] } as RunResult;
    const { structured, text } = await call({}, result);
    assertEquals(fields(structured).error, {
      ...{ type, message: "It was so.", traceback: "It was so." },
    });
    assertEquals(text, "--- exception ---\nIt was so.");
  });
}

Deno.test("run answers by its schema, whatever was cut or given, and in a text that is not long", async () => {
  const { outputSchema } = open().tool();
  const fits = new Ajv({ strict: false }).compile<unknown>(
    JSON.parse(JSON.stringify(outputSchema)),
  );
  const limit = 1000;
  const many = Array.from({ length: 3000 }, (_, Int) => ({ Int }));
  const values = [
    ...[{ List: many }, { Bytes: many.map(({ Int }) => Int % 256) }],
    ...[{ Dict: many.map((it) => [it, it]) }, { String: "x".repeat(9999) }],
    ...[{ BigInt: "9".repeat(9999) }, null, [1], "…", { Int: "x" }],
    {
      NamedTuple: {
        type_name: "T",
        field_names: many.map(() => "f"),
        values: many,
      },
    },
  ];
  for (const returnValue of values) {
    const result = fitResult({ ...SUCCESS, returnValue }, limit);
    const { structured, text } = await call({}, result, { maxOutput: limit });
    assert(fits(structured), JSON.stringify(structured).slice(0, 500));
    assert(text.length < 2 * limit, `${text.length}`);
  }
  const failed: RunResult = { status: "timeout", error: "x", output: ["y"] };
  assert(fits((await call({}, failed)).structured));
});

Deno.test("run names the files that the code wrote, and says how to read on", async () => {
  const { text, structured } = await call({}, {
    ...SUCCESS,
    files: [{ path: "a", size: 1, mimeType: "text/plain", text: "x" }],
    truncated: { output: 5, note: "Read on." },
  });
  assertMatch(
    text,
    /\n--- files ---\nfile: a \(1 bytes\)\nx\n--- note ---\ntruncated: Read on\.$/,
  );
  assertEquals(Object.keys(fields(structured)), ["output", "result"]);
});

Deno.test("run gives no structure, and no schema of it, where that is off", async () => {
  const off = { structured: "none" } as const;
  assertEquals(open("run", off).tool().outputSchema, undefined);
  assertEquals((await call({}, SUCCESS, off)).structured, undefined);
});

Deno.test("run_python_code takes an engine only where there are several", async () => {
  const schemaOf = (some: Partial<ServerSettings>) =>
    open("run_python_code", some).tool();
  const alone = schemaOf({ otherEngines: [] });
  assertEquals(fields(alone.inputSchema.properties).engine, undefined);
  assert(!String(alone.description).includes("engine"));
  const both = schemaOf({});
  assertEquals(fields(both.inputSchema.properties).engine, {
    ...{ type: "string", enum: ["pyodide", "monty"] },
    description: 'The interpreter; "pyodide" if not said.',
  });
  assertMatch(
    String(both.description),
    /The argument engine chooses the interpreter: "pyodide" is CPython with packages.*; "monty" is a subset\./,
  );
  const ask = async (args: object, some: Partial<ServerSettings> = {}) => {
    const engines: unknown[] = [];
    const answer = await open("run_python_code", some).call(
      { python_code: "1", ...args },
      ({ request }) => {
        engines.push(request.engine);
        return Promise.resolve({ result: SUCCESS, blocks: [] });
      },
    );
    return engines.length > 0
      ? engines
      : fields(answer.structuredContent).error;
  };
  assertEquals(await ask({}), [undefined]);
  assertEquals(await ask({ engine: "monty" }), ["monty"]);
  assertMatch(
    String(await ask({ engine: "cpython" })),
    /engine is "cpython", and must be "pyodide" or "monty"/,
  );
  assertMatch(
    String(await ask({ engine: "monty" }, { otherEngines: [] })),
    /^Unknown argument "engine"/,
  );
});
