/**
 * The names of code mode in Python, over a host that is a script.
 *
 * @module
 */
// deno-lint-ignore-file camelcase -- names of Python's
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import type { InterpreterFiles } from "../src/engines/pyodide/host.ts";
import { CODE_MODE_NAMES } from "../src/protocol/code_mode.ts";
import { FOLDER_027 } from "./support/each_pyodide.ts";
import { readFiles } from "./support/interpreter.ts";
import {
  openSession,
  Refusal,
  type Told,
  TOOLS,
} from "./support/scripted_servers.ts";

const BOTH = ["time", "my-files"];
const opened: Record<string, Promise<InterpreterFiles>> = {};

/** Opens the files of a Pyodide once for all tests. */
function filesOf(pyodide: string): Promise<InterpreterFiles> {
  return opened[pyodide] ??= readFiles(pyodide ? { pyodide } : {});
}

type SessionTest = (
  session: Awaited<ReturnType<typeof openSession>>,
  files: InterpreterFiles,
) => Promise<void>;

/** A test in a session of its own, in Pyodide 0.27, too. */
function onEach(name: string, fn: SessionTest): void {
  inSession(name, fn);
  inSession(`${name} (Pyodide 0.27)`, fn, FOLDER_027, FOLDER_027 === "");
}

function inSession(
  name: string,
  fn: SessionTest,
  pyodide = "",
  ignore = false,
): void {
  Deno.test({
    ...{ name, ignore },
    async fn() {
      const files = await filesOf(pyodide);
      await using session = await openSession(files);
      await fn(session, files);
    },
  });
}

function valueOf({ value, error }: Told): unknown {
  assertEquals(error, "");
  return value;
}

/** Code that says what each of some expressions raises. */
function raised(...expressions: string[]): string {
  return `said = []
for attempt in [${expressions.map((text) => `lambda: ${text}`).join(", ")}]:
    try:
        said.append(repr(attempt()))
    except Exception as error:
        said.append(f"{type(error).__name__}: {error}")
said`;
}

function namesOf({ calls }: Told): string[] {
  return calls.map(({ name }) => name);
}

onEach(
  "a tool is awaited as a function, and its result has text and data",
  async ({ run }) => {
    const told = await run(
      `
result = await mcp_time.get_current_time(timezone="UTC")
assert result["structuredContent"] == result.data and isinstance(result, dict)
assert not result.is_error and result.text == result["content"][0]["text"]
[result.data["timezone"], mcp_time.get_current_time.sync().data["is_dst"], (await mcp_time["convert-time"]("a", "b", "c")).data]`,
      BOTH,
    );
    assertEquals(valueOf(told), [
      "UTC",
      false,
      { source_timezone: "a", time: "b", "target-timezone": "c" },
    ]);
    assertEquals(told.calls, [
      { name: "mcp_list_tools", given: { server: "time" } },
      ...[
        ["get_current_time", { timezone: "UTC" }],
        ["get_current_time", {}],
        ["convert-time", {
          source_timezone: "a",
          time: "b",
          "target-timezone": "c",
        }],
      ].map(([tool, args]) => ({
        name: "mcp_call_tool",
        given: { server: "time", tool, arguments: args } as never,
      })),
    ]);
  },
);

onEach(
  "an integer that would reach a server as another one is not sent",
  async ({ run }) => {
    const told = await run(
      `
sent = [2**53, -2**53, 0.1, float(10**18), "9007199254740993", [{"a": 12345678901234567}]]
said = []
for value in [2**53 + 1, -2**53 - 1, 10**400, *sent]:
    try:
        await mcp_my_files.free(value=value if isinstance(value, list) else [value])
        said.append("sent")
    except Exception as error:
        said.append(f"{type(error).__name__}: {error}")
said`,
      BOTH,
    );
    const said = valueOf(told) as string[];
    const wrong = [...said.slice(0, 3), ...said.splice(-1)];
    for (const one of wrong) {
      assertMatch(
        one,
        /^MCPArgumentError: .* would be rounded: pass it as a str/,
      );
    }
    assertEquals(said.slice(3), Array(5).fill("sent"));
  },
);

onEach(
  "positional arguments go to the parameters in order, and never to the tool's name",
  async ({ run }) => {
    const told = await run(
      `
calls = [
    mcp_time.get_current_time("convert-time"),
    mcp_time.convert_time("a", "b", target_timezone="c"),
    mcp_time.convert_time("a", time="b", **{"target-timezone": "c"}),
    mcp_time.convert_time({"source_timezone": "a", "time": "b", "target_timezone": "c"}),
    mcp_my_files.read("p", None, "text", None),
    mcp_my_files.read("p", lines=[1]),
    mcp_my_files.free(anything=1),
]
for call in calls:
    await call`,
      BOTH,
    );
    valueOf(told);
    const zones = {
      source_timezone: "a",
      time: "b",
      "target-timezone": "c",
    };
    assertEquals(
      told.calls.filter(({ name }) => name === "mcp_call_tool")
        .map(({ given }) => [given.tool, given.arguments]),
      [
        ["get_current_time", { timezone: "convert-time" }],
        ["convert-time", zones],
        ["convert-time", zones],
        ["convert-time", zones],
        ["Read", { path: "p", head: null, mode: "text" }],
        ["Read", { path: "p", lines: [1] }],
        ["free", { anything: 1 }],
      ],
    );
  },
);

onEach(
  "wrong arguments are errors that name the parameters, before any call",
  async ({ run }) => {
    const told = await run(
      raised(
        "mcp_time.get_current_time(zone='UTC')",
        "mcp_time.get_current_time('UTC', 'more')",
        "mcp_time.get_current_time('UTC', timezone='UTC')",
        "mcp_time.convert_time('a')",
        "mcp_my_files.free(1)",
        "mcp_my_files._2d(x=1)",
        "mcp_time.get_current_time.sync({1, 2})",
        "mcp_time.get_current_time.sync(float('nan'))",
        "call_tool_sync('time', 'get_current_time', 'UTC')",
        "call_tool_sync('time', 5)",
        "list_tools_sync(5)",
        "search_tool_docs_sync('x', limit=21)",
        "search_tool_docs_sync('x', limit=0)",
        "search_tool_docs_sync('x', limit=True)",
        "search_tool_docs_sync('x', detail='all')",
        "search_tool_docs_sync('x', 5)",
        "query_tool_docs_sync('time', detail=None)",
      ),
      BOTH,
    );
    const said = valueOf(told) as string[];
    const start = 'MCPArgumentError: Tool "get_current_time" of server "time"';
    assertEquals(said.slice(0, 4), [
      `${start} has no parameter "zone". Its signature: get_current_time(timezone: str = 'UTC') -> dict[str, typing.Any]`,
      `${start} takes 1 positional arguments, and 2 were given. Its signature: get_current_time(timezone: str = 'UTC') -> dict[str, typing.Any]`,
      `${start} got "timezone" twice. Its signature: get_current_time(timezone: str = 'UTC') -> dict[str, typing.Any]`,
      'MCPArgumentError: Tool "convert-time" of server "time" lacks time, target_timezone. Its signature: convert_time(source_timezone: str, time: str, target_timezone: str) -> dict[str, typing.Any]',
    ]);
    assertMatch(String(said[4]), /takes 0 positional arguments, and 1 were/);
    assertMatch(
      String(said.splice(5, 1)),
      /has no parameter "x"\. Its signature: _2d\(\) -> dict/,
    );
    assertMatch(
      String(said[5]),
      /^MCPArgumentError: Cannot call tool "get_current_time" of server "time" as its arguments cannot be sent as JSON: .*set/,
    );
    assertMatch(
      String(said[6]),
      /as JSON: .*nan|as JSON: Out of range float/,
    );
    assertMatch(String(said[7]), /must be a dict, not str/);
    assertMatch(String(said[8]), /tool must be a string, not 5/);
    assertMatch(String(said[9]), /server must be a string, not 5/);
    for (const limit of said.slice(10, 13)) {
      assertMatch(
        limit,
        /limit must be an integer from 1 to 20, not (21|0|True)/,
      );
    }
    assertMatch(
      String(said[13]),
      /detail must be "summary" or "full", not 'all'/,
    );
    assertMatch(String(said[14]), /^TypeError: .*positional/);
    assertMatch(
      String(said[15]),
      /detail must be "summary" or "full", not None/,
    );
    assertEquals(new Set(namesOf(told)), new Set(["mcp_list_tools"]));
  },
);

onEach(
  "a tool's function has a typed signature and help, and dir() names the tools",
  async ({ run }) => {
    const told = await run(
      `
import asyncio, inspect, typing
help(mcp_my_files.read)
help(mcp_time)
parameters = inspect.signature(mcp_my_files.read).parameters
[
    [name for name in dir(mcp_time) if not name.startswith("_")],
    parameters["path"].annotation is str, parameters["lines"].annotation == list[int],
    parameters["mode"].annotation == typing.Literal["text", "bytes"], str(parameters["head"]),
    str(inspect.signature(mcp_my_files.odd)), str(inspect.signature(mcp_my_files.free)),
    inspect.iscoroutinefunction(mcp_my_files.read), inspect.iscoroutinefunction(mcp_my_files.read.sync),
    mcp_my_files.read.__doc__, mcp_my_files.read.__name__, mcp_my_files.read is mcp_my_files["Read"],
]`,
      BOTH,
    );
    assertEquals(valueOf(told), [
      ...[["convert_time", "get_current_time", "list_tools"], true, true, true],
      ...["head: int | None = ..."],
      "(value: __import__('os').system('x')) -> dict[str, typing.Any]",
      "(**more) -> dict[str, typing.Any]",
      ...[true, false, "Does Read, and says so.", "read", true],
    ]);
    assertMatch(
      told.stdout,
      /read\(\s*path: str,\s*head: int \| None = \.\.\./,
    );
    assertMatch(told.stdout, /The MCP server "time"\. Time and zones/);
  },
);

onEach(
  "tools of odd names are attributes, or items by their own names",
  async ({ run }) => {
    const told = await run(
      `
[mcp_my_files._2d.sync().is_error, mcp_my_files["2d"] is mcp_my_files._2d, mcp_my_files["_private"].__name__,
    mcp_my_files["list_tools"].__name__, [tool["name"] for tool in mcp_my_files.list_tools()][:2]]`,
      BOTH,
    );
    assertEquals(valueOf(told), [
      ...[true, true, "_private", "list_tools", ["Read", "2d"]],
    ]);
  },
);

onEach(
  "an attribute that is not a tool is an error that names the nearest tools",
  async ({ run }) => {
    const told = await run(
      raised(
        "mcp_time.get_time",
        "mcp_time.zzz",
        "mcp_time['convert_tme']",
        "hasattr(mcp_time, 'get_curent_time')",
        "getattr(mcp_time, 'nothing', 1)",
        "mcp_time.other.thing",
        "setattr(mcp_time, 'convert_time', 1)",
      ),
      BOTH,
    );
    const start = 'MCPNameError: Server "time" has no tool';
    assertEquals(valueOf(told), [
      `${start} "get_time". Nearest: convert_time, get_current_time`,
      `${start} "zzz". It has get_current_time, convert_time.`,
      `${start} "convert_tme". Nearest: convert_time`,
      "False",
      "1",
      `${start} "other". It has get_current_time, convert_time.`,
      "AttributeError: Cannot set \"convert_time\" of <MCP server 'time'>: its attributes are the tools of the server.",
    ]);
    // The server is asked once more, as its tools may have changed.
    assertEquals(told.calls, [
      { name: "mcp_list_tools", given: { server: "time" } },
      { name: "mcp_list_tools", given: { server: "time" } },
    ]);
  },
);

Deno.test("a tool that a server has added is found in the same run", async () => {
  let lists = 0;
  await using session = await openSession(await filesOf(""), (name) => {
    if (name !== "mcp_list_tools") return undefined;
    const tools = TOOLS.time ?? [];
    return { tools: ++lists > 1 ? tools : tools.slice(0, 1) };
  });
  const told = await session.run(
    "first = mcp_time.get_current_time\n[mcp_time.convert_time.__name__, mcp_time.get_current_time is first]",
    ["time"],
  );
  assertEquals(valueOf(told), ["convert_time", true]);
});

Deno.test("a list of tools that failed once is asked for again in the same run", async () => {
  let lists = 0;
  await using session = await openSession(await filesOf(""), (name) => {
    if (name !== "mcp_list_tools" || lists++ > 0) return undefined;
    throw new Refusal("RuntimeError", "It is not there yet.");
  });
  const told = await session.run(
    `try:
    said = await mcp_time.list_tools()
except MCPError as error:
    said = f"{error}"
[said, mcp_time.get_current_time.__name__]`,
    ["time"],
  );
  assertEquals(valueOf(told), ["It is not there yet.", "get_current_time"]);
  assertEquals(lists, 2);
});

onEach(
  "Python's own machinery asks the host nothing about a proxy",
  async ({ run }) => {
    const told = await run(
      `
import copy, inspect, json, pickle
for name in ("__len__", "__iter__", "__all__", "_repr_html_", "_ipython_display_", "__array__", "__wrapped__", "_x"):
    assert not hasattr(mcp_time, name), name
copies = [copy.copy(mcp_time), copy.deepcopy(mcp_time), pickle.loads(pickle.dumps(mcp_time))]
[inspect.iscoroutinefunction(mcp_time), callable(mcp_time), inspect.isawaitable(mcp_time), inspect.unwrap(mcp_time) is mcp_time,
    [it == mcp_time and hash(it) == hash(mcp_time) for it in copies], repr(mcp_time), f"{mcp_time}", bool(mcp_time), mcp_time != mcp_my_files,
    mcp_time.__doc__[:22], Ellipsis is mcp_time]`,
      BOTH,
    );
    assertEquals(valueOf(told), [
      ...[false, false, false, true, [true, true, true]],
      ...["<MCP server 'time'>", "<MCP server 'time'>", true, true],
      ...['The MCP server "time".', false],
    ]);
    assertEquals(told.calls, []);
  },
);

onEach(
  "every function of code mode answers, awaited and not",
  async ({ run }) => {
    const told = await run(
      `
tools = await list_tools("time")
brief = list_tools_sync(mcp_time)
described = describe_server("my_files")
metadata = list_loaded_server_metadata()
assert tools == brief == mcp_time.list_tools() == await mcp_time.list_tools()
assert all(tool["input_schema"] is tool["inputSchema"] for tool in [*tools, *brief])
assert brief == metadata[0]["tools"] and isinstance(metadata, tuple)
assert await search_tool_docs("now", limit=20, detail="full") == search_tool_docs_sync("now")
assert await query_tool_docs("time") == query_tool_docs_sync("time", None, "summary")
assert await list_servers() == list_servers_sync() == LOADED_MCP_SERVERS == tuple(mcp_servers)
{
    "discovered": discovered_servers(), "detailed": discovered_servers(detailed=True), "servers": LOADED_MCP_SERVERS,
    "tools": [sorted(tool) for tool in tools], "aliases": [[tool["name"], tool["alias"]] for tool in brief],
    "described": described | {"tools": len(described["tools"])}, "metadata": [it["cwd"] for it in metadata],
    "docs": query_tool_docs_sync("time", "convert-time", detail="full"), "manual": capability_summary(),
    "found": [(found := search_tool_docs_sync("now")), found.not_loaded, found.unknown],
    "called": (await call_tool("time", "get_current_time")).data["timezone"], "sync": call_tool_sync("my_files", "free", {"a": 1}).text,
    "alias": call_tool_sync("time", "convert_time", {})["content"],
}`,
      BOTH,
    );
    assertEquals(valueOf(told), {
      discovered: ["time", "my-files", "down"],
      detailed: [
        { name: "time", description: "Time and zones" },
        { name: "my-files", description: null },
        { name: "down", description: null },
      ],
      servers: BOTH,
      tools: [
        ["alias", "description", "inputSchema", "name"],
        ["alias", "annotations", "description", "inputSchema", "name"],
      ],
      aliases: [
        ["get_current_time", "get_current_time"],
        ["convert-time", "convert_time"],
      ],
      described: {
        ...{ name: "my-files", alias: "my_files", tools: 6 },
        ...{ cwd: null, description: null },
      },
      metadata: ["/srv/time", null],
      docs: [{ server: "time", tool: "convert-time" }],
      manual: "# The manual",
      found: [[{ server: "time", tool: "now" }], ["my-files"], ["down"]],
      ...{ called: "UTC", sync: '{"a":1}' },
      alias: [{ type: "text", text: "{}" }],
    });
    assertEquals(
      told.stderr,
      '[to call these tools, name their servers in the call: servers=["my-files"]]\n' +
        '[not searched, as their tools are not known so far: to search them, too, name them: servers=["down"]]\n',
    );
    assertEquals(
      told.calls.filter(({ name }) => name === "mcp_tool_docs")
        .map(({ given }) => given).at(-1),
      { server: "time", tool: "convert-time", detail: "full" },
    );
    // Each server's list is asked for once in a run.
    const lists = namesOf(told).filter((name) => name === "mcp_list_tools");
    assertEquals(lists.length, 2);
  },
);

onEach(
  "each name has a docstring, and is in the modules mcp and mcp.runtime, too",
  async ({ run }) => {
    const told = await run(
      `
import inspect, mcp, mcp.runtime, mcp.servers, mcp.servers.my_files as files
from mcp import call_tool as other, MCPError as error
from mcp.runtime import *
from mcp.servers import time
from mcp.servers.time import get_current_time
names = {name: it for name, it in globals().items() if getattr(it, "__module__", "") == "mcp.runtime" and name != "other"}
[
    sorted(names), [name for name, it in names.items() if not inspect.getdoc(it)],
    [name for name, it in names.items() if getattr(mcp, name) is not it or getattr(runtime, name) is not it],
    [inspect.iscoroutinefunction(it) for it in (list_servers, list_tools, call_tool, query_tool_docs, search_tool_docs)],
    runtime is mcp.runtime, mcp.mcp_servers is mcp_servers, mcp.LOADED_MCP_SERVERS, mcp.servers.time is mcp_time is time is mcp_servers["time"],
    files is mcp_my_files, mcp_servers["my_files"] is mcp_servers["my-files"], get_current_time is mcp_time.get_current_time,
    other is call_tool, error is MCPError, issubclass(MCPError, RuntimeError), MCPError.__module__,
]`,
      BOTH,
    );
    const value = valueOf(told) as unknown[];
    assert((value[0] as string[]).includes("query_tool_docs_sync"));
    assertEquals(value.slice(1), [
      ...[[], [], [true, true, true, true, true]],
      ...[true, true, BOTH, true, true, true, true, true, true, true, "mcp"],
    ]);
  },
);

onEach(
  "a run has the names of the one list, and those of its servers",
  async ({ run }) => {
    const told = await run(
      "import mcp, mcp_run_python; [n for n in {*mcp.__all__, *mcp_run_python.__all__} if n not in ('mcp_time', 'mcp_my_files')]",
      BOTH,
    );
    assertEquals(
      (valueOf(told) as string[]).sort(),
      [...CODE_MODE_NAMES].sort(),
    );
  },
);

onEach(
  "a server or a module that is not loaded is an error that says how to load it",
  async ({ run }) => {
    const told = await run(
      `import importlib
${
        raised(
          "__import__('mcp.servers', fromlist=['my_files'])",
          "importlib.import_module('mcp.servers.my_files')",
          "mcp_servers['my-files']",
          "mcp_servers['tim']",
          "mcp_servers.get('my-files')",
          "'my-files' in mcp_servers",
          "describe_server('my-files')",
          "list_tools_sync('my-files')",
          "importlib.import_module('mcp.client.stdio')",
        )
      }`,
      ["time"],
    );
    const how =
      'Server "my-files" is not loaded: name it in the call, servers=["my-files"].';
    const said = valueOf(told) as string[];
    assertEquals(said.slice(0, 8), [
      `MCPImportError: ${how}`,
      `MCPImportError: ${how}`,
      `MCPNameError: ${how}`,
      'MCPNameError: No server "tim" is configured. Did you mean "time"? discovered_servers() names all.',
      ...["None", "False", `MCPNameError: ${how}`],
      'MCPError: Cannot call server "my-files": this run has not loaded it. Name it in the call, servers=["my-files"].',
    ]);
    assertMatch(
      String(said[8]),
      /^ModuleNotFoundError: There is no mcp\.client/,
    );
    for (
      const code of [
        "mcp_my_files.read('x')",
        "from mcp.servers import my_files",
        "import mcp.servers.my_files",
      ]
    ) {
      assertMatch((await run(code, ["time"])).error, /servers=\["my-files"\]/);
    }
  },
);

onEach(
  "proxies come and go with each run, and variables of the code's own stay",
  async ({ run }) => {
    const look =
      "[name for name in ('mcp_time', 'mcp_my_files') if name in globals()], LOADED_MCP_SERVERS, list(mcp_servers)";
    const servers = async (names: string[]) => valueOf(await run(look, names));
    assertEquals(await servers(["time"]), [["mcp_time"], ["time"], ["time"]]);
    valueOf(
      await run("kept = mcp_time; convert = mcp_time.convert_time", ["time"]),
    );
    assertEquals(
      await servers(["my-files"]),
      [["mcp_my_files"], ["my-files"], ["my-files"]],
    );
    // A server that is first asked for in a later call has a proxy.
    assertEquals(
      valueOf(await run("mcp_my_files.read.sync('x').text", BOTH)),
      "one\ntwo",
    );
    const refused = valueOf(
      await run(
        `import sys
said = []
for attempt in (lambda: kept.get_current_time, lambda: convert.sync("a", "b", "c")):
    try:
        attempt()
    except MCPError as error:
        said.append([error.server, error.tool, error.cause, type(error.__cause__).__name__])
said + ["mcp.servers.time" in sys.modules, "mcp.servers.my_files" in sys.modules]`,
        ["my-files"],
      ),
    );
    assertEquals(refused, [
      ["time", null, "PermissionError", "PermissionError"],
      ["time", "convert-time", "PermissionError", "PermissionError"],
      ...[false, true],
    ]);
    valueOf(
      await run(
        "mcp_time = 'mine'; list_tools = 5; del call_tool; mcp_new = mcp_time",
      ),
    );
    const told = await run(
      "[mcp_time, mcp_new, list_tools, callable(call_tool), mcp_servers['time'].get_current_time.sync().is_error]",
      ["time"],
    );
    assertEquals(valueOf(told), ["mine", "mine", 5, true, false]);
    assertEquals(valueOf(await run("[mcp_time, list_tools]")), ["mine", 5]);
    const globals = JSON.stringify({ mcp_my_files: 1, runtime: 2 });
    assertEquals(
      valueOf(await run("[mcp_my_files, runtime]", BOTH, globals)),
      [1, 2],
    );
  },
);

onEach(
  "a failed call is an MCPError with server, tool and cause, which pickles",
  async ({ run }) => {
    const told = await run(
      `
import pickle
try:
    await call_tool("down", "anything")
    called = None
except MCPError as error:
    called = error
try:
    mcp_down.tool
except MCPError as error:
    again = pickle.loads(pickle.dumps(error))
    facts = [str(again), again.server, again.tool, again.cause, type(error.__cause__).__name__, isinstance(again, RuntimeError)]
try:
    mcp_down.tool
except RuntimeError as error:
    facts.append(type(error) is MCPError)
try:
    mcp_time.nothing
except AttributeError as error:
    again = pickle.loads(pickle.dumps(error))
    facts += [str(again), again.server, again.tool, again.cause, type(again).__name__]
facts`,
      ["time", "down"],
    );
    assertEquals(valueOf(told), [
      ...['Server "down" did not start: no such command.', "down", null],
      ...["RuntimeError", "RuntimeError", true, true],
      'Server "time" has no tool "nothing". It has get_current_time, convert_time.',
      ...["time", "nothing", "LookupError", "MCPNameError"],
    ]);
    const { error } = await run("mcp_down.tool", ["down"]);
    assertMatch(
      error,
      /^Traceback .*\n {2}File "call 2", line 1, in <module>\n.*\n( +[~^]+\n)?mcp\.MCPError: Server "down" did not start: no such command\.$/,
    );
  },
);

onEach(
  "a result is JSON, has a short repr, and says what it holds",
  async ({ run }) => {
    const told = await run(
      `
import json, pickle
import mcp
result = mcp_my_files.read.sync("x")
failed = mcp_my_files._2d.sync()
long = mcp.Result(content=[{"type": "text", "text": "x" * 10_000_000}])
listed = mcp.Result(content=[{"type": "text", "text": " [1, 2]"}])
odd = mcp.Result(content=[5, {"type": "text"}, {"type": "resource", "resource": {"uri": "a://b", "text": "inner"}}])
try:
    result.structured
except AttributeError as error:
    advice = str(error)
[result, result.text, result.data, str(result), repr(failed), failed.is_error, len(repr(long)) < 1000, len(long.text), listed.data,
    odd.text, str(odd), odd.data, mcp.Result().text, mcp.Result(content=None, structuredContent=5).data,
    json.loads(json.dumps(failed)) == failed, pickle.loads(pickle.dumps(result)) == result, ".text" in advice]`,
      BOTH,
    );
    const value = valueOf(told) as unknown[];
    assertEquals(value.slice(1), [
      ...["one\ntwo", null],
      "one\n[image, image/png, 4 characters of base64]\ntwo",
      "Result('There is no plane.', is_error=True)",
      ...[true, true, 10_000_000, [1, 2]],
      ...["", "[text]\ninner", null, "", 5, true, true, true],
    ]);
  },
);

onEach("hundreds of calls at a time get their own answers", async ({ run }) => {
  const told = await run(
    `
import asyncio, gc
async def ask(number):
    return (await mcp_my_files.free(number=number)).data["number"]
async def wait(number):
    gc.collect()
    return mcp_my_files.free.sync(number=number).data["number"]
numbers = await asyncio.gather(*map(ask, range(300)), *map(wait, range(300, 330)))
tools = await asyncio.gather(*(mcp_time.get_current_time() for _ in range(100)))
gc.collect()
[numbers == list(range(330)), len(tools), gc.collect() >= 0, (await asyncio.wait_for(mcp_time.get_current_time(), 60)).is_error]`,
    BOTH,
  );
  assertEquals(valueOf(told), [true, 100, true, false]);
  // All that ask at a time share the list.
  const lists = namesOf(told).filter((name) => name === "mcp_list_tools");
  assertEquals(lists.length, 2);
});

onEach(
  "a server that gives no list fails each call by itself",
  async ({ run }) => {
    const told = await run(
      `
import asyncio
async def ask(server):
    return (await mcp_servers[server].get_current_time()).is_error
said = await asyncio.gather(*map(ask, ["down", "time"] * 20), return_exceptions=True)
[[type(it).__name__ for it in said[:2]], said[1::2] == [False] * 20, {str(it) for it in said[::2]}]`,
      ["time", "down"],
    );
    assertEquals(valueOf(told), [
      ...[["MCPError", "bool"], true],
      ['Server "down" did not start: no such command.'],
    ]);
    assertEquals([told.stderr, namesOf(told).length], ["", 22]);
  },
);

Deno.test("answers in another order go to the calls that asked", async () => {
  const waiting: (() => void)[] = [];
  await using session = await openSession(await filesOf(""), async (name) => {
    if (name !== "mcp_call_tool") return undefined;
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
      if (waiting.length === 20) waiting.reverse().forEach((go) => go());
    });
    return undefined;
  });
  const told = await session.run(
    `
import asyncio, gc
calls = [asyncio.ensure_future(mcp_my_files.free(number=number)) for number in range(20)]
await asyncio.sleep(0)
gc.collect()
[(await call).data["number"] for call in calls] == list(range(20))`,
    ["my-files"],
  );
  assertEquals(valueOf(told), true);
});

Deno.test("errors at a time go to the calls that failed", async () => {
  const waiting: (() => void)[] = [];
  await using session = await openSession(
    await filesOf(""),
    async (name, given) => {
      if (name !== "mcp_call_tool") return undefined;
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        if (waiting.length === 20) waiting.reverse().forEach((go) => go());
      });
      throw new Refusal("RuntimeError", JSON.stringify(given.arguments));
    },
  );
  const told = await session.run(
    `
import asyncio, json
async def ask(number):
    try:
        if number % 4:
            return mcp_my_files.free.sync(number=number)
        return await mcp_my_files.free(number=number)
    except MCPError as error:
        return json.loads(str(error))["number"]
await asyncio.gather(*map(ask, range(20))) == list(range(20))`,
    ["my-files"],
  );
  assertEquals(valueOf(told), true);
});

onEach(
  "a call without await is told once, with the remedy",
  async ({ run }) => {
    for (const use of [".text", "['content']"]) {
      const { error } = await run(`mcp_time.get_current_time()${use}`, [
        "time",
      ]);
      assertMatch(error, /\n.*Await a call before its result is used/);
    }
    const { error } = await run(
      "mcp_time.get_current_time\nget_current_time()",
      [
        "time",
      ],
    );
    assertMatch(error, /tool of server "time": mcp_time\.get_current_time$/);
    const own = await run("async def own(): pass\nown()", ["time"]);
    assert(!own.stderr.includes("was not awaited: write"), own.stderr);
    assertMatch(
      own.stderr,
      /RuntimeWarning: coroutine 'own' was never awaited/,
    );
    const after = await run(
      "mcp_time.get_current_time().text",
      ["time"],
    ).then(() => run("mcp_time.get_current_time()\nprint(1)", ["time"]));
    assertEquals(
      after.stderr,
      "[a call was not made, as it was not awaited: write `await mcp_time.get_current_time(...)` (line 1)]\n",
    );
  },
);

/** Code that makes no call, and what it has done beside that. */
const UNAWAITED: Record<string, string> = {
  "mcp_time.get_current_time()": "the value",
  "now = mcp_time.get_current_time()": "a variable",
  "now = [mcp_time['get_current_time']() for _ in range(3)]": "a list",
  "import asyncio\nasyncio.create_task(mcp_time.get_current_time())": "a task",
  "import asyncio\nnow = asyncio.gather(mcp_time.get_current_time(), mcp_time.get_current_time())":
    "many at a time",
  "def f(): return mcp_time.get_current_time()\nf()\nNone": "is gone",
  'call_tool("time", "get_current_time")': "by name",
};

onEach(
  "a call without await fails a run that did nothing else, and is told in no other run",
  async ({ run }) => {
    for (const [code, place] of Object.entries(UNAWAITED)) {
      const { error, stderr, calls } = await run(code, ["time"]);
      assertMatch(
        error,
        /^mcp\.MCPError: (A call was|\d calls were) not made, as (it was|they were) not awaited: write `await (mcp_time\.get_current_time|call_tool)\(\.\.\.\)` \(line \d\)\.$/,
        place,
      );
      assertEquals(stderr, "", place);
      assertEquals(calls.some(({ name }) => name === "mcp_call_tool"), false);
      const told = await run(`print("before")\n${code}`, ["time"]);
      assertMatch(
        told.stderr,
        /^\[(a call was|\d calls were) not made, as .* \(line \d\)\]\n$/,
        `${place}: ${told.stderr}`,
      );
      assertEquals(told.error, "", place);
      const next = await run(
        "import asyncio, gc\nnow = None\ngc.collect()\nawait asyncio.sleep(0.01)",
      );
      assertEquals([next.stderr, next.error], ["", ""], place);
    }
    // What was called, shown or returned stands beside the note.
    for (
      const code of [
        "await mcp_time.get_current_time()",
        "mcp_time.get_current_time.sync()",
        "5",
      ]
    ) {
      const { error, stderr } = await run(
        `later = mcp_time.get_current_time()\n${code}`,
        ["time"],
      );
      assertEquals(error, "", code);
      assertMatch(stderr, /^\[a call was not made.*\(line 1\)\]\n$/, code);
    }
    const failed = await run("later = mcp_time.get_current_time()\n1 / 0", [
      "time",
    ]);
    assertMatch(failed.error, /ZeroDivisionError/);
    assertMatch(failed.stderr, /^\[a call was not made.*\(line 1\)\]\n$/);
    // It can still be awaited.
    const { value } = await run("(await later).data['timezone']", ["time"]);
    assertEquals(value, "UTC");
    const whole = await run(
      "import asyncio\ntasks = [asyncio.create_task(mcp_time.get_current_time()) for _ in range(2)]\nawait asyncio.gather(*tasks)\nNone",
      ["time"],
    );
    assertEquals([whole.error, whole.stderr], ["", ""]);
  },
);

onEach(
  "a call that has no answer when its run ends is told there, and not when its task is gone",
  async (_, files) => {
    await using session = await openSession(
      files,
      (name) => name === "mcp_call_tool" ? new Promise(() => {}) : undefined,
    );
    const begun = await session.run(
      "import asyncio\ntask = asyncio.create_task(mcp_time.get_current_time())\nawait asyncio.sleep(0)",
      ["time"],
    );
    assertMatch(
      begun.stderr,
      /^\[a call was not answered in this run, as it was not awaited: .* \(line 2\)\]\n$/,
    );
    const after = await session.run(
      "task = None\nimport gc\ngc.collect()\nprint(1)",
    );
    assertEquals([after.stderr, after.stdout], ["", "1\n"]);
  },
);

onEach(
  "the value of an awaited expression may be awaitable itself",
  async ({ run }) => {
    valueOf(await run("(await mcp_time.list_tools())[0]['name']", ["time"]));
    const told = await run("await mcp_time.list_tools()", ["time"]);
    assertEquals((valueOf(told) as unknown[]).length, 2);
    const never = `
import asyncio
async def give(): return asyncio.get_running_loop().create_future()
await give()`;
    assertMatch(String(valueOf(await run(never))), /Future pending/);
  },
);

onEach(
  "a search names a server apart that is loaded and does not answer",
  async ({ run }) => {
    const { stderr } = await run("await search_tool_docs('now')", [
      ...["my-files", "down"],
    ]);
    assertMatch(
      stderr,
      /^\[not searched, as they have not told their tools: "down"\]$/m,
    );
    assert(!stderr.includes('servers=["down"]'), stderr);
  },
);

onEach("an error of a usual slip has the remedy", async ({ run }) => {
  const slips: [string, RegExp][] = [
    [
      "(await mcp_time.get_current_time())['datetime']",
      /MCPKeyError: The result of a tool has no key 'datetime': its keys are 'content'.*\.data/,
    ],
    ["from mcp import ClientSession", /not MCP's SDK\. Call a tool as in/],
    ["import time\ntime.get_current_time()", /"time" is mcp_time\.$/],
    ["mcp_servers.time", /mcp_servers\["time"\]\.$/],
    [
      "mcp_time.get_curent_time()",
      /no tool "get_curent_time"\. Nearest: get_current_time$/,
    ],
  ];
  for (const [code, remedy] of slips) {
    assertMatch((await run(code, ["time"])).error, remedy);
  }
});

onEach(
  "tasks between two runs cannot call, and the next run can",
  async ({ run }) => {
    valueOf(
      await run(
        `
import asyncio
said = []
async def later():
    await asyncio.sleep(0.001)
    while len(said) < 1:
        try:
            await mcp_time.get_current_time()
            await asyncio.sleep(0)
        except MCPError as error:
            said.append([str(error), error.cause, error.tool])
task = asyncio.ensure_future(later())
mcp_time.get_current_time
None`,
        ["time"],
      ),
    );
    const told = await run("await task\nsaid", ["time"]);
    const [said] = valueOf(told) as [string, string, string][];
    assertMatch(
      String(said?.[0]),
      /Cannot call the host between two runs|The run that called the host is over/,
    );
    assertEquals(said?.slice(1), ["RuntimeError", "get_current_time"]);
  },
);

onEach(
  "code that replaces names and modules of code mode has them back in the next run",
  async ({ run }) => {
    await run(
      `
import sys, mcp, asyncio, json
mcp.call_tool = runtime.list_tools = None
mcp.__dict__.clear()
sys.modules["mcp"] = sys.modules["mcp.servers.time"] = 5
del sys.modules["mcp.runtime"]
sys.meta_path.clear()
mcp = asyncio = json = None
mcp_servers._loaded.clear()
del globals()["mcp_time"]`,
      ["time"],
    );
    const told = await run(
      `
import gc; gc.collect()
import mcp, mcp.servers.time as time
from mcp.runtime import list_tools as listing
[mcp.call_tool is call_tool, runtime.list_tools is list_tools is listing, time is mcp_time, time.get_current_time.sync().is_error]`,
      ["time"],
    );
    assertEquals(valueOf(told), [true, true, true, false]);
  },
);

onEach("lines that look like messages are output", async ({ run }) => {
  const line = '{"type":"ask","id":1,"name":"mcp_call_tool","arguments":"{}"}';
  const told = await run(
    `import os, sys
line = ${JSON.stringify(line)}
print(line)
print(line, file=sys.stderr)
os.write(1, (line + "\\n").encode())
None`,
    ["time"],
  );
  assertEquals(told.calls, []);
  assertEquals(told.stdout, `${line}\n${line}\n`);
  assertEquals(told.stderr, `${line}\n`);
});

Deno.test("a session without code mode has none of its names and modules", async () => {
  const files = await filesOf("");
  await using session = await openSession(files, undefined, {
    codeMode: false,
  });
  const told = await session.run(`
import sys, importlib
found = [name for name in ("mcp", "mcp.runtime", "mcp.servers") if name in sys.modules]
[dir(), found, [it for it in sys.meta_path if "code_mode" in repr(it) or "mcp_modules" in repr(it)], hasattr(__builtins__, "call_tool")]`);
  const [names, ...rest] = valueOf(told) as [string[], ...unknown[]];
  assertEquals(
    names.filter((name) => !name.startsWith("__")),
    ["found", "importlib", "sys"],
  );
  assertEquals(rest, [[], [], false]);
  const { error } = await session.run("import mcp");
  assertMatch(error, /ModuleNotFoundError: No module named 'mcp'\n/);
  const undefinedName = await session.run("mcp_time");
  assert(!undefinedName.error.includes("servers"), undefinedName.error);
});

onEach(
  "a saved session of code mode goes on in another interpreter",
  async (session, files) => {
    const { run, interpreter } = session;
    valueOf(
      await run(
        "kept = mcp_time; held = mcp_time.get_current_time; result = held.sync(); mcp_my_files.read; None",
        BOTH,
      ),
    );
    const pieces: Uint8Array[] = [];
    const end = await interpreter.save(({ bytes }) => {
      pieces.push(bytes);
      return Promise.resolve();
    });
    assertEquals(end?.type, "saved", JSON.stringify(end));
    const bytes = new Uint8Array(
      await new Blob(pieces as BlobPart[]).arrayBuffer(),
    );
    await using other = await openSession(files, undefined, {
      from: { bytes, fork: false },
    });
    const look =
      "[result.data['timezone'], kept is mcp_time, held.sync().is_error, 'mcp_my_files' in globals()]";
    for (const one of [other, session]) {
      assertEquals(valueOf(await one.run(look, ["time"])), [
        ...["UTC", true, false, false],
      ]);
      assertMatch((await one.run("mcp_down")).error, /servers=\["down"\]/);
    }
  },
);

Deno.test("a later run of a session has the list of tools that it has heard, until there is another", async () => {
  let id = "one";
  const heard: unknown[] = [];
  await using session = await openSession(await filesOf(""), (name, given) => {
    if (name !== "mcp_list_tools") return undefined;
    heard.push(given.known);
    const [tool] = TOOLS.time ?? [];
    return given.known === id
      ? { id }
      : { id, tools: [{ ...tool, alias: id }] };
  });
  const run = (code: string) => session.run(code, ["time"]);
  valueOf(await run("first = mcp_time.one; await first()"));
  assertEquals(valueOf(await run("mcp_time.one is first")), true);
  id = "two";
  assertEquals(
    valueOf(await run("mcp_time.two.__name__, hasattr(mcp_time, 'one')")),
    ["two", false],
  );
  assertEquals(heard.slice(0, 3), [undefined, "one", "one"]);
});

Deno.test("a call that waits ends with its run, and the next run calls", async () => {
  const files = await filesOf("");
  for (const wait of ["await tool()", "tool.sync()", "mcp_time.nothing"]) {
    let isHanging = false;
    let lists = 0;
    let timer: ReturnType<typeof setInterval> | undefined;
    await using session = await openSession(files, (name) => {
      const isFirst = name === "mcp_list_tools" && lists++ === 0;
      if (!isHanging || isFirst) return undefined;
      // One that comes before Python waits may hit code that catches all.
      timer ??= setInterval(() => session.interpreter.interrupt(), 50);
      return new Promise<undefined>(() => {});
    });
    valueOf(await session.run("None"));
    lists = 0;
    isHanging = true;
    const told = await session.run(
      `tool = mcp_time.get_current_time\n${wait}`,
      ["time"],
    );
    clearInterval(timer);
    assertMatch(told.error, /KeyboardInterrupt|CancelledError/);
    isHanging = false;
    const next = await session.run("tool.sync().is_error", ["time"]);
    assertEquals([valueOf(next), next.stderr], [false, ""]);
  }
});

onEach(
  "a callback, which cannot wait, has an MCPError that says so, or an answer",
  async ({ run }) => {
    const told = await run(
      `
import asyncio
done = asyncio.get_running_loop().create_future()
def call():
    try:
        done.set_result(tool.sync().is_error)
    except MCPError as error:
        done.set_result(str(error))
tool = mcp_time.get_current_time
asyncio.get_running_loop().call_soon(call)
await done`,
      ["time"],
    );
    const value = valueOf(told);
    if (value !== false) {
      assertMatch(String(value), /Use `await` in a coroutine/);
    }
    assertEquals(told.stderr, "");
  },
);

Deno.test("a type that a server has written is not executed", async () => {
  const type = "__import__('builtins').__dict__.update(hacked=1)";
  await using session = await openSession(await filesOf(""), (name) => {
    const [tool] = TOOLS.time ?? [];
    assert(tool);
    const parameters = [type, "list[".repeat(5000), "x".repeat(10_000)]
      .map((type, at) => ({
        ...{ name: at === 0 ? "if" : `p${at}`, key: `k${at}`, type },
        isRequired: false,
      }));
    return name === "mcp_list_tools"
      ? { tools: [{ ...tool, parameters, returns: type }] }
      : undefined;
  });
  const told = await session.run(
    `import builtins, inspect
tool = mcp_time.get_current_time
await tool(k0=1, p1=2)
[hasattr(builtins, "hacked"), str(inspect.signature(tool))]`,
    ["time"],
  );
  assertEquals(valueOf(told), [false, `(**more) -> ${type}`]);
  assertEquals(told.calls.at(-1)?.given.arguments, { k0: 1, k1: 2 });
});

/** Completions in a session that has used a server, and has not used another. */
const COMPLETED: [text: string, matches: string[]][] = [
  ["mine.get", ["mine.get_current_time"]],
  ["mcp_my_files.r", []],
];

Deno.test("the variables of a session are the code's own", async () => {
  await using session = await openSession(await filesOf(""));
  valueOf(await session.run("mine = mcp_time; mine.convert_time", BOTH));
  const ending = await session.interpreter.run({
    request: {
      code: "{}",
      globals: "{}",
      timeoutMs: Infinity,
      look: "variables",
    },
  }, () => Promise.resolve());
  assertEquals(ending.status, "success", JSON.stringify(ending));
  const { variables, modules } = JSON.parse(
    ending.status === "success" ? ending.value : "{}",
  );
  assertEquals(
    variables.map((
      { name, type, repr }: Record<string, string>,
    ) => [name, type, repr]),
    [["mine", "Server", "<MCP server 'time'>"]],
  );
  assertEquals(modules, []);
  for (const [text, matches] of COMPLETED) {
    const ending = await session.interpreter.run({
      request: {
        code: JSON.stringify({ text }),
        globals: "{}",
        timeoutMs: Infinity,
        look: "complete",
      },
    }, () => Promise.reject(new Error("the look asked the host")));
    assertEquals(ending.status, "success", JSON.stringify(ending));
    assertEquals(
      JSON.parse(ending.status === "success" ? ending.value : "{}").matches,
      matches,
    );
  }
});

Deno.test("a host that refuses has its sentence told once", async () => {
  await using session = await openSession(await filesOf(""), (name) => {
    if (name !== "mcp_call_tool") return undefined;
    throw new Refusal("TimeoutError", 'Tool "x" of server "time" took 5 s.');
  });
  const told = await session.run("await mcp_time.get_current_time()", ["time"]);
  assertEquals(told.error.split("took 5 s").length, 2, told.error);
  assertEquals(
    valueOf(
      await session.run(
        "try: mcp_time.get_current_time.sync()\nexcept MCPError as error: cause = error.cause\ncause",
        ["time"],
      ),
    ),
    "TimeoutError",
  );
});
