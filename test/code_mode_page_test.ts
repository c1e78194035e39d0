/**
 * The blocks of docs/code_mode.md and of the manual for models, which run; and
 * the names that they tell of, which are there.
 *
 * @module
 */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { log } from "../src/log.ts";
import { fields } from "../src/protocol/fields.ts";
import { MANUAL } from "../src/server/code_mode/manual.ts";
import { CACHE, CLI, command, COMMAND_LINE } from "./support/command.ts";
import { codeBlocks, read } from "./support/documents.ts";
import { tempFolder } from "./support/folder.ts";
import { type Meetings, writeMeetings } from "./support/meetings.ts";
import {
  getPythonPackages,
  PYTHON_CLIENTS,
  runPython,
} from "./support/python_packages.ts";
import { ALL_ROUNDS } from "./support/rounds.ts";
import { connectTo, startServer, type TestServer } from "./support/server.ts";

const PAGE = read("docs/code_mode.md");
const AGENTS = fileURLToPath(
  import.meta.resolve("./stories/code_mode_agents.py"),
);
const SERVERS = ["filesystem", "memory", "time"];
const CHAPTERS = ["1_search", "2_docs", "3_combine", "4_again"];

Deno.test("docs/code_mode.md shows the code that test/code_mode_story_test.ts runs, and its answer", () => {
  assertEquals(
    codeBlocks("python", PAGE).map(({ code }) => code),
    CHAPTERS.map((name) => read(`docs/code_mode/${name}.py`)),
  );
  const story = read("test/code_mode_story_test.ts");
  const [, answer = ""] = /^```\n(\[\[.*)\n```$/m.exec(PAGE) ?? [];
  for (const row of JSON.parse(answer)) {
    assert(story.includes(JSON.stringify(row).replace(",", ", ")), `${row}`);
  }
});

Deno.test("docs/code_mode.md: the configuration has its three servers, and one that lacks its token is skipped alone", async () => {
  await using folder = await tempFolder();
  const [example] = codeBlocks("json", PAGE);
  assert(example);
  const file = join(folder.path, "servers.json");
  await Deno.writeTextFile(file, example.code);
  const list = (env: Record<string, string>) =>
    command(["--mcp-config", file, "servers", "list"], { env });
  const whole = await list({ TICKETS_TOKEN: "t0ken" });
  const names = [...whole.stdout.matchAll(/^ {2}(\w+) +(?:stdio|http) /gm)];
  assertEquals(names.map(([, name]) => name), ["time", "memory", "tickets"]);
  assert(!whole.stdout.includes("t0ken"), whole.stdout);
  const { stdout, code } = await list({});
  assertEquals(code, 0);
  assertMatch(stdout, /Skipped\n {2}tickets .*TICKETS_TOKEN is not set/);
});

onMeetings(
  "docs/code_mode.md: the configuration of an agent serves run_python alone",
  async ({ options: [, config = ""] }) => {
    const [, example] = codeBlocks("json", PAGE);
    const { args } = fields(
      fields(fields(JSON.parse(example?.code ?? "")).mcpServers).python,
    );
    const words = [args].flat().map(String);
    assertEquals(words.slice(0, 5), [
      ...["-y", "deno@2.9.6", "run", "-A"],
      "/path/to/mcp-run-python/cli.ts",
    ]);
    const ours = words.slice(5).map((word) =>
      word === "/path/to/servers.json" ? config : word
    );
    const start = [CLI, "--cache-dir", CACHE, ...ours];
    await using server = await connectTo(start);
    const { tools } = await server.client.listTools();
    assertEquals(tools.map(({ name }) => name), ["run_python"]);
  },
);

onMeetings(
  "docs/code_mode.md: its lines for the shell start servers that answer",
  async ({ options }) => {
    const lines = codeBlocks("sh", PAGE).flatMap(({ code }) =>
      code.trim().split("\n").map((line) => line.replace(/ *#.*$/, ""))
    );
    const start = "mcp-run-python --mcp-config servers.json";
    assertEquals(lines.slice(0, 2), [
      `${start} servers test`,
      `${start} stdio`,
    ]);
    const [, config = ""] = options;
    const tested = await command(["--mcp-config", config, "servers", "test"]);
    assertEquals(tested.code, 0, tested.stdout + tested.stderr);
    assertMatch(tested.stdout, /^3 servers answered$/m);
  },
);

onMeetings(
  "docs/code_mode.md: the names of its table are there",
  async ({ options }) => {
    const [, table = ""] = PAGE.split("## Names in Python");
    const names = [...table.matchAll(/^\| (`[^|]*) \|/gm)]
      .flatMap(([, cell = ""]) => [...cell.matchAll(/`(?:await )?([^`]+)`/g)])
      .map(([, form = ""]) => form.replace(/\(.*/, ""));
    assert(names.length > 15, names.join());
    await using server = await startServer(options);
    const code = names.map((name) => `assert ${name} is not None`).join("\n");
    await succeed(server, `${code}\nimport mcp, mcp.runtime, mcp.servers.time`);
    const [, sentence = ""] = table.split("`MCPError`");
    assertMatch(sentence, /`server`, `tool`, `cause`/);
    const { stdout } = await succeed(
      server,
      'try: await call_tool("time", "none")\nexcept MCPError as error: print(error.server, error.tool, error.cause)',
    );
    assertMatch(`${stdout}`, /^time none \w+Error$/);
  },
);

onMeetings(
  "each block of the manual runs in its turn, without a word on stderr",
  async ({ options }) => {
    const blocks = codeBlocks("python", MANUAL);
    assert(blocks.length >= 9);
    await using server = await startServer(options);
    for (const { heading, code } of blocks) {
      const { stderr, ...answer } = await succeed(server, code);
      assertEquals(stderr, undefined, heading);
      const isSilent = !code.includes("print(");
      assertEquals("stdout" in answer, !isSilent, heading);
      assert(!JSON.stringify(answer).includes("failed:"), heading);
    }
  },
);

for (
  const [library, packages] of [
    ["pydantic-ai", PYTHON_CLIENTS.mcp2],
    ...(ALL_ROUNDS
      ? [
        ["fastmcp", PYTHON_CLIENTS.mcp2],
        ["langchain", PYTHON_CLIENTS.mcp1],
      ] as const
      : []),
  ] as const
) {
  onMeetings(
    `a model sees of each error how its call is mended (${library})`,
    async ({ options }) => {
      const found = await getPythonPackages(...packages);
      if ("reason" in found) {
        return log(`skipped: ${library}: ${found.reason}`);
      }
      const args = [AGENTS, library, ...COMMAND_LINE, ...options, "stdio"];
      const seen: unknown[] = JSON.parse(await runPython(found, args));
      const [argument, unloaded, mended, misspelt] = seen.map((one) =>
        (typeof one === "string" ? one : JSON.stringify(one))
          .replaceAll("\\", "")
      );
      assertMatch(`${argument}`, /no parameter "zone"\. Its signature: get_/);
      assertMatch(`${unloaded}`, /name it in the call, servers=\["time"\]/);
      assertMatch(`${mended}`, /return_value"?: ?"?UTC/);
      assertMatch(`${misspelt}`, /has "tiem", which is not .*there are "time"/);
    },
  );
}

/** A test beside the real servers of the page. */
function onMeetings(name: string, fn: (meetings: Meetings) => Promise<void>) {
  Deno.test(name, async () => {
    await using folder = await tempFolder();
    const meetings = await writeMeetings(folder.path);
    if ("reason" in meetings) {
      return log(`skipped: ${name}: ${meetings.reason}`);
    }
    await fn(meetings);
  });
}

async function succeed({ client }: TestServer, code: string) {
  const { structuredContent } = await client.callTool({
    name: "run_python",
    arguments: { code, servers: SERVERS },
  });
  const answer = fields(structuredContent);
  assertEquals(answer.status, "success", JSON.stringify(answer));
  return answer;
}
