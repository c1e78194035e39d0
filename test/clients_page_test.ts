/**
 * The Python of docs/clients.md runs as it stands there, but for the command of
 * this clone and for the models: `stories/*_client.py` have these.
 *
 * @module
 */
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { log } from "../src/log.ts";
import { codeBlocks, withCommand } from "./support/clients_page.ts";
import { tempFolder } from "./support/folder.ts";
import {
  getPythonPackages,
  PYTHON_CLIENTS,
  runPython,
} from "./support/python_packages.ts";

const STORIES = fileURLToPath(import.meta.resolve("./stories"));
const { mcp1, mcp2 } = PYTHON_CLIENTS;

/** The blocks, in their order; a model gives back the last answer that it saw. */
const BLOCKS = [
  {
    heading: "pydantic-ai",
    packages: mcp2,
    model: '"openai:gpt-5.2"',
    from: "pydantic_ai_client",
    printed: /"return_value":42/,
  },
  { heading: "fastmcp", packages: mcp2, printed: /^42$/m },
  { heading: "LangChain", packages: mcp1, printed: /\bkept\b/ },
  {
    heading: "OpenAI Agents SDK",
    packages: mcp1,
    model: '"gpt-5.2"',
    from: "openai_agents_client",
    printed: /<return_value>\s*42\s/,
  },
  { heading: "Python SDK", packages: mcp2, printed: /'return_value': 42/ },
  { heading: "Python SDK", packages: mcp1, printed: /'return_value': 42/ },
];

Deno.test("the Python of docs/clients.md runs as it stands there", async (test) => {
  const blocks = codeBlocks("python");
  assertEquals(
    blocks.map(({ heading }) => heading),
    BLOCKS.map(({ heading }) => heading),
  );
  await using folder = await tempFolder();
  for (
    const [at, { heading, packages, model, from, printed }] of BLOCKS.entries()
  ) {
    const found = await getPythonPackages(...packages);
    const reason = "reason" in found ? found.reason : undefined;
    if (reason) log(`skipped: ${heading} of docs/clients.md: ${reason}`);
    await test.step({
      name: `${heading}, ${packages[0]}`,
      ignore: reason !== undefined,
      async fn() {
        assert(!("reason" in found));
        let code = withCommand(blocks[at]?.code ?? "");
        if (model) {
          assert(code.includes(model));
          code = `from ${from} import MODEL\n${code.replace(model, "MODEL")}`;
        }
        const path = join(folder.path, `${at}.py`);
        await Deno.writeTextFile(path, code);
        const withModels = {
          ...found,
          folder: `${found.folder}${delimiter}${STORIES}`,
        };
        assertMatch(await runPython(withModels, [path]), printed);
      },
    });
  }
});
