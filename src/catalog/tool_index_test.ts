import { assert, assertEquals, assertMatch } from "../../deps/assert.ts";
import { makeManyTools, QUERIES } from "../../test/support/many_tools.ts";
import { readTools, RECORDED } from "../../test/support/recorded_tools.ts";
import type { DownstreamTool } from "../protocol/downstream.ts";
import { type IndexedServer, ToolIndex } from "./tool_index.ts";
import { toWordsOfTool } from "./tool_words.ts";

const REAL: readonly IndexedServer[] = RECORDED.map((name) => ({
  name,
  tools: readTools(name),
}));

async function find(
  index: ToolIndex,
  servers: readonly IndexedServer[],
  query: string,
  limit = 5,
): Promise<string[]> {
  const hits = await index.search(servers, query, { limit });
  return hits.map(({ server, tool }) => `${server}.${tool.name}`);
}

Deno.test("ToolIndex finds tools of real servers by their words, the best first", async () => {
  const index = new ToolIndex();
  const first: Record<string, string> = {
    "current time": "time.get_current_time",
    "getCurrentTime": "time.get_current_time",
    "get-current-time": "time.get_current_time",
    "currenttime": "time.get_current_time",
    "convert between timezones": "time.convert_time",
    "git commit": "git.git_commit",
    "show the git log": "git.git_log",
    "read a text file": "filesystem.read_text_file",
    "directory tree": "filesystem.directory_tree",
    "fetch a url as markdown": "fetch.fetch",
    "add observations": "memory.add_observations",
    "knowledge graph": "memory.read_graph",
    "thinking": "sequential-thinking.sequentialthinking",
    "sum of two numbers": "everything.get-sum",
    "environment variables": "everything.get-env",
    "target_timezone": "time.convert_time",
    "dryRun": "filesystem.edit_file",
  };
  for (const [query, tool] of Object.entries(first)) {
    const [best] = await find(index, REAL, query);
    assertEquals(best, tool, query);
  }
});

Deno.test("ToolIndex forgives typing errors, and takes beginnings of words", async () => {
  const index = new ToolIndex();
  const first: Record<string, string> = {
    "curent tiem": "time.get_current_time",
    "timezon convrt": "time.convert_time",
    "comit": "git.git_commit",
    "direcotry tree": "filesystem.directory_tree",
    "obervations add": "memory.add_observations",
    "struct cont": "everything.get-structured-content",
  };
  for (const [query, tool] of Object.entries(first)) {
    const [best] = await find(index, REAL, query);
    assertEquals(best, tool, query);
  }
});

Deno.test("ToolIndex finds nothing for words of no tool, and takes any query", async () => {
  const index = new ToolIndex();
  for (const query of ["", " ", "xyzzyplugh", "🦕", '"(*', "\0"]) {
    assertEquals(await find(index, REAL, query), [], query);
  }
  await find(index, REAL, "read file ".repeat(1e5));
  await find(index, REAL, "r".repeat(1e6));
});

Deno.test("ToolIndex follows lists that change, come and go", async () => {
  const index = new ToolIndex();
  const tool = (name: string): DownstreamTool => ({ name, inputSchema: {} });
  const a = { name: "a", tools: [tool("open_door"), tool("close_door")] };
  const b = { name: "b", tools: [tool("open_window")] };
  assertEquals(await find(index, [a], "open"), ["a.open_door"]);
  assertEquals((await find(index, [a, b], "open")).toSorted(), [
    "a.open_door",
    "b.open_window",
  ]);
  const changed = { ...a, tools: [tool("paint_door")] };
  assertEquals(await find(index, [changed, b], "close"), []);
  assertEquals(await find(index, [changed, b], "paint"), ["a.paint_door"]);
  assertEquals(await find(index, [b], "door"), []);
  assertEquals(await find(index, [a, b], "close"), ["a.close_door"]);
  const told = { ...b, description: "Blinds and curtains" };
  assertEquals(await find(index, [a, told], "curtains"), ["b.open_window"]);
});

Deno.test("ToolIndex leaves hidden tools out before it counts", async () => {
  const hits = await new ToolIndex().search(REAL, "git diff", {
    limit: 2,
    isFound: ({ tool }) => !tool.name.includes("unstaged"),
  });
  assertEquals(hits.map(({ tool }) => tool.name), [
    "git_diff",
    "git_diff_staged",
  ]);
});

Deno.test("ToolIndex finds tools by names that objects of JavaScript have", async () => {
  const names = ["constructor", "__proto__", "hasOwnProperty", "toString"];
  const tools = names.map((name) => ({ name, inputSchema: {} }));
  const index = new ToolIndex();
  for (const name of names) {
    const [best] = await find(index, [{ name: "x", tools }], name);
    assertEquals(best, `x.${name}`);
  }
});

Deno.test("ToolIndex reads a part of texts without bounds", async () => {
  const text = Array.from({ length: 1e5 }, (_, at) => `w${at}`).join(" ");
  const properties = Object.fromEntries(
    text.split(" ").map((key) => [key, {}]),
  );
  const tools = [{
    name: "large",
    title: text,
    description: text,
    inputSchema: { properties },
  }];
  const index = new ToolIndex();
  assertEquals(await find(index, [{ name: "x", tools }], "w1"), ["x.large"]);
  assertEquals(await find(index, [{ name: "x", tools }], "w99999"), []);
});

Deno.test("ToolIndex knows the last tools of a list without bounds by their names alone", async () => {
  const words = new Map([[0, "zebra"], [1499, "giraffe"]]);
  const tools = Array.from({ length: 1500 }, (_, at) => ({
    ...{ name: `tool_${at}`, inputSchema: {} },
    description: `${words.get(at) ?? ""} ${"\ufdfa".repeat(500)}`,
  }));
  const servers = [{ name: "x", tools }];
  const index = new ToolIndex();
  assertEquals(await find(index, servers, "zebra"), ["x.tool_0"]);
  assertEquals(await find(index, servers, "giraffe"), []);
  const [best] = await find(index, servers, "tool_1499");
  assertEquals(best, "x.tool_1499");
  const [tool] = tools;
  assert(tool);
  assert(toWordsOfTool(tool, { name: "x" }).text.length <= 600);
});

Deno.test("ToolIndex finds one tool of 2,000", async () => {
  const index = new ToolIndex();
  const servers = makeManyTools();
  assertEquals(servers.flatMap(({ tools }) => tools).length, 2000);
  for (const [query, tool] of QUERIES) {
    const [best] = await index.search(servers, query, { limit: 5 });
    assert(best);
    assertMatch(best.tool.name, tool);
  }
  const [best] = await find(index, servers, "list pull requests on github");
  assertEquals(best, "github.list_pull_request");
});
