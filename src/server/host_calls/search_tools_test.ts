import { assertEquals } from "../../../deps/assert.ts";
import { assertRefused, perform } from "../../../test/support/perform_call.ts";
import {
  codeModeRun,
  openRecordedHub,
  recorded,
} from "../../../test/support/recorded_hub.ts";
import { readTools } from "../../../test/support/recorded_tools.ts";
import { DownstreamError } from "../code_mode/hub.ts";
import { openSearchTools } from "./tool_docs.ts";

const ALL = () => true;
const BRIEF = { limit: 5, detail: "summary" };

Deno.test("mcp_search_tools finds tools of known servers, and says which to load", async () => {
  const hub = openRecordedHub({
    ...recorded("time", "git", "fetch"),
    memory: { tools: readTools("memory"), isKnown: true },
  });
  const call = openSearchTools(hub, ALL);
  const run = codeModeRun("time");
  assertEquals(
    await perform(call, run, {
      query: "curent time",
      limit: 1,
      detail: "summary",
    }),
    {
      docs: [{
        server: "time",
        serverAlias: "time",
        tool: "get_current_time",
        toolAlias: "get_current_time",
        description: "Get current time in a specific timezone",
      }],
      notLoaded: [],
      unknown: ["git", "fetch"],
    },
  );
  const { docs, ...rest } = Object(
    await perform(call, run, { ...BRIEF, query: "knowledge graph" }),
  );
  assertEquals(docs[0].tool, "read_graph");
  assertEquals(rest, { notLoaded: ["memory"], unknown: ["git", "fetch"] });
  // The run has not loaded the others: they are not started for a search.
  assertEquals(hub.asked, ["time"]);
});

Deno.test("mcp_search_tools goes without servers that do not answer", async () => {
  const call = openSearchTools(
    openRecordedHub({
      bad: new DownstreamError("connection", "Server bad has ended."),
      ...recorded("time"),
    }),
    ALL,
  );
  const { docs, unknown } = Object(
    await perform(call, codeModeRun("bad", "time"), {
      ...BRIEF,
      query: "convert",
    }),
  );
  assertEquals([docs[0].tool, unknown], ["convert_time", ["bad"]]);
});

Deno.test("mcp_search_tools finds no hidden tools", async () => {
  const hub = openRecordedHub(recorded("git"));
  const call = openSearchTools(
    hub,
    (server, tool) => server === "git" && tool !== "git_commit",
  );
  const { docs } = Object(
    await perform(call, codeModeRun("git"), {
      query: "git commit",
      limit: 20,
      detail: "full",
    }),
  );
  assertEquals(docs.length, 11);
  assertEquals(
    docs.some(({ tool }: { tool: string }) => tool === "git_commit"),
    false,
  );
});

Deno.test("mcp_search_tools refuses arguments that are none", async () => {
  const call = openSearchTools(openRecordedHub(recorded("time")), ALL);
  const right = { query: "time", ...BRIEF };
  const wrong = [
    [{ query: 1 }, "TypeError", /query is not a text/],
    [{ query: " " }, "ValueError", /give words/],
    [{ query: "x".repeat(10_001) }, "ValueError", /10001/],
    [{ limit: 0 }, "ValueError", /from 1 to 20/],
    [{ limit: 21 }, "ValueError", /limit is 21/],
    [{ limit: 1.5 }, "TypeError", /whole number/],
    [{ limit: true }, "TypeError", /whole number/],
    [{ detail: null }, "ValueError", /detail/],
  ] as const;
  for (const [args, kind, message] of wrong) {
    await assertRefused(call, codeModeRun("time"), { ...right, ...args }, [
      kind,
      message,
    ]);
  }
  await assertRefused(call, {}, right, ["PermissionError", /run_python/]);
});
