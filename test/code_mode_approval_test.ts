/**
 * The user's approval of calls that real Python makes of a real server, in both
 * eras and over both transports.
 *
 * @module
 */
import { assertEquals, assertMatch } from "../deps/assert.ts";
import type { Client } from "../deps/mcp_client.ts";
import { type AskingClient, startAsking } from "./support/asking_client.ts";
import { withServers } from "./support/code_mode.ts";
import { smallServer } from "./support/downstream_servers.ts";
import { tempFolder } from "./support/folder.ts";
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

for (const era of ERAS) {
  Deno.test(`${era}: a server whose entry is added or changed starts once the user agrees, asked once of each entry`, async () => {
    await using folder = await tempFolder();
    const asked: string[] = [];
    let action: "accept" | "decline" = "accept";
    await using opened = await open(folder.path, "stdio", era, (message) => {
      asked.push(message);
      return action;
    });
    const call = (name: string) => callOf(opened.client, name);
    assertEquals(await call("one"), "one's");
    await configure(folder.path, { one: "one's", two: "two's" });
    assertEquals([await call("two"), await call("two")], ["two's", "two's"]);
    assertEquals(asked.length, 1);
    assertMatch(
      `${asked[0]}`,
      /was added after[^]*server: "two"[^]*mcp\.json[^]*"command":[^]*"variables": \[\s*"TOKEN"/,
    );
    action = "decline";
    await configure(folder.path, { one: "other", two: "two's" });
    const changed = /"one" is not started.* was changed after/;
    assertMatch(await call("one"), changed);
    assertMatch(await call("one"), changed);
    assertEquals(await call("two"), "two's");
    assertEquals(asked.length, 2);
    assertMatch(`${asked[1]}`, /was changed after[^]*server: "one"/);
    // As it was when the program started.
    await configure(folder.path, { one: "one's" });
    assertEquals(await call("one"), "one's");
    assertEquals(asked.length, 2);
  });
}

Deno.test("over HTTP no caller is asked whether a changed server may start", async () => {
  await using folder = await tempFolder();
  const asked: string[] = [];
  await using opened = await open(
    folder.path,
    "http",
    "2025-11-25",
    (message) => (asked.push(message), "accept"),
  );
  await configure(folder.path, { one: "other" });
  assertMatch(await callOf(opened.client, "one"), /"one" is not started/);
  assertEquals(asked, []);
});

/** Writes the servers anew, each with its token. */
async function configure(
  folder: string,
  tokens: Record<string, string>,
): Promise<void> {
  await withServers(
    folder,
    Object.fromEntries(
      Object.entries(tokens)
        .map(([name, TOKEN]) => [name, smallServer(name, { TOKEN })]),
    ),
  );
}

/** What the tool `token` of a server says, or why it does not. */
async function callOf(client: Client, name: string): Promise<string> {
  const code = `try:
    said = (await mcp_servers["${name}"].token()).text
except Exception as error:
    said = str(error)
said`;
  const call = { name: "run_python", arguments: { code, servers: [name] } };
  const { structuredContent } = await client.callTool(call, HANGING);
  return String(Object(structuredContent).return_value);
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
): Promise<AskingClient> {
  const options = [
    ...await withServers(folder, {
      one: smallServer("one", { TOKEN: "one's" }),
    }),
    ...["--audit", `${folder}/audit.jsonl`],
  ];
  return await startAsking(options, { via, era }, answer);
}
