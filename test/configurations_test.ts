/**
 * The configurations of README and docs/clients.md, pasted: each starts the server
 * as a client does, with the few variables that clients hand down, or reaches a
 * server of HTTP by its address and header.
 *
 * @module
 */
import { assert, assertEquals } from "../deps/assert.ts";
import {
  StdioClientTransport,
  StreamableHTTPClientTransport,
} from "../deps/mcp_client.ts";
import { log } from "../src/log.ts";
import { fields } from "../src/protocol/fields.ts";
import { connectBy, type TestClient } from "./support/client.ts";
import { rowsOf } from "./support/clients_page.ts";
import { codeBlocks, read } from "./support/documents.ts";
import { CLI, command, REAL_DEPS, VARIABLES } from "./support/command.ts";
import { tempFolder } from "./support/folder.ts";
import { startHttp } from "./support/http_server.ts";
import { pasteInShell } from "./support/paste_in_shell.ts";
import { NO_INDEX } from "./support/real_index.ts";
import { run } from "../src/launcher/bundling/write_program.ts";

const PAGES = ["README.md", "docs/clients.md"].map(read);
const TOKEN = "a-token-of-this-test";
const NO_SHELL = Deno.build.os === "windows" && "there is no sh";
if (NO_SHELL) log(`skipped: pasted configurations: ${NO_SHELL}`);

/** What a client reads of a configuration. */
interface Configuration {
  command?: unknown;
  args?: unknown;
  url?: unknown;
  headers?: unknown;
}

Deno.test({
  name:
    "each configuration of the documents starts a server that has its packages",
  ignore: Boolean(NO_SHELL || NO_INDEX),
  async fn(test) {
    const pasted = await Promise.all(PAGES.flatMap(configurationsOf));
    assertEquals(pasted.length, 6);
    const commands = new Set(pasted.map(({ command, args }) => {
      assert(typeof command === "string" && Array.isArray(args));
      return JSON.stringify([command, ...args.map(String)]);
    }));
    // Not every machine reaches an index with the variables that are handed down.
    const installed = await command(["--deps", REAL_DEPS, "install"]);
    assertEquals(installed.code, 0, installed.stderr);
    const npx = await whyNoNpx();
    if (npx) log(`skipped: npx, in whose place the tests' Deno runs: ${npx}`);
    await using folder = await tempFolder();
    for (const text of commands) {
      const words: string[] = JSON.parse(
        text.replace("/path/to/mcp-run-python/cli.ts", CLI),
      );
      await test.step(words.join(" "), async () => {
        const [program = "", ...args] = npx
          ? [Deno.execPath(), ...words.slice(3)]
          : words;
        await using client = await connectBy(
          new StdioClientTransport({
            ...{ command: program, args, cwd: folder.path },
            env: handedDown(),
          }),
          "2025-11-25",
        );
        await callIt(client, "import pydantic, rich");
      });
    }
  },
});

Deno.test({
  name: "each configuration for HTTP reaches a server that asks for a token",
  ignore: Boolean(NO_SHELL),
  async fn() {
    await using server = await startHttp([], {
      env: { MCP_RUN_PYTHON_TOKEN: `ada:${TOKEN}` },
    });
    const [claude = "", cursor = "", code = ""] = [
      "Claude",
      "Cursor",
      "VS Code",
    ]
      .map((client) =>
        rowsOf(`${client}`)
          .flatMap(([, cell = ""]) =>
            /`([^`]*\/mcp[^`]*)`$/.exec(cell)?.[1] ?? []
          )
          .join("")
      );
    const [, ...added] = await pasteInShell("claude", claude);
    const [, kind, transport, , url, option, header = ""] = added;
    assertEquals([kind, transport, option], [
      "--transport",
      "http",
      "--header",
    ]);
    const [name = "", value] = header.split(": ");
    const configurations: Configuration[] = [
      { url, headers: { [name]: value } },
      ...[cursor, code].map((text) => fields(JSON.parse(`{${text}}`)).python)
        .map(fields),
    ];
    for (const { url, headers } of configurations) {
      const address = new URL(String(url));
      assertEquals(address.href, "http://127.0.0.1:3001/mcp");
      address.port = server.url.port;
      const sent = Object.entries(fields(headers))
        .map(([name, value]) => [name, String(value).replace("…", TOKEN)]);
      await using client = await connectBy(
        new StreamableHTTPClientTransport(address, {
          requestInit: { headers: Object.fromEntries(sent) },
        }),
        "2025-11-25",
      );
      await callIt(client, "");
    }
  },
});

/** The configurations of a page: JSON, and lines for the shell. */
function configurationsOf(page: string): Promise<Configuration>[] {
  const json = codeBlocks("json", page).map(async ({ code }) => {
    const { mcpServers, servers } = fields(JSON.parse(code));
    return await fields(fields(mcpServers ?? servers).python);
  });
  const lines = codeBlocks("sh", page)
    .filter(({ code }) => code.startsWith("claude mcp add"))
    .map(async ({ code }) => {
      const words = await pasteInShell("claude", code);
      const [command, ...args] = words.slice(words.indexOf("--") + 1);
      return { command, args };
    });
  return [...json, ...lines];
}

/**
 * Variables that docs/clients.md has a user give in `env`, as this machine has
 * them. The values on the page are of a machine that is not there.
 */
function handedDown(): Record<string, string> {
  const named = PAGES.flatMap((page) =>
    [...page.matchAll(/`([A-Z][A-Z_]+)(?:=\w+)?`/g)]
      .map(([, name = ""]) => [name, Deno.env.get(name)])
  );
  return {
    ...Object.fromEntries(named.filter(([, value]) => value !== undefined)),
    ...VARIABLES,
  };
}

async function callIt(client: TestClient, imports: string): Promise<void> {
  const { returnValue, text } = await client.call(`${imports}\n6 * 7`);
  assertEquals(returnValue, 42, text);
}

async function whyNoNpx(): Promise<string | undefined> {
  const [deno = ""] = /deno@[\d.]+/.exec(PAGES.join()) ?? [];
  return await run("npx", ["-y", deno, "--version"])
    .then(() => undefined, String);
}
