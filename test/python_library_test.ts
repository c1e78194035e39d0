/**
 * The library for Python: its own tests (`python/tests/`), the Python of its pages
 * with real frameworks for agents, and what the predecessor's examples do.
 *
 * @module
 */
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { assertEquals } from "../deps/assert.ts";
import { log } from "../src/log.ts";
import { VARIABLES } from "./support/command.ts";
import { FOLDER_027, PACKAGES_027 } from "./support/each_pyodide.ts";
import { namesIn, tempFolder } from "./support/folder.ts";
import {
  getPythonPackages,
  PYTHON_CLIENTS,
  runPython,
} from "./support/python_packages.ts";

const ROOT = fileURLToPath(import.meta.resolve("../"));
const PAGES = ["docs/python.md", "docs/libraries.md"]
  .map((page) => join(ROOT, page));
const TESTS = ["pytest==9.0.2", "ipython==9.18.1"];
const PREDECESSOR = [
  ...["pytest==9.0.2", "mcp==1.30.0", "pydantic-ai-slim==1.107.0"],
];
const PYTEST = ["-m", "pytest", "-q", "-p", "no:cacheprovider"];
/** For code that imports numpy or matplotlib: an environment that other tests have. */
const DEPENDENCIES = PACKAGES_027.at(-1) ?? "";
/** Packages of snippets, by the module that these import. */
const FRAMEWORKS = {
  "none": TESTS,
  "pydantic_ai": PYTHON_CLIENTS.mcp2,
  "langchain_core": PYTHON_CLIENTS.mcp1,
  "agents": PYTHON_CLIENTS.mcp1,
};

testWith("python: the library passes its own tests", TESTS, async (run) => {
  await run(PYTEST);
});

for (const [framework, packages] of Object.entries(FRAMEWORKS)) {
  testWith(
    `python: the snippets of its pages do what they say (${framework})`,
    packages,
    async (run) => {
      const env = { DEPENDENCIES, WITH_PYODIDE: FOLDER_027 };
      for (const page of PAGES) {
        const count = countSnippets(page, framework);
        if (count === 0) continue;
        const args = ["tests/snippets.py", page, framework];
        assertEquals(await run(args, env), `${count}`);
      }
    },
    FOLDER_027 === "" ? "there is no Pyodide 0.27, which has numpy" : undefined,
  );
}

testWith("python: the predecessor's examples run", PREDECESSOR, async (run) => {
  // Clients of MCP pass HOME on, and no variable that names a cache.
  await using home = await tempFolder();
  const caches = { HOME: home.path, DENO_DIR: await findDenoCache() };
  const args = [...PYTEST, "tests/predecessor.py", "-k"];
  const numpy = "test_code_sandbox";
  await run([...args, `not ${numpy}`], caches);
  assertEquals(await namesIn(home.path), []);
  if (FOLDER_027 === "") {
    return log(
      "skipped: the predecessor's examples with numpy: no Pyodide 0.27",
    );
  }
  await run([...args, numpy], {
    DEPENDENCIES,
    MCP_RUN_PYTHON_PYODIDE: FOLDER_027,
    MCP_RUN_PYTHON_OFFLINE: "1",
  });
});

/** Runs Python; gives the last line of its output. */
type Run = (args: string[], env?: Record<string, string>) => Promise<string>;

/** A test with these packages, or a loud skip. */
function testWith(
  name: string,
  packages: string[],
  fn: (run: Run) => Promise<void>,
  missing?: string,
): void {
  Deno.test(name, async (test) => {
    const found = await getPythonPackages(...packages);
    const reason = missing ?? ("reason" in found ? found.reason : undefined);
    if (reason !== undefined) log(`skipped: ${name}: ${reason}`);
    await test.step({
      name: packages.join(", "),
      ignore: reason !== undefined,
      async fn() {
        if ("reason" in found) return;
        await fn(async (args, env) => {
          const options = { cwd: join(ROOT, "python"), env: envOf(found, env) };
          const text = await runPython(found, args, options);
          return text.trim().split("\n").at(-1) ?? "";
        });
      },
    });
  });
}

function envOf({ folder }: { folder: string }, env = {}) {
  const join = (...paths: string[]) => paths.join(delimiter);
  return {
    PATH: join(dirname(Deno.execPath()), Deno.env.get("PATH") ?? ""),
    PYTHONPATH: join(`${ROOT}python/src`, folder),
    MCP_RUN_PYTHON_DENO: Deno.execPath(),
    ...VARIABLES,
    OPENAI_AGENTS_DISABLE_TRACING: "1",
    ...env,
  };
}

function countSnippets(page: string, framework: string): number {
  const names = Object.keys(FRAMEWORKS);
  return [...Deno.readTextFileSync(page).matchAll(/^```python\n(.*?)^```/gms)]
    .map(([, code = ""]) => names.find((name) => code.includes(`from ${name}`)))
    .filter((used = "none") => used === framework).length;
}

async function findDenoCache(): Promise<string> {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json"],
    cwd: ROOT,
  }).output();
  return JSON.parse(new TextDecoder().decode(stdout)).denoDir;
}
