/**
 * Frameworks for agents in Python (`stories/*_client.py`): what their models see
 * over stdio, and over HTTP by the connection that docs/clients.md shows. A model
 * that does not get a picture reads of it. And the Python of that page runs as it
 * stands there, but for the clone's command and the model.
 *
 * @module
 */
import { fileURLToPath } from "node:url";
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { log } from "../src/log.ts";
import { PAGE, rowsOf, withCommand } from "./support/clients_page.ts";
import { type CodeBlock, codeBlocks } from "./support/documents.ts";
import { COMMAND_LINE } from "./support/command.ts";
import { type HttpServer, startHttp } from "./support/http_server.ts";
import {
  getPythonPackages,
  PYTHON_CLIENTS,
  runPython,
} from "./support/python_packages.ts";

const { mcp1, mcp2 } = PYTHON_CLIENTS;
const TOKEN = "a-token-of-this-test";
const STDIO = [...COMMAND_LINE, "stdio"];
const PICTURE =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
const LISTED = ["figure-1.png", "image/png"];
/** What each call's answer says to a model, whatever its form. */
const WORDS: Record<string, string[]> = {
  "a run": ["success", "printed", "42"],
  "a run, as data": ["status='success'", "['printed']", "return_value=42"],
  "a long list": ["success", "length", "10000", "9999", "summed up"],
  "a long list, as data": ["status='success'", "length", "9999"],
  "an error": ["run-error", "so far", "line 2", "KeyError: 'colour'"],
  "a picture": ["success", "a picture", ...LISTED],
  "a picture, as data": ["status='success'", ...LISTED],
  "a picture, then an error": ["run-error", "ZeroDivisionError", ...LISTED],
  "the end": ["exceeded max retries count of 1"],
};

/** Characters of each: no call gives more that a model should read. */
const LONGEST = 1500;

const CALLS = { "a run": 0, "a long list": 0, "an error": 0, "a picture": 1 };
const FAILING = "a picture, then an error";
const ALL = { ...CALLS, [FAILING]: 1 };
const DROPPED = { ...CALLS, [FAILING]: 0 };
const WITH_DATA = {
  ...DROPPED,
  ...{
    "a run, as data": 0,
    "a long list, as data": 0,
    "a picture, as data": 0,
  },
};

interface PythonClient {
  /** As docs/clients.md has it. */
  name: string;
  packages: string[];
  /** Its own package. */
  requirement: string;
  driver: string;
  /** Of each story: its calls, and the pictures that the model gets of each. */
  stories: Record<string, Record<string, number>>;
  /** Blocks of the page, by their headings, and what they print. */
  page: [heading: string, printed: RegExp][];
}

/** Blocks that stand under one heading come in the order of the clients. */
const CLIENTS: PythonClient[] = [
  {
    name: "fastmcp",
    packages: mcp2,
    requirement: "fastmcp",
    driver: "fastmcp_client.py",
    stories: { stdio: WITH_DATA, HTTP: WITH_DATA },
    page: [["fastmcp", /^42$/m], ["Python SDK", /'return_value': 42/]],
  },
  {
    name: "pydantic-ai",
    packages: mcp2,
    requirement: "pydantic-ai-slim[mcp]",
    driver: "pydantic_ai_client.py",
    stories: {
      stdio: DROPPED,
      HTTP: DROPPED,
      "two errors": { "an error": 0, "the end": 0 },
      "two errors, max_retries": { "an error": 0, [FAILING]: 0 },
      "two errors, failed": { "an error": 0, [FAILING]: 0 },
      "two errors, --error-results": { "an error": 0, [FAILING]: 1 },
    },
    page: [["pydantic-ai", /"return_value":42/]],
  },
  {
    name: "LangChain",
    packages: mcp1,
    requirement: "langchain-mcp-adapters",
    driver: "langchain_client.py",
    stories: { stdio: ALL, HTTP: ALL },
    page: [["LangChain", /kept/], ["Python SDK", /'return_value': 42/]],
  },
  {
    name: "OpenAI Agents",
    packages: mcp1,
    requirement: "openai-agents",
    driver: "openai_agents_client.py",
    stories: {
      stdio: ALL,
      HTTP: ALL,
      "HTTP, use_structured_content": { ...ALL, "a picture": 0 },
    },
    page: [["OpenAI Agents SDK", /<return_value>\s*42\s/]],
  },
];

/** What a driver prints. */
interface Told {
  stories: Record<string, { tools: string[] } & Record<string, Seen>>;
  printed: string[];
}
interface Seen {
  text: string;
  pictures: string[];
}

Deno.test("models of Python's frameworks see each value, error and picture, or read of it", async (test) => {
  await using server = await startHttp([], {
    env: { MCP_RUN_PYTHON_TOKEN: `ada:${TOKEN}` },
  });
  const blocks = codeBlocks("python", PAGE);
  for (const client of CLIENTS) {
    const code = client.page.map(([heading]) => take(blocks, heading));
    const found = await getPythonPackages(...client.packages);
    const reason = "reason" in found ? found.reason : undefined;
    if (reason) log(`skipped: the story by ${client.name}: ${reason}`);
    await test.step({
      name: client.name,
      ignore: reason !== undefined,
      async fn(test) {
        assert(!("reason" in found));
        const { driver, page } = client;
        const told: Told = JSON.parse(
          await runPython(found, [
            fileURLToPath(import.meta.resolve(`./stories/${driver}`)),
            JSON.stringify({
              http: toHttp(client, server),
              stdio: STDIO,
              code,
            }),
          ]),
        );
        await checkStories(test, told, client);
        for (const [at, [heading, printed]] of page.entries()) {
          await test.step(`docs/clients.md, ${heading}`, () => {
            assertMatch(told.printed[at] ?? "", printed);
          });
        }
      },
    });
  }
  assertEquals(blocks, []);
});

Deno.test("docs/clients.md names the versions of Python's clients that the tests run", () => {
  const sdks = [mcp1, mcp2].map((packages) => ({
    name: "Python SDK",
    packages,
    requirement: "mcp",
  }));
  for (const client of [...CLIENTS, ...sdks]) {
    const version = versionOf(client);
    assertEquals(rowsOf(`${client.name} ${version}`).length, 1, client.name);
    const lookedAt = rowsOf(client.name).filter((row) => row.length > 2);
    assert(lookedAt.some((row) => row[1]?.includes(version)), client.name);
  }
});

async function checkStories(
  test: Deno.TestContext,
  told: Told,
  { stories }: PythonClient,
): Promise<void> {
  assertEquals(Object.keys(told.stories), Object.keys(stories));
  for (const [story, { tools, ...calls }] of Object.entries(told.stories)) {
    await test.step(story, () => {
      assert(tools.includes("run_python_code"), `${tools}`);
      const counts = Object.entries(calls)
        .map(([call, { pictures }]) => [call, pictures.length]);
      assertEquals(Object.fromEntries(counts), stories[story]);
      for (const [call, { text, pictures }] of Object.entries(calls)) {
        const missing = WORDS[call]?.filter((one) => !text.includes(one));
        assertEquals(missing, [], `${call}: ${text}`);
        assert(text.length < LONGEST, `${call}: ${text.length} characters`);
        assertEquals(pictures, pictures.map(() => PICTURE));
      }
    });
  }
}

/** Takes the first block of a heading out of the list, to be run. */
function take(blocks: CodeBlock[], heading: string): string {
  const at = blocks.findIndex((block) => block.heading === heading);
  const [block] = blocks.splice(at, 1);
  assert(at >= 0 && block, `docs/clients.md has no Python of ${heading}`);
  return withCommand(block.code).replace(/"(openai:)?gpt-[\d.]+"/, "MODEL");
}

/** The page's expression of the connection, with this server's address and token. */
function toHttp(client: PythonClient, { url }: HttpServer): string {
  const [row] = rowsOf(`${client.name} ${versionOf(client)}`);
  const [, expression] = /^`([^`]+)`/.exec(row?.[1] ?? "") ?? [];
  assert(expression, `docs/clients.md has no connection of ${client.name}`);
  return expression
    .replace("http://127.0.0.1:3001/mcp", url.href)
    .replace("{…}", '{"Authorization": "Bearer …"}')
    .replace("…", TOKEN);
}

function versionOf(
  { packages, requirement }: Pick<PythonClient, "packages" | "requirement">,
): string {
  const pin = packages.find((each) => each.startsWith(`${requirement}==`));
  assert(pin, requirement);
  return pin.slice(requirement.length + 2);
}
