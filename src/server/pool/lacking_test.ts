import { assertEquals } from "../../../deps/assert.ts";
import { explainMissing, mayImport } from "./lacking.ts";

Deno.test("mayImport() finds the modules of packages in the imports of code, and nowhere else", () => {
  const packages = ["numpy", "Scikit-Image", "ruamel.yaml"];
  for (
    const [code, expected] of [
      ["import numpy as np", true],
      ["if x:\n    from numpy.linalg import svd", true],
      ["import json, numpy", true],
      ["import scikit_image", true],
      ["from ruamel_yaml import YAML", true],
      ["print('import numpy')\nnumpy = 1", false],
      ["import json  # as ever", false],
      ["", false],
    ] as const
  ) assertEquals(mayImport(code, packages), expected, code);
});

Deno.test("explainMissing() adds the reason to the error of a missing module alone", () => {
  const failed = { status: "run-error" as const, error: "No", output: [] };
  const missing = { ...failed, errorType: "ModuleNotFoundError" };
  assertEquals(explainMissing(failed, "why"), failed);
  assertEquals(explainMissing(missing, undefined), missing);
  const { error } = explainMissing(missing, "Cannot find it.");
  assertEquals(
    error.split(": Cannot find it. ")[0],
    "No\nThe packages of this server are not installed",
  );
});
