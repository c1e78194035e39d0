import { assertEquals, assertMatch } from "../../../../deps/assert.ts";
import type { Handler } from "./handler.ts";
import { observed } from "./handler.ts";

function observe(handler: Handler) {
  const counted: string[] = [];
  const logged: [level: string, facts: object][] = [];
  const answer = observed(handler, {
    watch: {
      noteRequest: (route, status) => void counted.push(`${route} ${status}`),
    },
    log: { write: (level, _, facts) => void logged.push([level, facts]) },
    routes: ["/mcp"],
  });
  const ask = (path: string) => answer(new Request(`http://localhost${path}`));
  return { ask, counted, logged };
}

Deno.test("observed() counts requests by their route, and other paths as one", async () => {
  const { ask, counted } = observe(() => Promise.resolve(new Response()));
  for (const path of ["/mcp", "/mcp?x", "/a", "/b"]) await ask(path);
  assertEquals(counted, ["/mcp 200", "/mcp 200", "other 200", "other 200"]);
});

Deno.test("observed() logs refusals, and of a flood the first ones", async () => {
  const refuse = () => Promise.resolve(new Response(null, { status: 401 }));
  const { ask, logged } = observe(refuse);
  for (let sent = 0; sent < 100; sent++) await ask("/mcp");
  assertEquals(logged.length, 10);
});

Deno.test("observed() answers a fault of ours, and logs its cause", async () => {
  const { ask, counted, logged } = observe(() =>
    Promise.reject(new TypeError("a bug"))
  );
  const { status } = await ask("/mcp");
  assertEquals([status, counted], [500, ["/mcp 500"]]);
  assertMatch(JSON.stringify(logged), /"error".*TypeError: a bug/);
});
