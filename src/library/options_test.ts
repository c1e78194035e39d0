import { assertEquals } from "../../deps/assert.ts";
import { toCommandLine } from "./options.ts";

Deno.test("toCommandLine() gives the launcher no variable of the code's by its name, and shows no value", () => {
  const env = { LD_PRELOAD: "/x.so", MCP_RUN_PYTHON_ALLOW_NET: "*", PATH: "a" };
  assertEquals(toCommandLine({ env, memoryMiB: 512 }), {
    args: ["--memory", "512"],
    variables: { MCP_RUN_PYTHON_ENV: JSON.stringify(env) },
  });
  assertEquals(toCommandLine({}), { args: [], variables: {} });
});
