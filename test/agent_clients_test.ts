/**
 * Frameworks for agents in Python: what their models see, over stdio and over HTTP
 * by the connection that docs/clients.md shows (`stories/*_client.py`). A model
 * that does not get a picture reads of it.
 *
 * @module
 */
import { fileURLToPath } from "node:url";
import { assert, assertEquals } from "../deps/assert.ts";
import { log } from "../src/log.ts";
import { rowsOf } from "./support/clients_page.ts";
import { CACHE, CLI, POOL } from "./support/command.ts";
import { type HttpServer, startHttp } from "./support/http_server.ts";
import {
  getPythonPackages,
  PYTHON_CLIENTS,
  runPython,
} from "./support/python_packages.ts";

const { mcp1, mcp2 } = PYTHON_CLIENTS;
const TOKEN = "a-token-of-this-test";
const STDIO = [
  ...[Deno.execPath(), "run", "-A", CLI, "--cache-dir", CACHE],
  ...[...POOL, "stdio"],
];
const PICTURE =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
const LISTED = ["figure-1.png", "image/png"];
/** What each call's answer says to a model, whatever its form. */
const WORDS: Record<string, string[]> = {
  "a run": ["success", "printed", "42"],
  "a run, as data": ["status='success'", "['printed']", "return_value=42"],
  "an error": ["run-error", "so far", "line 2", "KeyError: 'colour'"],
  "a picture": ["success", "a picture", ...LISTED],
  "a picture, as data": ["status='success'", ...LISTED],
  "a picture, then an error": ["run-error", "ZeroDivisionError", ...LISTED],
  "the end": ["exceeded max retries count of 1"],
};

/** Of each story: its calls, and the pictures that a model gets of each. */
type Stories = Record<string, Record<string, number>>;

const CALLS = { "a run": 0, "an error": 0, "a picture": 1 };
const FAILING = "a picture, then an error";
const ALL = { ...CALLS, [FAILING]: 1 };
const DROPPED = { ...CALLS, [FAILING]: 0 };
const WITH_DATA = { "a run, as data": 0, "a picture, as data": 0 };
const CLIENTS: {
  name: string;
  packages: string[];
  requirement: string;
  driver: string;
  stories: Stories;
}[] = [
  {
    name: "fastmcp",
    packages: mcp2,
    requirement: "fastmcp",
    driver: "fastmcp_client.py",
    stories: {
      stdio: { ...DROPPED, ...WITH_DATA },
      HTTP: { ...DROPPED, ...WITH_DATA },
    },
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
  },
  {
    name: "LangChain",
    packages: mcp1,
    requirement: "langchain-mcp-adapters",
    driver: "langchain_client.py",
    stories: { stdio: ALL, HTTP: ALL },
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
  },
];

interface Seen {
  text: string;
  pictures: string[];
}
type Told = Record<string, { tools: string[] } & Record<string, Seen>>;

Deno.test("models of Python's frameworks see each value, error and picture, or read of it", async (test) => {
  await using server = await startHttp([], {
    env: { MCP_RUN_PYTHON_TOKEN: `ada:${TOKEN}` },
  });
  for (const { name, packages, driver, requirement, stories } of CLIENTS) {
    const found = await getPythonPackages(...packages);
    const reason = "reason" in found ? found.reason : undefined;
    if (reason) log(`skipped: the story by ${name}: ${reason}`);
    await test.step({
      name,
      ignore: reason !== undefined,
      async fn(test) {
        assert(!("reason" in found));
        const version = versionOf(packages, requirement);
        const path = fileURLToPath(import.meta.resolve(`./stories/${driver}`));
        const http = toConnection(`${name} ${version}`, server);
        const told: Told = JSON.parse(
          await runPython(found, [path, http, ...STDIO]),
        );
        assertEquals(Object.keys(told), Object.keys(stories));
        for (const [story, { tools, ...calls }] of Object.entries(told)) {
          await test.step(story, () => {
            assert(tools.includes("run_python_code"), `${tools}`);
            assertEquals(count(calls), stories[story]);
            for (const [call, { text, pictures }] of Object.entries(calls)) {
              const missing = WORDS[call]?.filter((one) => !text.includes(one));
              assertEquals(missing, [], `${call}: ${text}`);
              assertEquals(pictures, pictures.map(() => PICTURE));
            }
          });
        }
      },
    });
  }
});

Deno.test("docs/clients.md names the versions of Python's clients that the tests run", () => {
  const rows = [
    ...CLIENTS,
    { name: "Python SDK", packages: mcp1, requirement: "mcp" },
    { name: "Python SDK", packages: mcp2, requirement: "mcp" },
  ];
  for (const { name, packages, requirement } of rows) {
    const version = versionOf(packages, requirement);
    assertEquals(rowsOf(`${name} ${version}`).length, 1, name);
    const lookedAt = rowsOf(name).filter((row) => row.length > 2);
    assert(lookedAt.some(([, versions]) => versions?.includes(version)), name);
  }
});

/** The page's Python expression, with this server's address and token. */
function toConnection(client: string, { url }: HttpServer): string {
  const [row] = rowsOf(client);
  const [, expression] = /^`([^`]+)`/.exec(row?.[1] ?? "") ?? [];
  assert(expression, `docs/clients.md has no connection of ${client}`);
  return expression
    .replace("http://127.0.0.1:3001/mcp", url.href)
    .replace("{…}", '{"Authorization": "Bearer …"}')
    .replace("…", TOKEN);
}

function versionOf(packages: string[], requirement: string): string {
  const pin = packages.find((one) => one.startsWith(`${requirement}==`));
  assert(pin, requirement);
  return pin.slice(requirement.length + 2);
}

function count(calls: Record<string, Seen>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(calls).map(([call, { pictures }]) => [
      call,
      pictures.length,
    ]),
  );
}
