/**
 * What values become, with the real numpy and pandas of the 0.27 distribution.
 *
 * @module
 */
import { assertEquals } from "../deps/assert.ts";
import { FOLDER_027 } from "./support/each_pyodide.ts";
import { REAL_VALUES } from "./support/real_values.ts";
import { startServer } from "./support/server.ts";

Deno.test({
  name: "values of the real numpy and pandas are what they should be",
  ignore: FOLDER_027 === "",
  async fn() {
    await using server = await startServer([
      ...["--pyodide", FOLDER_027, "--offline"],
      ...["--deps", "matplotlib,pandas,pillow"],
    ]);
    for (const cases of [REAL_VALUES.numpy, REAL_VALUES.pandas]) {
      const lines = cases.trim().split("\n").map((line) => line.split(" → "));
      const { returnValue, text } = await server.call(
        `import numpy as np, pandas as pd
from mcp_runner.values import to_json_text
[[line, to_json_text(eval(line))] for line in lines]`,
        { global_variables: { lines: lines.map(([line]) => line) } },
      );
      assertEquals(returnValue, lines, text);
    }
  },
});
