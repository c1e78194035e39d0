/**
 * Rewound interpreters of a real server: who gets them, and what is told of it.
 *
 * @module
 */
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { createSandbox } from "../src/library/sandbox.ts";
import { CACHE, CLI, CODE_MODE } from "./support/command.ts";
import { type HttpServer, startHttp } from "./support/http_server.ts";
import { figureOf, untilFigure } from "./support/open_metrics.ts";
import { ERAS, startServer, type TestClient } from "./support/server.ts";
import { withEnd } from "./support/with_end.ts";

const INTERPRETER = "mcp-run-python/interpreter";
const ROUNDS = 4;
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

/** Calls in a row: an interpreter that was asked at once is not kept, and the next one is. */
async function lookOften(
  client: TestClient,
  rest?: () => Promise<void>,
): Promise<string> {
  const kinds: string[] = [];
  while (kinds.length < ROUNDS) {
    kinds.push(await look(client));
    await rest?.();
  }
  return kinds.slice(2).join();
}

/**
 * Waits until no interpreter is made or rewound: a call before that gets a fresh one
 * over HTTP if one is ready.
 */
function untilReady(server: HttpServer, token = ""): Promise<void> {
  const preparing = 'sandboxes{state="preparing"}';
  return untilFigure(server, token, preparing, (count) => count === 0);
}

const REWOUND = "rewound,rewound";
const FRESH = "fresh,fresh";

for (const era of ERAS) {
  Deno.test(`calls of one client find a rewound interpreter, and no trace in it, ${era}`, async () => {
    await using server = await startServer([], era, CLI, "stdio");
    assertEquals(await look(server), "fresh");
    assertEquals(await lookOften(server), REWOUND);
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
  assertEquals(await lookOften(server), FRESH);
});

Deno.test(
  "a caller never gets the interpreter of another, and has its own again",
  withEnd(async () => {
    const [ada, bob] = [crypto.randomUUID(), crypto.randomUUID()];
    await using server = await startHttp([], {
      env: { MCP_RUN_PYTHON_TOKEN: `ada:${ada},bob:${bob}` },
    });
    const [first, second] = ERAS;
    await using a = await server.connect(first, { token: ada });
    await using a2 = await server.connect(second, { token: ada });
    await using b = await server.connect(first, { token: bob });
    await using b2 = await server.connect(second, { token: bob });
    const rest = () => untilReady(server, ada);
    assertEquals(await lookOften(a, rest), REWOUND);
    // Its other clients are the same caller.
    assertEquals(await look(a2), "rewound");
    assertEquals(await look(b), "fresh");
    await rest();
    assertEquals(await lookOften(b, rest), REWOUND);
    assertEquals(await look(b2), "rewound");
    assertEquals(await look(a), "rewound");
    const rewound = await figureOf(server, ada, "interpreters_rewound_total");
    assert(rewound >= 6, `${rewound}`);
  }),
);

Deno.test(
  "clients without tokens share no interpreter: MCP sessions have theirs, and others none",
  withEnd(async () => {
    await using server = await startHttp(["--log-level", "info"]);
    await using a = await server.connect("2025-11-25");
    await using b = await server.connect("2025-11-25");
    await using stateless = await server.connect("2026-07-28");
    const rest = () => untilReady(server);
    assertEquals(await lookOften(a, rest), REWOUND);
    assertEquals(await look(b), "fresh");
    await rest();
    assertEquals(await lookOften(b, rest), REWOUND);
    assertEquals(await look(a), "rewound");
    assertEquals(await lookOften(stateless), FRESH);
    await server[Symbol.asyncDispose]();
    const { stderr } = await server.ended;
    for (const kind of ["fresh", "rewound"]) {
      assertMatch(stderr, new RegExp(`info run .*interpreter=${kind}`));
    }
  }),
);

Deno.test("a session that is reset has a rewound interpreter; so have runs of code mode and of a library", async () => {
  const stateful = ["--sessions", "always"];
  await using server = await startServer(stateful, ...OVER_STDIO);
  // Another interpreter is made beside that of a session, and may be ready before it.
  const kinds: string[] = [];
  while (kinds.length < 4 * ROUNDS) {
    kinds.push(await look(server, { session: "reset" }));
  }
  const ofSessions = kinds.filter((kind) => kind === "rewound");
  assert(ofSessions.length >= ROUNDS, `${kinds}`);
  assertEquals((await server.call("mark = 2")).status, "success");
  assertEquals((await server.call("mark")).returnValue, 2);

  await using coding = await startServer(CODE_MODE, ...OVER_STDIO);
  const ofPrograms: unknown[] = [];
  while (ofPrograms.length < ROUNDS) {
    const { _meta, content } = await coding.client.callTool({
      name: "run_python",
      arguments: { code: LOOK, session: "none" },
    });
    assertMatch(JSON.stringify(content), /null, ?null/);
    ofPrograms.push(_meta?.[INTERPRETER]);
  }
  assertEquals(ofPrograms.slice(2).join(), REWOUND);

  const logs: string[] = [];
  const sandbox = await createSandbox({
    ...{ cacheDir: CACHE, options: { "log-level": "info" } },
    onLog: (line) => void logs.push(line),
  });
  for (let round = 0; round < ROUNDS; round++) await sandbox.run("x = 1");
  await sandbox.close();
  const rewound = logs.filter((line) => line.includes("interpreter=rewound"));
  assert(rewound.length >= ROUNDS - 2, logs.join("\n"));
});
