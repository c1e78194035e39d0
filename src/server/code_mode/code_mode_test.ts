import { assert, assertEquals, assertMatch } from "../../../deps/assert.ts";
import type { CodeModeStart } from "../../protocol/code_mode.ts";
import type { ListedServer } from "../../protocol/downstream.ts";
import { CodeMode, type CodeModeParts } from "./code_mode.ts";
import { NO_PARTS } from "../../../test/support/no_parts.ts";

function listed(name: string, some: Partial<ListedServer> = {}): ListedServer {
  return {
    ...{ name, transport: "stdio", source: "a file" },
    ...{ fingerprint: "1", revision: "1" },
    ...some,
  };
}

/** Code mode over these servers, and what it does to them. */
function open(servers: ListedServer[]) {
  const warmed: string[] = [];
  const parts: CodeModeParts = {
    ...NO_PARTS,
    hub: {
      ...NO_PARTS.hub,
      servers: () => Promise.resolve(servers),
      warm: (name) => void warmed.push(name),
    },
  };
  const codeMode = new CodeMode(parts);
  return { codeMode, warmed };
}

Deno.test("CodeMode begins a run with all servers by name and alias, and starts those that it names", async () => {
  const { codeMode, warmed } = open([
    listed("Get-Time", { description: "d".repeat(10_000), cwd: "/w" }),
    listed("get_time"),
    listed("import"),
  ]);
  const { start, ...begun } = await codeMode.begin("o", ["Get-Time"]);
  const { servers, configured, saved }: CodeModeStart = JSON.parse(start);
  assertEquals(servers, [{
    ...{ name: "Get-Time", alias: "get_time" },
    ...{ description: "d".repeat(500), cwd: "/w" },
  }]);
  assertEquals(configured.slice(1), [
    { name: "get_time", alias: "get_time_2" },
    { name: "import", alias: "import_" },
  ]);
  assertEquals(saved, []);
  assertEquals(warmed, ["Get-Time"]);
  assertEquals(begun, { servers: ["Get-Time"] });
});

Deno.test("CodeMode's start has nothing of a server but names, description and folder", async () => {
  const { codeMode } = open([listed("a", { source: "/home/u/secret.json" })]);
  const { start } = await codeMode.begin("o", ["a"]);
  assert(!start.includes("secret"), start);
});

Deno.test("CodeMode's run may call no server that is gone", async () => {
  const { codeMode } = open([listed("a")]);
  const { servers } = await codeMode.begin("o", ["a", "gone"]);
  assertEquals(servers, ["a"]);
});

Deno.test("CodeMode begins a run with the servers that each call may use, once", async () => {
  const { codeMode, warmed } = open([
    listed("a"),
    listed("b", { always: true }),
  ]);
  assertEquals((await codeMode.begin("o", [])).servers, ["b"]);
  assertEquals(warmed, ["b"]);
  const chosen = await codeMode.choose(["b", "a", "b"]);
  assertEquals(chosen, ["b", "a"]);
  assertEquals((await codeMode.begin("o", chosen)).servers, ["a", "b"]);
});

Deno.test("CodeMode.choose() does not ask for the servers if a call names none", async () => {
  const servers = () => Promise.reject(new Error("asked"));
  const hub = { ...NO_PARTS.hub, servers };
  const codeMode = new CodeMode({ ...NO_PARTS, hub });
  assertEquals(await codeMode.choose([]), []);
});

Deno.test("CodeMode.choose() refuses an unknown name, with the nearest names first", async () => {
  const names = ["github", "filesystem", "Time", "memory"];
  const { codeMode } = open(names.map((name) => listed(name)));
  const refusal = (name: string) => refusalOf(codeMode.choose([name]));
  assertEquals(
    await refusal("tmie"),
    'servers has "tmie", which is not a configured MCP server: there are "Time", "github", "filesystem", "memory". discovered_servers() in Python lists all.',
  );
  assertMatch(await refusal("fylesystem"), /there are "filesystem", /);
  assertMatch(await refusal(""), /servers has ""/);
  const long = await refusal("x".repeat(10_000));
  assert(long.length < 500, `${long.length}`);
  const none = open([]).codeMode;
  assertMatch(await refusalOf(none.choose(["a"])), /--mcp-config/);
});

Deno.test("CodeMode.choose() names some of many servers", async () => {
  const names = Array.from({ length: 300 }, (_, at) => `server-${at}`);
  const { codeMode } = open(names.map((name) => listed(name)));
  const message = await refusalOf(codeMode.choose(["server-299x"]));
  assertMatch(message, /there are "server-299", .* and 290 more\./);
});

async function refusalOf(choice: Promise<string[]>): Promise<string> {
  const error = await choice.catch((error: unknown) => error);
  assert(error instanceof RangeError);
  return error.message;
}
