/**
 * The library for Python, by its own tests: `python/tests/`.
 *
 * @module
 */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { assert } from "../deps/assert.ts";
import { log } from "../src/log.ts";
import { CACHE } from "./support/command.ts";
import { getPythonPackages } from "./support/python_packages.ts";

const ROOT = fileURLToPath(import.meta.resolve("../python"));
const found = await getPythonPackages("pytest==9.0.2");
if ("reason" in found) log(`skipped: the library for Python: ${found.reason}`);

Deno.test({
  name: "the library for Python passes its own tests",
  ignore: "reason" in found,
  async fn() {
    assert(!("reason" in found));
    const { success } = await new Deno.Command(found.python, {
      args: ["-m", "pytest", "-q", "-p", "no:cacheprovider"],
      cwd: ROOT,
      env: {
        PYTHONPATH: [join(ROOT, "src"), found.folder].join(":"),
        PYTHONDONTWRITEBYTECODE: "1",
        MCP_RUN_PYTHON_DENO: Deno.execPath(),
        MCP_RUN_PYTHON_CACHE: CACHE,
      },
      stdout: "inherit",
      stderr: "inherit",
    }).output();
    assert(success);
  },
});
