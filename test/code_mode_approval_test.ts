/**
 * The user's approval of calls that real Python makes of a real server, in both
 * eras and over both transports.
 *
 * @module
 */
import { assertEquals, assertMatch } from "../deps/assert.ts";
import {
  Client,
  StdioClientTransport,
  StreamableHTTPClientTransport,
} from "../deps/mcp_client.ts";
import { withServers } from "./support/code_mode.ts";
import { COMMAND_LINE } from "./support/command.ts";
import { smallServer } from "./support/downstream_servers.ts";
import { tempFolder } from "./support/folder.ts";
import { startHttp } from "./support/http_server.ts";
import { type Era, ERAS } from "./support/server.ts";

const HANGING = { timeout: 900_000 };
const TWO = `import asyncio
async def destroy(path):
    try:
        return (await mcp_one.destroy(path=path)).text
    except MCPError as error:
        return [type(error.__cause__).__name__, str(error)]
ends = await asyncio.gather(destroy("/a"), destroy("/b"))
# Other tools are called unasked.
[*ends, (await mcp_one.tool_0(text="on")).text]`;

for (const era of ERAS) {
  for (const via of ["stdio", "http"] as const) {
    Deno.test(`${era}, ${via}: of two destructive calls at once, the user accepts one and declines the other`, async () => {
      await using folder = await tempFolder();
      const asked: string[] = [];
      await using opened = await open(folder.path, via, era, (message) => {
        asked.push(message);
        return message.includes("/a") ? "accept" : "decline";
      });
      const [first, second, last] = await run(opened.client);
      assertEquals([first, last], ["/a", "on"]);
      const [kind, sentence] = second as string[];
      assertEquals(kind, "PermissionError");
      assertMatch(String(sentence), /"destroy".*has not approved it/s);
      assertEquals(asked.length, 2);
      for (const message of asked) assertMatch(message, /one[^]*destroy/);
      const lines = (await Deno.readTextFile(`${folder.path}/audit.jsonl`))
        .trim().split("\n").map((line) => JSON.parse(line));
      const told = (event: string, key: string) =>
        lines.filter((line) => line.event === event).map((line) => line[key]);
      assertEquals(told("approval", "answer").sort(), ["accepted", "declined"]);
      assertEquals(told("call", "tool").sort(), [
        ...["destroy", "destroy", "tool_0"],
      ]);
    });

    Deno.test(`${era}, ${via}: a client that cannot ask its user has such calls refused, and others made`, async () => {
      await using folder = await tempFolder();
      await using opened = await open(folder.path, via, era);
      const [first, second, last] = await run(opened.client);
      for (const [kind, sentence] of [first, second] as string[][]) {
        assertEquals(kind, "PermissionError");
        assertMatch(String(sentence), /--approve none/);
      }
      assertEquals(last, "on");
    });
  }
}

async function run(client: Client): Promise<unknown[]> {
  const { structuredContent } = await client.callTool({
    name: "run_python",
    arguments: { code: TWO, servers: ["one"] },
  }, HANGING);
  const { status, return_value: value, error } = Object(structuredContent);
  assertEquals([status, error], ["success", undefined]);
  return value;
}

/** A client whose user answers questions; without answers, it cannot ask. */
async function open(
  folder: string,
  via: "stdio" | "http",
  era: Era,
  answer?: (message: string) => "accept" | "decline",
): Promise<AsyncDisposable & { client: Client }> {
  const options = [
    ...await withServers(folder, { one: smallServer("one") }),
    ...["--audit", `${folder}/audit.jsonl`],
  ];
  const client = new Client({ name: "test", version: "1" }, {
    capabilities: answer ? { elicitation: { form: {} } } : {},
    versionNegotiation: {
      mode: era === "2025-11-25" ? "legacy" : { pin: era },
    },
  });
  if (answer) {
    client.setRequestHandler("elicitation/create", ({ params }) => ({
      ...{ action: answer(params.message), content: {} },
    }));
  }
  const server = via === "http" ? await startHttp(options) : undefined;
  const [command = "", ...args] = [...COMMAND_LINE, ...options, "stdio"];
  const transport = server
    ? new StreamableHTTPClientTransport(server.url)
    : new StdioClientTransport({ command, args, env: Deno.env.toObject() });
  await client.connect(transport, HANGING);
  return {
    client,
    async [Symbol.asyncDispose]() {
      await client.close();
      await server?.[Symbol.asyncDispose]();
    },
  };
}
