/**
 * Programs of Node see the same over stdio and HTTP: the official TypeScript
 * clients of both generations (`stories/story.mjs`), and the command of the MCP
 * Inspector. And their examples of docs/clients.md run as they stand there.
 *
 * @module
 */
import { delimiter } from "node:path";
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { log } from "../src/log.ts";
import { PAGE, rowsOf, withCommand } from "./support/clients_page.ts";
import { codeBlocks } from "./support/documents.ts";
import { COMMAND_LINE, type Ended, toEnded } from "./support/command.ts";
import { shareHttp } from "./support/http_server.ts";
import { getNpmPackages, NODE, programsOf } from "./support/npm_packages.ts";
import { pasteInShell } from "./support/paste_in_shell.ts";
import { toPng } from "./support/png.ts";
import { ALL_ROUNDS } from "./support/rounds.ts";

const SDK_1 = "@modelcontextprotocol/sdk@1.32.2";
const SDK_2 = "@modelcontextprotocol/client@2.4.0";
const INSPECTOR = "@modelcontextprotocol/inspector@2.12.0";

const node = await getNpmPackages(NODE);
const clients = await getNpmPackages(SDK_1, SDK_2, INSPECTOR);
const found = "reason" in node
  ? node
  : "reason" in clients
  ? clients
  : { ...clients, node: node.folder };
const ignore = "reason" in found;
if ("reason" in found) log(`skipped: clients of Node: ${found.reason}`);

const STDIO = [...COMMAND_LINE, "stdio"];
const http = shareHttp();
const SOURCE = new URL("./stories/story.mjs", import.meta.url);

const PNG = toPng().toBase64();
const PICTURE = `
from base64 import b64decode
class Picture:
    def _repr_png_(self):
        return b64decode("${PNG}")
print("printed")
display(Picture())
6 * 7`;
const TRACEBACK = `Traceback (most recent call last):
  File "main.py", line 1, in <module>
    1 / 0
    ~~^~~
ZeroDivisionError: division by zero`;

/** Calls, and all that a program sees of their answers. */
const CALLS = [
  {
    name: "a run with a picture",
    code: PICTURE,
    seen: {
      content: [
        {
          type: "text",
          text: `<status>success</status>
<output>
printed
</output>
<return_value>
42
</return_value>
<images>
run-python://images/figure-1.png (image/png, 70 bytes)
</images>`,
        },
        { type: "image", data: PNG, mimeType: "image/png" },
      ],
      structuredContent: {
        status: "success",
        output: ["printed"],
        return_value: 42,
        images: [{
          uri: "run-python://images/figure-1.png",
          ...{ mimeType: "image/png", size: 70 },
        }],
      },
      isError: false,
    },
  },
  {
    name: "an error",
    code: "1 / 0",
    seen: {
      content: [{
        type: "text",
        text: `<status>run-error</status>\n<error>\n${TRACEBACK}\n</error>`,
      }],
      structuredContent: {
        ...{ status: "run-error", output: [], error: TRACEBACK },
      },
      isError: true,
    },
  },
];
const TOOLS = [
  ...["run_python_code", "list_sessions", "fork_session", "end_session"],
];
const TOLD = [
  ["tools", TOOLS],
  ...CALLS.map(({ name, seen }) => [name, seen]),
  ["a step", { progress: 1, total: 2, message: "half" }],
  ["given up", true],
  ["the session goes on", 1],
];

for (
  const { sdk, eras } of [
    { sdk: SDK_1, eras: ["1.x"] },
    {
      sdk: SDK_2,
      eras: [...(ALL_ROUNDS ? ["2025-11-25"] : []), "2026-07-28"],
    },
  ]
) {
  for (const era of eras) {
    for (const via of ["stdio", "HTTP"]) {
      Deno.test({
        name: `story: ${sdk} in Node (${era}, ${via})`,
        ignore,
        async fn() {
          const to = via === "stdio" ? STDIO : [(await http()).url.href];
          const calls = CALLS.map(({ name, code }) => [name, code]);
          const told = await inNode(await Deno.readTextFile(SOURCE), [
            ...[era, JSON.stringify(calls), ...to],
          ]);
          assertEquals(JSON.parse(told), TOLD);
        },
      });
    }
  }
}

for (const via of ["stdio", "HTTP"]) {
  Deno.test({
    name: `story: the MCP Inspector's command (${via})`,
    ignore,
    async fn() {
      const to = via === "stdio"
        ? STDIO
        : [(await http()).url.href, "--protocol-era", "modern"];
      const { result: { tools } } = await inspect([
        ...[...to, "--method", "tools/list"],
      ]);
      assert(Array.isArray(tools));
      assertEquals(tools.map(({ name }) => name), TOOLS);
      for (const { code, seen } of CALLS) {
        const told = await inspect([
          ...[...to, "--method", "tools/call"],
          ...["--tool-name", "run_python_code"],
          ...["--tool-arg", `python_code=${code}`],
        ]);
        assertEquals(told, { code: seen.isError ? 5 : 0, result: seen });
      }
    },
  });
}

Deno.test({
  name: "docs/clients.md: the Inspector's command runs as it stands",
  ignore: ignore || Deno.build.os === "windows",
  async fn() {
    const [block, ...more] = codeBlocks("sh", PAGE)
      .filter(({ heading }) => heading === "MCP Inspector");
    assert(block && more.length === 0);
    const [yes, requirement, cli, ...args] = await pasteInShell(
      "npx",
      withCommand(block.code),
    );
    assertEquals([yes, requirement, cli], ["-y", INSPECTOR, "--cli"]);
    const { code: exitCode, result } = await inspect(args);
    assertEquals([exitCode, result.structuredContent], [0, {
      ...{ status: "success", output: [], return_value: 42 },
    }]);
  },
});

Deno.test({
  name: "docs/clients.md: the programs of TypeScript run in Node as they stand",
  ignore,
  async fn() {
    for (const { code } of codeBlocks("ts", PAGE)) {
      const printed = await inNode(withCommand(code));
      assertMatch(printed, /status: 'success',.* return_value: 42/);
    }
  },
});

Deno.test("docs/clients.md names the versions of the clients that the tests run", () => {
  const named = {
    "TypeScript SDK": [SDK_1, SDK_2],
    "MCP Inspector": [INSPECTOR],
  };
  for (const [client, requirements] of Object.entries(named)) {
    for (const requirement of requirements) {
      const [version = ""] = /[\d.]+$/.exec(requirement) ?? [];
      assertEquals(rowsOf(`${client} ${version}`).length, 1, requirement);
      assert(rowsOf(client).some((row) => row[1]?.includes(`${version},`)));
    }
  }
});

/** Runs the Inspector's command; gives the result that it prints, and its exit code. */
async function inspect(
  args: string[],
): Promise<{ code: number; result: Record<string, unknown> }> {
  const { code, stdout, stderr } = await inFolder("mcp-inspector", [
    ...["--cli", ...args],
  ]);
  assert(stdout.startsWith("{"), stderr);
  // The era of 2026 names the server in it.
  const { _meta, ...result } = JSON.parse(stdout);
  return { code, result };
}

/** Runs a module in Node; gives what it prints. */
async function inNode(source: string, args: string[] = []): Promise<string> {
  const module = ["--input-type=module", "--eval", source];
  const { code, stdout, stderr } = await inFolder("node", [
    ...[...module, "--", ...args],
  ]);
  assertEquals(code, 0, stderr);
  return stdout;
}

/** Runs a program that the packages bring, in their folder. */
async function inFolder(program: string, args: string[]): Promise<Ended> {
  assert(!("reason" in found));
  const programs = [found.folder, found.node].map(programsOf);
  const PATH = [...programs, Deno.env.get("PATH")].join(delimiter);
  const command = new Deno.Command(program, {
    ...{ args, cwd: found.folder, stdin: "null" },
    env: { PATH, NO_COLOR: "1" },
  });
  return toEnded(await command.output());
}
