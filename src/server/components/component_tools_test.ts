import { assert, assertEquals } from "../../../deps/assert.ts";
import { openRecordedHub } from "../../../test/support/recorded_hub.ts";
import { DownstreamError } from "../code_mode/hub.ts";
import { ComponentTools, toToolName } from "./component_tools.ts";

const tool = (name: string) => ({ name, inputSchema: { type: "object" } });

function open(servers: Parameters<typeof openRecordedHub>[0]) {
  const hub = openRecordedHub(servers, "wasm");
  const lines: unknown[] = [];
  const log = { write: (...line: unknown[]) => void lines.push(line) };
  const mayCall = (_: string, name: string) => name !== "hidden";
  return { hub, lines, tools: new ComponentTools(hub, mayCall, log) };
}

Deno.test("a component whose tools are known does not start for a list", async () => {
  const { hub, tools } = open({
    known: { tools: [tool("a")], isKnown: true },
    other: { tools: [tool("b"), tool("hidden")] },
  });
  await tools.ready();
  assertEquals(tools.contracts.map(({ name }) => name), [
    ...["known__a", "other__b"],
  ]);
  assertEquals(hub.asked, ["other"]);
  await tools.ready();
  assertEquals(hub.asked, ["other"]);
});

Deno.test("a component that fails hides no other, and is logged once", async () => {
  const { lines, tools } = open({
    bad: new DownstreamError("connection", "it is a core module"),
    good: { tools: [tool("a")] },
  });
  await tools.ready();
  await tools.ready();
  assertEquals(tools.contracts.map(({ name }) => name), ["good__a"]);
  assertEquals(lines, [[
    ...["warning", "component"],
    { component: "bad", error: "it is a core module" },
  ]]);
});

Deno.test("toToolName() gives names that all clients take, and others for others", () => {
  assertEquals(toToolName("calc", "add"), "calc__add");
  const odd = ["a b", "a.b", "a\u202eb", "x".repeat(80), `${"x".repeat(79)}y`];
  const names = odd.map((name) => toToolName("calc", name));
  for (const name of names) assert(/^[\w-]{1,64}$/.test(name), name);
  assertEquals(new Set(names).size, odd.length);
});
