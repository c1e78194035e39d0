import { assertEquals, assertMatch } from "../../../deps/assert.ts";
import { assertRefused, perform } from "../../../test/support/perform_call.ts";
import {
  codeModeRun,
  openRecordedHub,
  recorded,
} from "../../../test/support/recorded_hub.ts";
import { readTools } from "../../../test/support/recorded_tools.ts";
import { openToolDocs } from "./tool_docs.ts";

const ALL = () => true;

Deno.test("mcp_tool_docs documents a tool, briefly or in full", async () => {
  const call = openToolDocs(openRecordedHub(recorded("time")), ALL);
  const run = codeModeRun("time");
  const args = { server: "time", tool: "get_current_time" };
  const brief = {
    server: "time",
    serverAlias: "time",
    tool: "get_current_time",
    toolAlias: "get_current_time",
    description: "Get current time in a specific timezone",
  };
  assertEquals(await perform(call, run, { ...args, detail: "summary" }), {
    docs: [brief],
  });
  const { docs: [{ stub, ...full }] } = Object(
    await perform(call, run, { ...args, detail: "full" }),
  );
  assertEquals(full, {
    ...brief,
    inputSchema: readTools("time")[0]?.inputSchema,
  });
  assertMatch(
    stub,
    /async def get_current_time\(\*, timezone: str\) -> Result/,
  );
});

Deno.test("mcp_tool_docs documents all tools of a server, those that are hidden left out", async () => {
  const hub = openRecordedHub(recorded("git"));
  const call = openToolDocs(hub, (_, tool) => tool !== "git_reset");
  const run = codeModeRun("git");
  const { docs } = Object(
    await perform(call, run, { server: "git", tool: null, detail: "summary" }),
  );
  assertEquals(
    docs.map(({ tool }: { tool: string }) => tool),
    readTools("git").map(({ name }) => name)
      .filter((name) => name !== "git_reset"),
  );
  const hidden = { server: "git", tool: "git_reset", detail: "full" };
  await assertRefused(call, run, hidden, ["ValueError", /has no tool/]);
});

Deno.test("mcp_tool_docs finds tools by their aliases, and names the nearest of unknown ones", async () => {
  const call = openToolDocs(openRecordedHub(recorded("everything")), ALL);
  const run = codeModeRun("everything");
  const args = { server: "everything", detail: "summary" };
  const { docs: [{ tool }] } = Object(
    await perform(call, run, { ...args, tool: "get_tiny_image" }),
  );
  assertEquals(tool, "get-tiny-image");
  await assertRefused(call, run, { ...args, tool: "get_sun" }, [
    "ValueError",
    /^Server "everything" has no tool "get_sun"\. Did you mean "get-sum" or /,
  ]);
});

Deno.test("mcp_tool_docs tells known tools of servers that a run has not loaded, and asks none", async () => {
  const hub = openRecordedHub({
    ...recorded("git", "fetch"),
    time: { tools: readTools("time"), isKnown: true },
  });
  const call = openToolDocs(hub, ALL);
  const run = codeModeRun("fetch");
  const args = { tool: null, detail: "summary" };
  const { docs } = Object(
    await perform(call, run, { ...args, server: "time" }),
  );
  assertEquals(docs.length, 2);
  await assertRefused(call, run, { ...args, server: "git" }, [
    "PermissionError",
    /"git" are not known yet.* servers=\["fetch", "git"\]\.$/,
  ]);
  await assertRefused(call, {}, { ...args, server: "time" }, [
    "PermissionError",
    /not one of run_python/,
  ]);
  assertEquals(hub.asked, []);
});

Deno.test("mcp_tool_docs refuses arguments that are none", async () => {
  const call = openToolDocs(openRecordedHub({}), ALL);
  const wrong = [
    [{}, "TypeError", /server/],
    [{ server: "x", tool: 1, detail: "full" }, "TypeError", /tool/],
    [{ server: "x", tool: null }, "ValueError", /detail/],
    [{ server: "x", tool: null, detail: "all" }, "ValueError", /detail/],
  ] as const;
  for (const [args, kind, message] of wrong) {
    await assertRefused(call, codeModeRun(), args, [kind, message]);
  }
});
