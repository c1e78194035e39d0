import {
  assert,
  assertEquals,
  assertMatch,
  assertRejects,
} from "../../../deps/assert.ts";
import { fakeSystem } from "../../../test/support/fake_system.ts";
import { clientFile } from "../../../test/support/mcp_client_files.ts";
import type { DownstreamTool, ServerEntry } from "../../protocol/downstream.ts";
import { DEFAULTS, type Settings } from "../../settings.ts";
import type { ServersOrder } from "../arguments.ts";
import { servers } from "./servers.ts";

const SETTINGS: Settings = {
  ...DEFAULTS,
  ...{ cacheDir: "/c", mcpConfig: ["/srv/mcp.json"], codeMode: true },
};
const SECRETS = ["sk-of-a-variable", "token-of-a-header", "key-of-a-query"];
const CONFIGURED = JSON.stringify({
  mcpServers: {
    git: { command: "git-mcp", env: { KEY: SECRETS[0] } },
    web: {
      url: `https://ada:pw@x.example/mcp?key=${SECRETS[2]}`,
      headers: { Authorization: `Bearer ${SECRETS[1]}` },
    },
    broken: { command: "broken-mcp", env: { KEY: SECRETS[0] } },
    off: { command: "off-mcp", disabled: true },
    me: { command: "npx", args: ["-y", "mcp-run-python"] },
  },
});

const tool = (name: string, description: string): DownstreamTool => ({
  ...{ name, description, inputSchema: {} },
});

/** In place of bridges. */
class Fakes {
  running = 0;
  mostRunning = 0;
  readonly asked: string[] = [];

  listTools = async ({ name }: ServerEntry) => {
    this.asked.push(name);
    this.mostRunning = Math.max(this.mostRunning, ++this.running);
    await Promise.resolve();
    this.running--;
    if (name === "broken") {
      throw new Error(
        `broken-mcp has ended with 1\nKEY=${SECRETS[0]} is wrong`,
      );
    }
    return {
      server: { name: `${name}-mcp`, version: "1.2" },
      tools: [
        tool("log", "Shows commits.\nIn order."),
        tool("diff", "Compares"),
      ],
    };
  };
}

/** Runs the command over a machine's files. */
async function run(
  order: Partial<ServersOrder>,
  files: Record<string, string> = { "/srv/mcp.json": CONFIGURED },
  settings = SETTINGS,
) {
  const fakes = new Fakes();
  let stdout = "";
  const code = await servers(
    settings,
    { action: "list", words: [], json: false, ...order },
    {
      system: fakeSystem(files),
      listTools: fakes.listTools,
      write: (text) => void (stdout += text),
    },
  );
  for (const secret of [...SECRETS, "ada:pw"]) assert(!stdout.includes(secret));
  return { code, stdout, fakes };
}

Deno.test("servers list shows each server with transport and file, and why others are skipped", async () => {
  const { code, stdout } = await run({});
  assertEquals(code, 0);
  assertMatch(
    stdout,
    /^ {2}git +stdio +git-mcp +mcp-run-python +\/srv\/mcp\.json$/m,
  );
  assertMatch(stdout, /^ {2}web +http +https:\/\/x\.example\/mcp /m);
  assertMatch(
    stdout,
    /^ {2}off \(mcp-run-python, \/srv\/mcp\.json\): its file disables it\. Remove "disabled": true from its entry\.$/m,
  );
  assertMatch(
    stdout,
    /^ {2}me .*this very program\. .*"allowSelf": true in its entry\.$/m,
  );
});

Deno.test("servers list names files that cannot be read, and those of --mcp-config discover", async () => {
  const files = {
    "/srv/all/a.json": "{",
    "/home/ada/.cursor/mcp.json": clientFile("cursor/mcp.json"),
  };
  const { stdout } = await run({}, files, {
    ...SETTINGS,
    mcpConfig: ["/srv/all"],
  });
  assertMatch(stdout, /^Servers\n {2}none: name a file .*--mcp-config/);
  assertMatch(stdout, /cannot be read\n {2}\/srv\/all\/a\.json: line 1 is not/);
  assertMatch(
    stdout,
    /discover only\n {2}\/home\/ada\/\.cursor\/mcp\.json\n$/,
  );
});

Deno.test("servers list prints one object with --json, which has names of secrets only", async () => {
  const { stdout } = await run({ json: true });
  const { servers: [git, web], skipped, faults } = JSON.parse(stdout);
  assertEquals([git.name, git.target, git.variables], [
    ...["git", "git-mcp", ["KEY"]],
  ]);
  assertEquals(web.headers, ["Authorization"]);
  assertEquals(skipped.map(({ name }: { name: string }) => name), [
    "off",
    "me",
  ]);
  assertEquals(faults, []);
});

Deno.test("servers test says each server's name, version, tools and time, and ends with 1 if one fails", async () => {
  const { code, stdout, fakes } = await run({ action: "test" });
  assertEquals(code, 1);
  assertMatch(stdout, /^git: git-mcp 1\.2, 2 tools, \d+\.\d s$/m);
  assertMatch(
    stdout,
    /^broken: failed after \d+\.\d s: broken-mcp has ended with 1\n {2}KEY=\*\*\* is wrong$/m,
  );
  assertMatch(stdout, /^1 of 3 servers failed$/m);
  assertEquals(fakes.asked, ["git", "web", "broken"]);
});

Deno.test("servers test starts only the servers that are named", async () => {
  const { code, stdout, fakes } = await run({ action: "test", words: ["web"] });
  assertEquals([code, fakes.asked], [0, ["web"]]);
  assertMatch(stdout, /^1 server answered$/m);
});

Deno.test("servers test starts four servers at a time at most", async () => {
  const names = Array.from(
    { length: 12 },
    (_, at) => [`s${at}`, { command: "x" }],
  );
  const text = JSON.stringify({ mcpServers: Object.fromEntries(names) });
  const { fakes } = await run({ action: "test" }, { "/srv/mcp.json": text });
  assertEquals([fakes.asked.length, fakes.mostRunning], [12, 4]);
});

Deno.test("servers test refuses a server that is unknown or skipped, with the reason", async () => {
  const refused = async (words: string[], message: RegExp) => {
    await assertRejects(() => run({ action: "test", words }), message);
  };
  await refused(["gitt"], /no file names it\. Did you mean git\?/);
  await refused(["off"], /"off" as its file disables it\. Remove "disabled"/);
  await assertRejects(
    () => run({ action: "test" }, { "/srv/mcp.json": "{}" }),
    /^UserError: Cannot find an MCP server: .*--mcp-config.*--mcp-config discover/,
  );
});

Deno.test("servers search ranks the tools of all servers that answer", async () => {
  const { code, stdout } = await run({ action: "search", words: ["log"] });
  assertEquals(code, 0);
  assertEquals(stdout, "git.log  Shows commits.\nweb.log  Shows commits.\n");
  const none = await run({ action: "search", words: ["zzz"] });
  assertMatch(none.stdout, /no tool has to do with "zzz"/);
});

Deno.test("servers docs prints stubs of a server, or of one tool", async () => {
  const all = await run({ action: "docs", words: ["git"] });
  const stubs = [
    'async def log() -> dict:\n    """Shows commits.\n    In order.\n    """\n',
    'async def diff() -> dict:\n    """Compares"""\n',
  ];
  assertEquals(all.stdout, stubs.join("\n"));
  const log = await run({ action: "docs", words: ["git", "log"] });
  assertEquals(log.stdout, stubs[0]);
  await assertRejects(
    () => run({ action: "docs", words: ["git", "dif"] }),
    /Cannot find the tool "dif" of git\. Did you mean diff\?/,
  );
  await assertRejects(
    () => run({ action: "docs", words: ["broken"] }),
    (error: unknown) =>
      error instanceof Error &&
      /Cannot ask broken for its tools/.test(error.message) &&
      !error.message.includes(SECRETS[0] ?? ""),
  );
});

Deno.test("servers shows no text that speaks to a terminal", async () => {
  const text = JSON.stringify({
    mcpServers: { a: { command: "x\u001b[2J", description: "\u001b[31m" } },
  });
  const { stdout } = await run({}, { "/srv/mcp.json": text });
  assert(!stdout.includes("\u001b"));
});
