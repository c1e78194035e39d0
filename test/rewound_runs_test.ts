/**
 * Rewound interpreters of a real server: who gets them, and what is told of it.
 *
 * @module
 */
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { createSandbox } from "../src/library/sandbox.ts";
import { CACHE, CLI, CODE_MODE } from "./support/command.ts";
import { startHttp } from "./support/http_server.ts";
import { ERAS, startServer, type TestClient } from "./support/server.ts";

const INTERPRETER = "mcp-run-python/interpreter";
const OVER_STDIO = [ERAS[0], CLI, "stdio"] as const;

/** Code that finds out whether it has run in this interpreter. */
const LOOK = `
import builtins, os, sys
found = [getattr(builtins, "mark", None), sys.modules.get("mark"), os.listdir()]
builtins.mark = sys.modules["mark"] = 1
open("mark", "w").close()
found
`;

/** Calls, and checks that no trace of a call before is there; gives the kind of the interpreter. */
async function look(
  { client }: TestClient,
  args: Record<string, unknown> = {},
): Promise<string> {
  const { structuredContent, _meta } = await client.callTool({
    name: "run_python_code",
    arguments: { python_code: LOOK, ...args },
  });
  const { status, return_value: found } = Object(structuredContent);
  assertEquals([status, found], ["success", [null, null, []]]);
  return String(_meta?.[INTERPRETER]);
}

/**
 * Calls in a row until two find a rewound interpreter; gives the kinds of the last two.
 * The first one of a process may not be kept, and while a caller's own one comes back,
 * its call gets a fresh one that is ready, which is its own from then on.
 */
async function lookOften(find: () => Promise<string>): Promise<string> {
  let last: string[] = [];
  for (let call = 0; call < CALLS && last.join() !== REWOUND; call++) {
    last = [...last.slice(-1), await find()];
  }
  return last.join();
}

const CALLS = 16;
const REWOUND = "rewound,rewound";
const FRESH = "fresh,fresh";

for (const era of ERAS) {
  Deno.test(`calls of one client find a rewound interpreter, and no trace in it, ${era}`, async () => {
    await using server = await startServer([], era, CLI, "stdio");
    assertEquals(await look(server), "fresh");
    assertEquals(await lookOften(() => look(server)), REWOUND);
    const opened = await look(server, { session: "new" });
    assertEquals(opened, "rewound");
    const { structured } = await server.call("x = 1", { session: "new" });
    const { session } = structured;
    const { _meta, structuredContent } = await server.client.callTool({
      name: "run_python_code",
      arguments: { python_code: "x", session },
    });
    assertEquals(Object(structuredContent).return_value, 1);
    assertEquals(_meta?.[INTERPRETER], "used");
  });
}

Deno.test("calls find fresh interpreters with --fresh always", async () => {
  const args = ["--fresh", "always"];
  await using server = await startServer(args, ...OVER_STDIO);
  assertEquals(await lookOften(() => look(server)), FRESH);
});

Deno.test("a caller never gets the interpreter of another, and has its own again", async () => {
  const [ada, bob] = [crypto.randomUUID(), crypto.randomUUID()];
  await using server = await startHttp([], {
    env: { MCP_RUN_PYTHON_TOKEN: `ada:${ada},bob:${bob}` },
  });
  const [first, second] = ERAS;
  await using a = await server.connect(first, { token: ada });
  await using a2 = await server.connect(second, { token: ada });
  await using b = await server.connect(first, { token: bob });
  await using b2 = await server.connect(second, { token: bob });
  assertEquals(await lookOften(() => look(a)), REWOUND);
  // Its other clients are the same caller.
  assertEquals(await lookOften(() => look(a2)), REWOUND);
  assertEquals(await look(b), "fresh");
  assertEquals(await lookOften(() => look(b)), REWOUND);
  assertEquals(await lookOften(() => look(b2)), REWOUND);
  assertEquals(await lookOften(() => look(a)), REWOUND);
  const metrics = await server.fetch(
    { headers: { authorization: `Bearer ${ada}` } },
    "/metrics",
  );
  const [, rewound] = /interpreters_rewound_total (\d+)/
    .exec(await metrics.text()) ?? [];
  assert(Number(rewound) >= 6, rewound);
});

Deno.test("clients without tokens share no interpreter: MCP sessions have theirs, and others none", async () => {
  await using server = await startHttp(["--log-level", "info"]);
  await using a = await server.connect("2025-11-25");
  await using b = await server.connect("2025-11-25");
  await using stateless = await server.connect("2026-07-28");
  assertEquals(await lookOften(() => look(a)), REWOUND);
  assertEquals(await look(b), "fresh");
  assertEquals(await lookOften(() => look(b)), REWOUND);
  assertEquals(await lookOften(() => look(a)), REWOUND);
  assertEquals(await lookOften(() => look(stateless)), FRESH);
  await server[Symbol.asyncDispose]();
  const { stderr } = await server.ended;
  for (const kind of ["fresh", "rewound"]) {
    assertMatch(stderr, new RegExp(`info run .*interpreter=${kind}`));
  }
});

Deno.test("a session that is reset has a rewound interpreter; so have runs of code mode and of a library", async () => {
  const stateful = ["--sessions", "always"];
  await using server = await startServer(stateful, ...OVER_STDIO);
  assertEquals(
    await lookOften(() => look(server, { session: "reset" })),
    REWOUND,
  );
  assertEquals((await server.call("mark = 2")).status, "success");
  assertEquals((await server.call("mark")).returnValue, 2);

  await using coding = await startServer(CODE_MODE, ...OVER_STDIO);
  const program = async () => {
    const { _meta, content } = await coding.client.callTool({
      name: "run_python",
      arguments: { code: LOOK, session: "none" },
    });
    assertMatch(JSON.stringify(content), /null, ?null/);
    return String(_meta?.[INTERPRETER]);
  };
  assertEquals(await lookOften(program), REWOUND);

  const logs: string[] = [];
  const sandbox = await createSandbox({
    ...{ cacheDir: CACHE, options: { "log-level": "info" } },
    onLog: (line) => void logs.push(line),
  });
  for (let call = 0; call < CALLS; call++) await sandbox.run("x = 1");
  await sandbox.close();
  const rewound = logs.filter((line) => line.includes("interpreter=rewound"));
  assert(rewound.length > CALLS / 2, logs.join("\n"));
});
