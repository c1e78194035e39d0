/** Runs that outlive their calls, for clients that know no tasks. @module */
import { join } from "node:path";
import {
  assert,
  assertEquals,
  assertMatch,
  assertRejects,
} from "../deps/assert.ts";
import {
  type Called,
  ERAS,
  type TestClient,
  toCalled,
} from "./support/client.ts";
import { HEADERS, INITIALIZE } from "./support/mcp_post.ts";
import { tempFolder } from "./support/folder.ts";
import { startHttp } from "./support/http_server.ts";
import { descendants, whichOutlive } from "./support/processes.ts";
import { startServer, type Via } from "./support/server.ts";

const VIAS: readonly Via[] = ["stdio", "http"];
const EACH = ERAS.flatMap((era) => VIAS.map((via) => ({ era, via })));

const ADA = "a".repeat(32);
const EVE = "e".repeat(32);
/** Code that prints a line, and goes on until it is cancelled. */
const UNTIL_TOLD = "print('on', flush=True)\nimport time\ntime.sleep(600)";
/** Code that ends by itself while a client looks away. */
const SOON =
  "import asyncio\nfor n in range(3):\n    print(n, flush=True)\n    await asyncio.sleep(0.1)\nopen('made.txt', 'w').write('hi')\n'done'";

async function getRun(
  { client }: TestClient,
  args: Record<string, unknown>,
  meta?: Record<string, unknown>,
): Promise<Called & { meta: Record<string, unknown> }> {
  const result = await client.callTool({
    ...{ name: "get_run", arguments: args },
    ...meta ? { _meta: meta } : {},
  });
  return { ...toCalled(result), meta: { ...result._meta } };
}

/** Starts code that runs on, and gives its handle. */
async function begin({ call }: TestClient, code: string): Promise<string> {
  const { status, structured, isError, text } = await call(code, {
    ...{ wait: 0, timeout: 600 },
  });
  assertEquals([status, isError], ["running", false], text);
  return String(structured.run);
}

for (const { era, via } of EACH) {
  const name = `long runs (${era}, ${via})`;

  Deno.test(`${name}: a call is answered after wait, and get_run has the rest, and the result`, async () => {
    await using server = await startServer(
      ["--long-runs"],
      era,
      undefined,
      via,
    );
    const within = await server.call("1 + 1", { wait: 600 });
    assertEquals([within.status, within.returnValue], ["success", 2]);
    const run = await begin(server, SOON);
    const result = await getRun(server, { run, wait: 600 });
    assertEquals(result.output, ["0", "1", "2"]);
    assertEquals([result.status, result.returnValue], ["success", "done"]);
    assertMatch(JSON.stringify(result.structured.files), /made\.txt/);
    // A client that has lost the answer asks again.
    assertEquals(await getRun(server, { run }), result);
    const cancelled = await getRun(server, { run, cancel: true });
    assertEquals(cancelled.status, "success");
  });

  Deno.test(`${name}: get_run reads on from where the last answer ended, or cancels`, async () => {
    await using server = await startServer(
      ["--long-runs"],
      era,
      undefined,
      via,
    );
    const run = await begin(server, UNTIL_TOLD);
    const lines: string[] = [];
    while (lines.length === 0) {
      const told = await getRun(server, { run, wait: 0.05 });
      assertEquals(told.status, "running");
      lines.push(...told.output);
    }
    assertEquals(lines, ["on"]);
    assertEquals((await getRun(server, { run, wait: 0 })).output, []);
    const from = { "mcp-run-python/outputFrom": 1 };
    const again = await getRun(server, { run, wait: 0 }, from);
    assertEquals(again.output, ["n"]);
    assertEquals(again.meta["mcp-run-python/outputNext"], 3);
    for (const place of [-1, 0.5, 1e308, "1", null, [0]]) {
      await assertRejects(
        () =>
          getRun(server, { run, cancel: true }, {
            "mcp-run-python/outputFrom": place,
          }),
        /outputFrom.* must be a whole number from 0/,
      );
    }
    const cancelled = await getRun(server, { run, cancel: true, wait: 600 });
    assertEquals([cancelled.status, cancelled.output], ["cancelled", ["on"]]);
  });
}

Deno.test("long runs: --detach-after answers calls that name nothing, and the code runs on", async () => {
  await using server = await startServer(["--detach-after", "0.2"]);
  const { status, structured } = await server.call(UNTIL_TOLD);
  assertEquals(status, "running");
  const run = String(structured.run);
  const ended = await getRun(server, { run, cancel: true, wait: 600 });
  assertEquals(ended.status, "cancelled");
  const named = await server.call("7", { wait: 600 });
  assertEquals(named.returnValue, 7);
});

Deno.test("long runs: output that is too long for an answer, or to be shown meanwhile, is told", async () => {
  await using server = await startServer([
    "--long-runs",
    "--return-mode",
    "json",
  ]);
  const run = await begin(
    server,
    `print("x" * 60_000, flush=True)\n${UNTIL_TOLD}`,
  );
  const notes: string[] = [];
  while (!notes.includes("The")) {
    const { text } = await getRun(server, { run, wait: 0.05 });
    const { truncated } = JSON.parse(text);
    notes.push(...`${truncated?.note ?? ""}`.split(" ", 1));
  }
  assert(notes.indexOf("More") < notes.indexOf("The"), `${notes}`);
  await getRun(server, { run, cancel: true, wait: 600 });
});

Deno.test("long runs: with --structured none, the text alone has the handle", async () => {
  await using server = await startServer([
    ...["--long-runs", "--structured", "none"],
  ]);
  const { text, structured } = await server.call(UNTIL_TOLD, { wait: 0 });
  assertEquals(structured, {});
  const [run] = /[\da-f-]{36}/.exec(text) ?? [];
  const ended = await getRun(server, { run, cancel: true, wait: 600 });
  assertMatch(ended.text, /cancelled/);
});

Deno.test("long runs: without the options there is no argument and no tool of them", async () => {
  await using server = await startServer();
  const { tools } = await server.client.listTools();
  assert(!JSON.stringify(tools).includes("get_run"));
  const { text } = await server.call("1", { wait: 1 });
  assertMatch(text, /wait/);
});

Deno.test("long runs: wrong arguments and unknown handles are told, with the remedy", async () => {
  await using server = await startServer(["--long-runs"]);
  for (const wait of [-1, 1e9, "NaN", null]) {
    const { status, error } = await server.call("1", { wait });
    assertEquals(status, "invalid-arguments");
    assertMatch(error ?? "", /wait is .*must be from 0 to 3600 seconds/);
    const { isError, text } = await getRun(server, { run: "x", wait });
    assertEquals(isError, true);
    assertMatch(text, /must be from 0 to 3600 seconds/);
  }
  for (const run of ["", "x".repeat(201), "../x", crypto.randomUUID()]) {
    const { isError, text } = await getRun(server, { run });
    assertEquals(isError, true);
    assertMatch(text, /run is empty|200|Cannot find the run ".*again/s);
  }
});

Deno.test("long runs: a result is dropped after --keep-results, and is told as unknown", async () => {
  await using server = await startServer([
    ...["--long-runs", "--keep-results", "0.05"],
  ]);
  const run = await begin(server, "1");
  while (true) {
    const { text, isError } = await getRun(server, { run, wait: 0 });
    if (!isError) continue;
    assertMatch(text, /Cannot find the run .*--keep-results/);
    return;
  }
});

Deno.test("long runs: a handle is for its caller alone, and a client that leaves ends nothing", async () => {
  await using server = await startHttp(["--long-runs"], {
    env: { MCP_RUN_PYTHON_TOKEN: `${ADA},${EVE}` },
  });
  const token = { token: ADA };
  const run = await (async () => {
    await using first = await server.connect("2026-07-28", token);
    return await begin(first, UNTIL_TOLD);
  })();
  await using other = await server.connect("2025-11-25", { token: EVE });
  const refused = await getRun(other, { run, cancel: true, wait: 0 });
  assertMatch(refused.text, /Cannot find the run/);
  await using second = await server.connect("2025-11-25", token);
  const told = await getRun(second, { run, wait: 0 });
  assertEquals(told.status, "running");
  const giveUp = new AbortController();
  const waiting = second.client.callTool(
    { name: "get_run", arguments: { run, wait: 600 } },
    { signal: giveUp.signal },
  );
  giveUp.abort();
  await waiting.catch(() => {});
  const ended = await getRun(second, { run, cancel: true, wait: 600 });
  assertEquals(ended.status, "cancelled");
});

Deno.test("long runs: a request of an MCP session whose client is gone is answered, and waits no longer", async () => {
  await using server = await startHttp([
    "--long-runs",
    "--shutdown-wait",
    "0.1",
  ]);
  const opened = await server.fetch(INITIALIZE);
  await opened.text();
  const headers = {
    ...HEADERS,
    "mcp-protocol-version": "2025-11-25",
    "mcp-session-id": opened.headers.get("mcp-session-id") ?? "",
  };
  const call = (name: string, args: object, signal?: AbortSignal) =>
    server.fetch({
      ...{ method: "POST", headers, ...signal ? { signal } : {} },
      body: JSON.stringify({
        ...{ jsonrpc: "2.0", id: crypto.randomUUID(), method: "tools/call" },
        params: { name, arguments: args },
      }),
    });
  const code = { "python_code": UNTIL_TOLD, wait: 0, timeout: 600 };
  const begun = await call("run_python_code", code);
  const [, run] = /"run":"([^"]+)"/.exec(await begun.text()) ?? [];
  const gone = new AbortController();
  const { body } = await call("get_run", { run, wait: 3600 }, gone.signal);
  assert(body);
  let start = "";
  for await (const part of body.pipeThrough(new TextDecoderStream())) {
    start += part;
    if (/^id: .+\n/m.test(start)) break;
  }
  gone.abort();
  const [, id = ""] = /^id: (.+)$/m.exec(start) ?? [];
  const resume = () =>
    server.fetch({ headers: { ...headers, "last-event-id": id } });
  let again = await resume();
  // Until the server has heard that the client is gone.
  while (again.status === 409) {
    await again.text();
    again = await resume();
  }
  const cancelled = await call("get_run", { run, cancel: true });
  assertMatch(await cancelled.text(), /"status":"cancelled"/);
  let told = "";
  for await (
    const part of again.body?.pipeThrough(new TextDecoderStream()) ?? []
  ) {
    told += part;
    if (told.includes("result")) break;
  }
  assertMatch(told, /"status":"running"/);
});

Deno.test("long runs: over stdio a run ends with its server, which its client ends", async () => {
  const server = await startServer(
    ["--long-runs"],
    ...["2025-11-25", undefined, "stdio"] as const,
  );
  await begin(server, UNTIL_TOLD);
  const pids = [server.pid, ...descendants(server.pid)];
  await server[Symbol.asyncDispose]();
  assertEquals(await whichOutlive(pids), []);
});

Deno.test("long runs: a server of HTTP that is told to end waits for them, and then cancels them", async () => {
  await using folder = await tempFolder();
  const logFile = join(folder.path, "log");
  await using server = await startHttp([
    ...["--long-runs", "--shutdown-wait", "0.5", "--log-file", logFile],
  ]);
  {
    await using client = await server.connect();
    await begin(client, UNTIL_TOLD);
  }
  Deno.kill(server.pid, "SIGTERM");
  assertEquals((await server.ended).code, 0);
  assertMatch(await Deno.readTextFile(logFile), /run .*cancelled/);
});
