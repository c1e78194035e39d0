import { assertEquals, assertMatch } from "../../../deps/assert.ts";
import { DEFAULTS } from "../../settings.ts";
import type { ServerSettings } from "../../protocol/server_settings.ts";
import { parseCall } from "./run_python_code.ts";

const SETTINGS: ServerSettings = {
  ...DEFAULTS,
  ...{ allowInstall: [], allowNet: [], mounts: [], variables: {} },
  ...{ maxCode: 100, timeoutSeconds: 5, maxTimeoutSeconds: 10 },
  version: "1",
  environment: { python: "3.14.2", packages: [] },
  pool: { ready: 1, running: 1, waiting: 1 },
};

const parse = (args: object) =>
  parseCall({ python_code: "1", ...args }, SETTINGS).request;

/** Lists inside each other. */
function nested(depth: number): unknown {
  return depth === 0 ? 1 : [nested(depth - 1)];
}

Deno.test("parseCall() takes what just fits", () => {
  assertEquals(parse({}).timeoutMs, 5000);
  assertEquals(parse({ timeout: 10 }).timeoutMs, 10_000);
  assertEquals(parse({ timeout: 1e-9 }).timeoutMs, 1);
  assertEquals(parse({ python_code: "é".repeat(50) }).code.length, 50);
  const names = { a: 1, _b: [null], "ünï2": { c: "d" } };
  assertEquals(
    parse({ global_variables: names }).globals,
    JSON.stringify(names),
  );
  const deep = { a: nested(199) };
  assertEquals(
    parse({ global_variables: deep }).globals,
    JSON.stringify(deep),
  );
});

const long = "x".repeat(1000);
const REFUSED: [object, string, RegExp][] = [
  [{ python_code: undefined }, "TypeError", /string, not missing$/],
  [{ python_code: ["1"] }, "TypeError", /string, not an array$/],
  [{ python_code: "x".repeat(101) }, "RangeError", /has 101 bytes.*100/],
  [{ python_code: "é".repeat(51) }, "RangeError", /has 102 bytes.*100/],
  [{ timeout: 0 }, "RangeError", /timeout is 0, .* at most 10 seconds/],
  [{ timeout: -1 }, "RangeError", /timeout is -1/],
  [{ timeout: 10.001 }, "RangeError", /timeout is 10\.001/],
  [{ timeout: NaN }, "RangeError", /timeout is NaN/],
  [{ timeout: "5" }, "TypeError", /seconds, not a string/],
  [{ global_variables: [] }, "TypeError", /object, not an array/],
  [{ global_variables: { "a b": 1 } }, "TypeError", /"a b", which is not/],
  [{ global_variables: { "1a": 1 } }, "TypeError", /"1a", which is not/],
  [{ global_variables: { "": 1 } }, "TypeError", /"", which is not/],
  [{ global_variables: { [`${long} `]: 1 } }, "TypeError", /"x{100}", which/],
  [{ global_variables: { a: nested(200) } }, "RangeError", /nested too deep/],
  [{ global_variables: { a: [1e999] } }, "RangeError", /\.a\.0 is a number/],
  [{ code: "1" }, "TypeError", /Unknown argument "code".*python_code/],
  [{ [long]: "1" }, "TypeError", /Unknown argument "x{100}"/],
  [{ ["__proto__"]: 1 }, "TypeError", /Unknown argument "__proto__"/],
];

for (const [args, name, message] of REFUSED) {
  const shown = JSON.stringify(args).slice(0, 60);
  Deno.test(`parseCall() refuses ${shown} as it ${message}`, () => {
    let refused: unknown;
    try {
      parse(args);
    } catch (error) {
      refused = error;
    }
    if (!(refused instanceof Error)) throw new Error("It was taken");
    assertEquals(refused.name, name);
    assertMatch(refused.message, message);
  });
}
