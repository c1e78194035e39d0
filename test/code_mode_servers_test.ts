/**
 * The downstream servers of a real `run_python` over stdio: how many there may be,
 * which of their tools may be called, and what changes while the server runs.
 *
 * @module
 */
import { join } from "node:path";
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import {
  runCode,
  startAgreed,
  valueOfCode,
  withServers,
} from "./support/code_mode.ts";
import {
  illBehaved,
  smallServer,
  writeServers,
} from "./support/downstream_servers.ts";
import { tempFolder } from "./support/folder.ts";
import { whichOutlive } from "./support/processes.ts";
import { ERAS, startServer, type TestServer } from "./support/server.ts";

for (const era of ERAS) {
  Deno.test(`${era}: with 20 servers and 400 tools, tools/list has less than 2 KB, and no server starts before its call`, async () => {
    await using folder = await tempFolder();
    const starts = join(folder.path, "starts");
    await Deno.writeTextFile(starts, "");
    const env = { TOOLS: "20", PAGE: "7", STARTS: starts };
    const names = Array.from({ length: 20 }, (_, at) => `zebra-${at}`);
    const options = await withServers(
      folder.path,
      Object.fromEntries(names.map((name) => [name, smallServer(name, env)])),
    );
    await using server = await startServer(options, era);
    const listed = await server.client.listTools();
    const text = JSON.stringify(listed);
    assert(text.length < 2048, `${text.length} characters`);
    assert(!/zebra|tool_\d/.test(text), text);
    const found = await valueOfCode(server, "discovered_servers()");
    assertEquals(found, names);
    assertEquals(await Deno.readTextFile(starts), "");
    // The last tools stand on the third page.
    const told = await valueOfCode(
      server,
      `[(await mcp_zebra_3.tool_19(text="hi")).text, len(await list_tools("zebra-3"))]`,
      ["zebra-3"],
    );
    assertEquals(told, ["hi", 22]);
    assertEquals(await Deno.readTextFile(starts), "zebra-3\n");
    assertEquals(JSON.stringify(await server.client.listTools()), text);
  });
}

Deno.test("servers that are added, removed or changed in their file count at the next call, once the user agrees, and so does a secret", async () => {
  await using folder = await tempFolder();
  // So short that the bridge takes them for words.
  const one = (token: string, name = "one") =>
    smallServer(name, { TOKEN: token });
  const options = await withServers(folder.path, {
    one: one("first"),
    two: illBehaved("good"),
  });
  await using server = await startAgreed(options);
  const token = () =>
    valueOfCode(server, "(await mcp_one.token()).text", ["one"]);
  assertEquals(await token(), "first");
  const pid = await valueOfCode(server, "(await mcp_two.pid()).text", ["two"]);
  await writeServers(folder.path, {
    one: one("second"),
    three: one("third"),
  });
  assertEquals(
    await valueOfCode(server, "discovered_servers()"),
    ["one", "three"],
  );
  assertEquals(await token(), "second");
  assertEquals(await whichOutlive([Number(pid)]), []);
  const gone = await runCode(server, "1", { servers: ["two"] });
  assertEquals(gone.status, "validation_error");
  assertMatch(gone.error, /"two"/);
  const third = "(await mcp_three.token()).text";
  assertEquals(await valueOfCode(server, third, ["three"]), "third");
  await writeServers(folder.path, { one: illBehaved("good") });
  const changed = "(await mcp_one.echo(text='other')).text";
  assertEquals(await valueOfCode(server, changed, ["one"]), "other");
});

Deno.test("--allow-tool says which tools there are for code, and an entry whether each call may use it", async () => {
  await using folder = await tempFolder();
  const options = await withServers(folder.path, {
    one: { ...smallServer("one", { TOOLS: "3" }), always: true },
    two: smallServer("two"),
  });
  await using server = await startServer([
    ...options,
    ...["--allow-tool", "one.*,!*.tool_1"],
  ]);
  // Without names of its own, the call has the server that each call has.
  const listed = await valueOfCode(
    server,
    `[list_servers_sync(), [tool["name"] for tool in await list_tools("one")], (await mcp_one.tool_0(text="a")).text]`,
  );
  assertEquals(listed, [
    ["one"],
    ["tool_0", "tool_2", "token", "destroy"],
    "a",
  ]);
  const refused = await valueOfCode(
    server,
    `said = []
for name, tool in [("one", "tool_1"), ("two", "tool_0")]:
    try:
        await call_tool(name, tool, {"text": "b"})
    except MCPError as error:
        said.append(str(error))
said`,
    ["two"],
  );
  const [denied, unlisted] = refused as string[];
  assertMatch(String(denied), /tool_1.*allow-tool !/s);
  assertMatch(String(unlisted), /tool_0.*allow-tool/s);
});

Deno.test("a server that changes its tools, or dies, is followed by the next runs", async () => {
  await using folder = await tempFolder();
  const options = await withServers(folder.path, { one: illBehaved("good") });
  await using server = await startServer(options);
  const one = (code: string) => valueOfCode(server, code, ["one"]);
  await one("await mcp_one.change(text='newcomer')");
  await until(
    async () =>
      await one("'newcomer' in [it['name'] for it in await list_tools('one')]"),
  );
  assertEquals(await one("(await mcp_one.newcomer(text='hi')).text"), "hi");
  const died = await runCode(server, "await mcp_one.die()", {
    servers: ["one"],
  });
  assertEquals([died.status, died.isError], ["error", true]);
  assertMatch(died.error, /MCPError: .*SIGKILL/s);
  await until(() => isEchoing(server));
});

Deno.test("--call-timeout ends a call that is not answered, and the run goes on", async () => {
  await using folder = await tempFolder();
  const options = await withServers(folder.path, { one: illBehaved("good") });
  await using server = await startServer([...options, "--call-timeout", "1"]);
  const said = await valueOfCode(
    server,
    `try:
    await mcp_one.hang()
except MCPError as error:
    said = [type(error.__cause__).__name__, str(error)]
[*said, (await mcp_one.echo(text="on")).text]`,
    ["one"],
  );
  const [kind, sentence, after] = said as string[];
  assertEquals([kind, after], ["TimeoutError", "on"]);
  assertMatch(String(sentence), /"hang".*--call-timeout/s);
});

async function isEchoing(server: TestServer): Promise<boolean> {
  const { return_value: value } = await runCode(
    server,
    "(await mcp_one.echo(text='back')).text",
    { servers: ["one"] },
  );
  return value === "back";
}

/** Asks until it is so: no event tells a client of it. */
async function until(isSo: () => Promise<unknown>): Promise<void> {
  while (!await isSo());
}
