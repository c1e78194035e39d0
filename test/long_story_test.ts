/**
 * A run that takes longer than its client waits: the client gives up, comes back, reads
 * what was printed, and has the result with its picture and file.
 *
 * @module
 */
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import {
  resultFromTaskOutcome,
  type TaskEnabledSession,
} from "../deps/ext_tasks_client.ts";
import {
  type Client,
  StreamableHTTPClientTransport,
} from "../deps/mcp_client.ts";
import type { CallToolResult } from "../deps/mcp_server.ts";
import { fields } from "../src/protocol/fields.ts";
import {
  connectBy,
  type Era,
  ERAS,
  type TestClient,
  toCalled,
} from "./support/client.ts";
import { startHttp } from "./support/http_server.ts";
import { ALL_ROUNDS } from "./support/rounds.ts";
import { startServer } from "./support/server.ts";
import { beginTask, openTasks } from "./support/task_client.ts";

/** Seconds of the run, and the time after which its client gives a call up. */
const { runs, patience } = ALL_ROUNDS
  ? { runs: 120, patience: 5 }
  : { runs: 5, patience: 2 };

const LINES = Array.from({ length: runs }, (_, at) => `second ${at}`);
const CODE = `import time
for second in range(${runs}):
    print("second", second, flush=True)
    time.sleep(1)

class Plot:
    def _repr_png_(self):
        import base64
        return base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==")

display(Plot())
with open("report.txt", "w") as file:
    file.write("whole")
{"rows": 3}`;

/** A call becomes a task before it has ended. */
const SOON = "+taskAfterSeconds=0.5";

type Call = (
  args: Record<string, unknown>,
) => Promise<Awaited<ReturnType<TestClient["client"]["callTool"]>>>;

/** Calls as a client with a time-out does: until an answer comes in time. */
function hasty({ client }: TestClient, name: string): Call {
  return async (args) => {
    while (true) {
      try {
        return await client.callTool({ name, arguments: args }, {
          timeout: patience * 1000,
        });
      } catch (error) {
        assertMatch(String(error), /timed out/i);
      }
    }
  };
}

async function begin(client: TestClient): Promise<string> {
  const begun = await hasty(client, "run_python_code")({
    ...{ "python_code": CODE, wait: 0, timeout: 600 },
  });
  const { status, run } = fields(begun.structuredContent);
  assertEquals(status, "running");
  return String(run);
}

/** A way of a client to follow a run that goes on. */
interface Way {
  begin(client: TestClient, era: Era): Promise<string>;
  /** Reads until the run has ended. */
  finish(client: TestClient, run: string, era: Era): Promise<void>;
}

const WAYS: Record<string, Way> = {
  "get_run": { begin, finish },
  "tasks of MCP": {
    begin: ({ client }, era) => beginTask(tasksOf(client, era), CODE),
    finish: finishTask,
  },
};

/** One for a client; its end would cancel tasks. */
const sessions = new WeakMap<Client, TaskEnabledSession>();

function tasksOf(client: Client, era: Era): TaskEnabledSession {
  const session = sessions.get(client) ?? openTasks(client, era);
  sessions.set(client, session);
  return session;
}

async function finishTask(
  { client }: TestClient,
  run: string,
  era: Era,
): Promise<void> {
  const task = tasksOf(client, era).task(run as never);
  // What was printed last is its status.
  while (!/second/.test((await task.snapshot()).statusMessage ?? ""));
  while ((await task.snapshot()).status === "working") {
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const result = resultFromTaskOutcome(await task.result());
  await check(client, result as CallToolResult);
}

/** The result has all: output, value, picture and file. */
async function check(client: Client, result: CallToolResult): Promise<void> {
  const { status, output, returnValue, structured } = toCalled(result);
  assertEquals([status, returnValue], ["success", { rows: 3 }]);
  assertEquals(output, LINES);
  assert(result.content.some(({ type }) => type === "image"));
  const [file] = Array.isArray(structured.files) ? structured.files : [];
  const { contents: [read] } = await client.readResource({
    uri: String(fields(file).uri),
  });
  assertEquals(fields(read).text, "whole");
}

/** A line comes once, in its place. */
async function finish(client: TestClient, run: string): Promise<void> {
  const getRun = hasty(client, "get_run");
  const lines: string[] = [];
  while (true) {
    const result = await getRun({ run, wait: patience / 2 });
    const { status, output } = toCalled(result);
    if (status === "running") {
      lines.push(...output);
      continue;
    }
    // The client may have lost an answer: the result has all.
    assertEquals(lines, LINES.filter((line) => lines.includes(line)));
    return await check(client.client, result);
  }
}

const EACH = ERAS.flatMap((era) =>
  Object.entries(WAYS).map(([way, steps]) => ({ era, way, ...steps }))
);

for (const { era, way, begin, finish } of EACH) {
  Deno.test(`story: a long run over HTTP, whose client loses its connection, and comes back (${way}, ${era})`, async () => {
    const token = crypto.randomUUID();
    await using server = await startHttp(["--long-runs", SOON], {
      env: { MCP_RUN_PYTHON_TOKEN: `ada:${token}` },
    });
    const first = await connect(server.url, token, era);
    const run = await begin(first.client, era);
    // No goodbye: its requests just end.
    const waiting = first.client.client.callTool({
      ...{ name: "get_run", arguments: { run, wait: 600 } },
    }).catch(() => {});
    first.left.abort();
    await waiting;
    const { client } = await connect(server.url, token, era);
    await using _ = client;
    await finish(client, run, era);
  });

  Deno.test(`story: a long run over stdio, whose client gives calls up (${way}, ${era})`, async () => {
    await using client = await startServer(
      ["--long-runs", SOON],
      ...[era, undefined, "stdio"] as const,
    );
    await finish(client, await begin(client, era), era);
  });
}

/** A client whose connection the test can cut. */
async function connect(url: URL, token: string, era: Era) {
  const left = new AbortController();
  const transport = new StreamableHTTPClientTransport(url, {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
    fetch: (url, init) => {
      const signals = [left.signal, ...init?.signal ? [init.signal] : []];
      return fetch(url, { ...init, signal: AbortSignal.any(signals) });
    },
  });
  return { client: await connectBy(transport, era), left };
}
