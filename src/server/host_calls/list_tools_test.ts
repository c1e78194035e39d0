import { assert, assertEquals, assertMatch } from "../../../deps/assert.ts";
import { toToolInfo } from "../../catalog/describe_tool.ts";
import { makeManyTools } from "../../../test/support/many_tools.ts";
import { assertRefused, perform } from "../../../test/support/perform_call.ts";
import {
  codeModeRun,
  openRecordedHub,
  recorded,
} from "../../../test/support/recorded_hub.ts";
import { readAliasedTools } from "../../../test/support/recorded_tools.ts";
import { fields } from "../../protocol/fields.ts";
import { DownstreamError } from "../code_mode/hub.ts";
import { openListTools } from "./list_tools.ts";

const ALL = () => true;

Deno.test("mcp_list_tools gives Python what it makes functions of", async () => {
  const hub = openRecordedHub(recorded("time", "everything"));
  const call = openListTools(hub, ALL);
  const expected = readAliasedTools("everything")
    .map(({ tool, alias }) => toToolInfo(tool, alias));
  const run = codeModeRun("everything");
  const args = { server: "everything" };
  const { id, ...told } = fields(await perform(call, run, args));
  assertEquals(told, { tools: expected });
  // The list that Python has is not told again; another one is.
  assertEquals(await perform(call, run, { ...args, known: id }), { id });
  for (const known of ["", "another", 5, null]) {
    const again = await perform(call, run, { ...args, known });
    assertEquals(again, { id, tools: expected });
  }
});

Deno.test("mcp_list_tools refuses a server that a run has not loaded, and asks it nothing", async () => {
  const hub = openRecordedHub(recorded("time", "git"));
  const call = openListTools(hub, ALL);
  await assertRefused(call, codeModeRun("time"), { server: "git" }, [
    "PermissionError",
    /"git": this run has not loaded it\. Call run_python with servers=\["time", "git"\]\./,
  ]);
  await assertRefused(call, {}, { server: "git" }, [
    "PermissionError",
    /not one of run_python/,
  ]);
  assertEquals(hub.asked, []);
});

Deno.test("mcp_list_tools takes aliases of servers, and names the nearest of unknown ones", async () => {
  const { time } = recorded("time");
  const hub = openRecordedHub({ "my-time": time!, "git": time! });
  const call = openListTools(hub, ALL);
  const run = codeModeRun("my-time");
  assertEquals(
    await perform(call, run, { server: "my_time" }),
    await perform(call, run, { server: "my-time" }),
  );
  await assertRefused(call, run, { server: "mytime" }, [
    "ValueError",
    /^There is no server "mytime"\. Did you mean "my-time"\?$/,
  ]);
  await assertRefused(call, run, { server: "xyzzy" }, [
    "ValueError",
    /There are "my-time", "git"\.$/,
  ]);
  await assertRefused(openListTools(openRecordedHub({}), ALL), run, {
    server: "x",
  }, ["ValueError", /There are none\.$/]);
});

Deno.test("mcp_list_tools leaves out hidden tools, whose aliases stay taken", async () => {
  const tools = ["get-time", "get_time"].map((name) => ({
    name,
    inputSchema: {},
  }));
  const hub = openRecordedHub({ x: { tools } });
  const call = openListTools(
    hub,
    (server, tool) => `${server}.${tool}` !== "x.get-time",
  );
  const [tool] = Object(
    await perform(call, codeModeRun("x"), { server: "x" }),
  ).tools;
  assertEquals([tool.name, tool.alias], ["get_time", "get_time_2"]);
});

Deno.test("mcp_list_tools tells a thousand tools of a server in one answer", async () => {
  const tools = makeManyTools().slice(0, 10).flatMap(({ name, tools }) =>
    tools.map((tool) => ({
      ...tool,
      name: `${name} ${tool.name}`,
      description: `${tool.description}\n\n${"More of it. ".repeat(100)}`,
    }))
  );
  const call = openListTools(openRecordedHub({ x: { tools } }), ALL);
  const answer = await perform(call, codeModeRun("x"), { server: "x" });
  const { length } = JSON.stringify(answer);
  assert(length < 1 << 20, String(length));
  const { tools: infos } = Object(answer);
  assertEquals(infos.length, 1000);
  assertEquals(infos[0].input_schema, tools[0]?.inputSchema);
  const last = infos.at(-1);
  assertEquals(last.parameters.length, 4);
  assertEquals(last.description, tools.at(-1)?.description.split("\n")[0]);
  assertMatch(last.input_schema.$comment, /query_tool_docs/);
});

Deno.test("mcp_list_tools says how a server failed", async () => {
  const call = openListTools(
    openRecordedHub({
      slow: new DownstreamError("timeout", "Server slow has not started."),
      gone: new DownstreamError("connection", "Server gone has ended."),
    }),
    ALL,
  );
  const run = codeModeRun("slow", "gone");
  await assertRefused(call, run, { server: "slow" }, [
    "TimeoutError",
    /slow has not/,
  ]);
  await assertRefused(call, run, { server: "gone" }, [
    "RuntimeError",
    /gone has ended/,
  ]);
});

Deno.test("mcp_list_tools refuses arguments that are none", async () => {
  const call = openListTools(openRecordedHub({}), ALL);
  for (const args of [null, [], {}, { server: 1 }, { server: ["x"] }]) {
    await assertRefused(call, codeModeRun(), args, ["TypeError", /server is/]);
  }
  const long = { server: "x".repeat(1001) };
  await assertRefused(call, codeModeRun(), long, ["ValueError", /1001/]);
});
