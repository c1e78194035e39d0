/**
 * The library for Python: its own tests (`python/tests/`), the Python of its page
 * with real frameworks for agents, and what the predecessor's examples do.
 *
 * @module
 */
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { assert, assertEquals } from "../deps/assert.ts";
import { log } from "../src/log.ts";
import { CACHE } from "./support/command.ts";
import { FOLDER_027, PACKAGES_027 } from "./support/each_pyodide.ts";
import { tempFolder } from "./support/folder.ts";
import { getPythonPackages } from "./support/python_packages.ts";

const ROOT = fileURLToPath(import.meta.resolve("../"));
const PAGE = join(ROOT, "docs/python.md");
const PYTEST = "pytest==9.0.2";
const DENO_FOLDER = dirname(Deno.execPath());
/** For code that imports numpy or matplotlib: an environment that other tests have. */
const WITH_NUMPY = {
  MCP_RUN_PYTHON_PYODIDE: FOLDER_027,
  MCP_RUN_PYTHON_OFFLINE: "1",
  DEPENDENCIES: PACKAGES_027.at(-1) ?? "",
};
/** By the module that a snippet imports, or "none". */
const FRAMEWORKS = {
  none: [],
  "pydantic_ai": ["pydantic-ai-slim[mcp]==2.68.0"],
  "langchain_core": ["langchain-mcp-adapters==0.3.2"],
  agents: ["openai-agents==0.24.0"],
};

Deno.test("python: the library passes its own tests", async (test) => {
  await stepWith(test, [PYTEST, "ipython==9.18.1"], async (python) => {
    await python(["-m", "pytest", "-q", "-p", "no:cacheprovider"]);
  });
});

Deno.test("python: each snippet of its page runs, and prints what it says", async (test) => {
  let count = 0;
  let isWhole = true;
  for (const [name, packages] of Object.entries(FRAMEWORKS)) {
    isWhole &&= await stepWith(
      test,
      packages,
      async (python) => {
        const args = ["tests/snippets.py", PAGE, name];
        count += Number(await python(args, WITH_NUMPY));
      },
      FOLDER_027 === "" ? "there is no Pyodide 0.27, which has numpy" : "",
      name,
    );
  }
  if (!isWhole) return;
  const snippets = (await Deno.readTextFile(PAGE)).match(/^```python$/gm);
  assertEquals(count, snippets?.length);
});

Deno.test("python: the predecessor's examples run", async (test) => {
  const packages = [PYTEST, "mcp==1.30.0", "pydantic-ai-slim==1.107.0"];
  await stepWith(test, packages, async (python) => {
    // Clients of MCP pass HOME on, and no variable that names a cache.
    await using home = await tempFolder();
    await Deno.mkdir(join(home.path, ".cache"));
    const caches = { "mcp-run-python": CACHE, deno: await findDenoCache() };
    for (const [name, folder] of Object.entries(caches)) {
      await Deno.symlink(folder, join(home.path, ".cache", name));
    }
    const args = ["-m", "pytest", "-q", "-p", "no:cacheprovider"];
    const env = { HOME: home.path };
    const numpy = "test_code_sandbox";
    await python([...args, "tests/predecessor.py", "-k", `not ${numpy}`], env);
    if (FOLDER_027 === "") return log(`skipped: ${numpy}: no Pyodide 0.27`);
    await python([...args, "tests/predecessor.py", "-k", numpy], WITH_NUMPY);
  });
});

/** Runs Python; gives the last line of its output. */
type Run = (args: string[], env?: Record<string, string>) => Promise<string>;

/** A step with these packages, or a loud skip. */
async function stepWith(
  test: Deno.TestContext,
  packages: string[],
  fn: (python: Run) => Promise<void>,
  reason = "",
  name = packages.join(", "),
): Promise<boolean> {
  // Not at once: they share pip's cache.
  const folders: string[] = [];
  let command = "python3";
  for (const requirement of packages) {
    const found = await getPythonPackages(requirement);
    if ("reason" in found) reason ||= found.reason;
    else {
      folders.push(found.folder);
      command = found.python;
    }
  }
  if (reason !== "") log(`skipped: Python with ${name}: ${reason}`);
  return await test.step({
    name,
    ignore: reason !== "",
    fn: () => fn((args, env = {}) => run(command, args, { folders, env })),
  }) && reason === "";
}

async function run(
  python: string,
  args: string[],
  { folders, env }: { folders: string[]; env: Record<string, string> },
): Promise<string> {
  const { success, stdout } = await new Deno.Command(python, {
    args,
    cwd: join(ROOT, "python"),
    env: {
      PATH: `${DENO_FOLDER}:${Deno.env.get("PATH")}`,
      PYTHONPATH: [join(ROOT, "python/src"), ...folders].join(":"),
      PYTHONDONTWRITEBYTECODE: "1",
      MCP_RUN_PYTHON_DENO: Deno.execPath(),
      MCP_RUN_PYTHON_CACHE: CACHE,
      OPENAI_AGENTS_DISABLE_TRACING: "1",
      ...env,
    },
    stderr: "inherit",
  }).output();
  const text = new TextDecoder().decode(stdout).trim();
  assert(success, text);
  return text.split("\n").at(-1) ?? "";
}

async function findDenoCache(): Promise<string> {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json"],
    cwd: ROOT,
  }).output();
  return JSON.parse(new TextDecoder().decode(stdout)).denoDir;
}
