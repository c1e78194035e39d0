/**
 * Tasks of MCP, through the client of the official package, in both eras and over
 * both transports.
 *
 * @module
 */
import {
  assert,
  assertEquals,
  assertMatch,
  assertRejects,
} from "../deps/assert.ts";
import { resultFromTaskOutcome } from "../deps/ext_tasks_client.ts";
import { Queue } from "../src/protocol/channel.ts";
import { fields } from "../src/protocol/fields.ts";
import { Client, StreamableHTTPClientTransport } from "../deps/mcp_client.ts";
import type { CallToolResult } from "../deps/mcp_server.ts";
import { PNG } from "./conformance/fixture_tools.ts";
import { type Era, ERAS, type TestClient, toCalled } from "./support/client.ts";
import {
  type ApprovingHost,
  openApprovingHost,
  type Step,
} from "./support/approving_host.ts";
import { startHttp } from "./support/http_server.ts";
import { startServer, type TestServer, type Via } from "./support/server.ts";
import {
  beginTask,
  openRaw,
  openTasks,
  REQUIRED,
  WITH_TASKS,
} from "./support/task_client.ts";

const VIAS: readonly Via[] = ["stdio", "http"];
const EACH = ERAS.flatMap((era) => VIAS.map((via) => ({ era, via })));

const ADA = "a".repeat(32);
const EVE = "e".repeat(32);
/** Calls of 2026 are tasks soon. */
const SOON = "+taskAfterSeconds=0.01";
/** Code that prints a line, and goes on until it is cancelled. */
const UNTIL_TOLD = "print('on', flush=True)\nimport time\ntime.sleep(600)";
/** Code that takes its time, and shows a picture and a file. */
const MAKING = `
import asyncio
await asyncio.sleep(0.5)
open("made.txt", "w").write("hi")
class Picture:
    def _repr_png_(self):
        return "${PNG}"
Picture()`;

function open(
  args: string[],
  era: Era,
  via: Via = "stdio",
): Promise<TestServer> {
  return startServer([SOON, ...args], era, undefined, via);
}

/** The error of a request that is sent beside the official client. */
async function refusalOf(
  { client }: TestClient,
  method: string,
  params: Record<string, unknown>,
  meta?: Record<string, unknown>,
): Promise<{ code: unknown; message: string; data: unknown }> {
  const answer = await openRaw(client)({
    method,
    params: { ...params, ...meta ? { _meta: meta } : {} },
  });
  assert(answer.kind === "error", JSON.stringify(answer));
  const { code, message, data } = answer.error;
  return { code, message, data };
}

for (const { era, via } of EACH) {
  const name = `tasks (${era}, ${via})`;
  const meta = era === "2026-07-28" ? WITH_TASKS : undefined;

  Deno.test(`${name}: a call becomes a task, and its result has picture and file`, async () => {
    await using server = await open([], era, via);
    await using tasks = openTasks(server.client, era);
    const execution = await tasks.callTool(
      "run_python_code",
      { "python_code": MAKING },
      REQUIRED,
    );
    assertEquals(execution.kind, "task");
    const { outcome, lastTask } = await execution.settle();
    const result = resultFromTaskOutcome(outcome) as CallToolResult;
    assertEquals(toCalled(result).status, "success");
    const kinds = result.content.map(({ type }) => type);
    assertEquals(kinds, ["text", "image"]);
    assertEquals(lastTask?.retentionMs, 3_600_000);
    const [, uri = ""] = /"(run-python:[^"]+made\.txt)"/
      .exec(JSON.stringify(result.structuredContent)) ?? [];
    const { contents: [file] } = await server.client.readResource({ uri });
    assertEquals(fields(file).text, "hi");
  });

  Deno.test(`${name}: it tells its last progress, and ends by cancel, which frees its place`, async () => {
    await using server = await open(["--max-concurrency", "1"], era, via);
    await using tasks = openTasks(server.client, era);
    const task = tasks.task(await beginTask(tasks, UNTIL_TOLD) as never);
    while ((await task.snapshot()).statusMessage !== "on");
    assertEquals((await task.snapshot()).status, "working");
    await task.cancel();
    const cancelled = await task.snapshot();
    assertEquals(cancelled.status, "cancelled");
    assertEquals((await server.call("7")).returnValue, 7);
    assertEquals((await task.snapshot()).status, "cancelled");
    if (era === "2026-07-28") return await task.cancel();
    const { code, message } = await refusalOf(server, "tasks/cancel", {
      taskId: task.taskId,
    });
    assertEquals(code, -32602);
    assertMatch(message, /is cancelled/);
  });

  Deno.test(`${name}: Python that fails is told with its traceback`, async () => {
    await using server = await open([], era, via);
    await using tasks = openTasks(server.client, era);
    const execution = await tasks.callTool("run_python_code", {
      "python_code": "import asyncio\nawait asyncio.sleep(0.5)\n1 / 0",
    }, REQUIRED);
    const { outcome } = await execution.settle();
    const text = outcome.status === "failed"
      ? outcome.error.message
      : JSON.stringify(outcome);
    assertEquals(outcome.status === "failed", era === "2025-11-25");
    assertMatch(text, /ZeroDivisionError/);
  });

  Deno.test(`${name}: ids that are not a task's, and wrong params, are told with the remedy`, async () => {
    await using server = await open([], era, via);
    const update = era === "2026-07-28" ? ["tasks/update"] : ["tasks/result"];
    for (const method of ["tasks/get", "tasks/cancel", ...update]) {
      for (const taskId of ["", "../x", crypto.randomUUID(), "x".repeat(999)]) {
        const { code, message } = await refusalOf(
          ...[server, method, { taskId, inputResponses: {} }, meta] as const,
        );
        assertEquals(code, -32602);
        assertMatch(message, /Cannot find the task ".*Run the code again/);
      }
      for (const taskId of [undefined, 7, null, { id: "x" }]) {
        const { code, message } = await refusalOf(
          ...[server, method, { taskId }, meta] as const,
        );
        assertEquals(code, -32602, method);
        assertMatch(message, /taskId/);
      }
    }
    const others = era === "2026-07-28"
      ? ["tasks/result", "tasks/list"]
      : ["tasks/update"];
    for (const method of others) {
      const { code } = await refusalOf(
        ...[server, method, { taskId: "x", inputResponses: {} }, meta] as const,
      );
      assertEquals(code, -32601);
    }
  });
}

Deno.test("tasks: a client of 2026 that has not declared the extension gets the result, and no task", async () => {
  await using server = await open([], "2026-07-28");
  const { status } = await server.call("import time\ntime.sleep(0.2)");
  assertEquals(status, "success");
  const { [CAPABILITIES]: _, ...meta } = WITH_TASKS;
  for (const extensions of [{}, { [TASKS]: { a: 1 } }]) {
    for (const method of ["tasks/get", "tasks/update", "tasks/cancel"]) {
      const { code, message, data } = await refusalOf(
        ...[server, method, { taskId: "x", inputResponses: {} }] as const,
        { ...meta, [CAPABILITIES]: { extensions } },
      );
      assertEquals(code, -32021, message);
      assertEquals(data, {
        requiredCapabilities: { extensions: { [TASKS]: {} } },
      });
    }
  }
  const { extensions } = server.client.getServerCapabilities() ?? {};
  assertEquals(extensions?.[TASKS], {});
});

const TASKS = "io.modelcontextprotocol/tasks";
const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";

Deno.test("tasks: a wait that a call names wins over a task of 2026", async () => {
  await using server = await open(["--long-runs"], "2026-07-28");
  await using tasks = openTasks(server.client, "2026-07-28");
  const execution = await tasks.callTool("run_python_code", {
    ...{ "python_code": UNTIL_TOLD, wait: 0.1 },
  });
  assertEquals(execution.kind, "immediate");
  const { outcome } = await execution.settle();
  const { structured } = toCalled(resultFromTaskOutcome(outcome) as never);
  assertEquals(structured.status, "running");
  // It is a task of the client all the same.
  await tasks.cancelTask(structured.run as never);
});

Deno.test("tasks: 2025 advertises them by capabilities and tools, and 2026 by the extension", async () => {
  await using server = await open(["--long-runs"], "2025-11-25");
  const { tasks, extensions } = fields(server.client.getServerCapabilities());
  assertEquals(tasks, {
    ...{ list: {}, cancel: {} },
    requests: { tools: { call: {} } },
  });
  assertEquals(fields(extensions)[TASKS], undefined);
  const list = await server.client.listTools();
  const able = list.tools.filter(({ execution }) => execution);
  assertEquals(able.map(({ name, execution }) => ({ name, ...execution })), [
    { name: "run_python_code", taskSupport: "optional" },
  ]);
  for (const name of ["get_run", "unknown"]) {
    const { code, message } = await refusalOf(
      ...[server, "tools/call", { name, arguments: {}, task: {} }] as const,
    );
    assertEquals(code, name === "unknown" ? -32602 : -32601, message);
  }
});

Deno.test("tasks: the time of a result is bounded by --keep-results, and is told", async () => {
  const era = "2025-11-25";
  await using server = await open(["--keep-results", "60"], era);
  const call = openRaw(server.client);
  const params = {
    name: "run_python_code",
    arguments: { "python_code": "1" },
  };
  for (const [ttl, told] of [[31_536_000_000, 60_000], [5000, 5000]]) {
    const answer = await call({
      method: "tools/call",
      params: { ...params, task: { ttl } },
    });
    assert(answer.kind === "result");
    const { task, ...more } = fields(answer.result);
    assertEquals(Object.keys(more), ["_meta"]);
    assertEquals(fields(task).ttl, told);
  }
  for (const ttl of [0, -1, 1.5]) {
    const { code, message } = await refusalOf(
      ...[server, "tools/call", { ...params, task: { ttl } }] as const,
    );
    assertEquals(code, -32602);
    assertMatch(message, /task\.ttl is .*whole number of milliseconds above 0/);
  }
});

/** A client whose user is asked by the test, and runs that call tools. */
async function connect(host: ApprovingHost, era: Era): Promise<Client> {
  const client = new Client({ name: "test", version: "1" }, {
    capabilities: { elicitation: { form: {} } },
    versionNegotiation: {
      mode: era === "2025-11-25" ? "legacy" : { pin: era },
    },
  });
  await client.connect(await host.connect());
  return client;
}

function toArguments(...steps: Step[]) {
  return { code: JSON.stringify(steps), servers: ["files"] };
}

const DELETE = { tool: "delete", args: { path: "/a" } };
const YES = { action: "accept", content: {} } as const;

for (const { era, via } of EACH) {
  const name = `tasks (${era}, ${via})`;

  Deno.test(`${name}: the user of a task's client is asked, each time once`, async () => {
    await using host = await openApprovingHost(via, { taskAfterSeconds: 0 });
    const client = await connect(host, era);
    const asked: (string | undefined)[] = [];
    await using tasks = openTasks(client, era, (_, { taskId }) => {
      asked.push(taskId);
      return Promise.resolve(YES as never);
    });
    const execution = await tasks.callTool(
      ...["run_python", toArguments([DELETE], [DELETE]), REQUIRED] as const,
    );
    assert(execution.kind === "task");
    const { outcome } = await execution.settle();
    const { text } = toCalled(resultFromTaskOutcome(outcome) as CallToolResult);
    assertEquals(JSON.parse(text).returnValue, [["deleted"], ["deleted"]]);
    const id = `${execution.handle.taskId}`;
    assertEquals(asked.map(String), [id, id]);
    await client.close();
  });

  Deno.test(`${name}: a task with a question is input_required, and is cancelled`, async () => {
    await using host = await openApprovingHost(via, { taskAfterSeconds: 0 });
    const client = await connect(host, era);
    await using tasks = openTasks(client, era, () => new Promise(() => {}));
    const execution = await tasks.callTool(
      ...["run_python", toArguments([DELETE]), REQUIRED] as const,
    );
    assert(execution.kind === "task");
    const task = tasks.task(execution.handle.taskId);
    while ((await task.snapshot()).status !== "input_required");
    await execution.cancel();
    assertEquals((await task.snapshot()).status, "cancelled");
    while (host.runs.cancelled === 0) await task.snapshot();
    assertEquals(host.hub.called, []);
    await client.close();
  });
}

Deno.test("tasks: answers to some questions of 2026 leave the others open, and wrong ones are a no", async () => {
  await using host = await openApprovingHost("http", { taskAfterSeconds: 0 });
  const client = await connect(host, "2026-07-28");
  const call = openRaw(client);
  const send = async (method: string, params: Record<string, unknown>) => {
    const answer = await call({
      method,
      params: { ...params, _meta: WITH_TASKS },
    });
    assert(answer.kind === "result", JSON.stringify(answer));
    return fields(answer.result);
  };
  const { taskId, content, resultType } = await send("tools/call", {
    name: "run_python",
    arguments: toArguments([DELETE, DELETE, DELETE]),
  });
  assertEquals([content, resultType], [undefined, "task"]);
  const keys = async (count: number): Promise<string[]> => {
    const { inputRequests } = await send("tasks/get", { taskId });
    const found = Object.keys(fields(inputRequests));
    return found.length === count ? found : await keys(count);
  };
  const [first = "", second = "", third = ""] = await keys(3);
  const answer = (inputResponses: Record<string, unknown>) =>
    send("tasks/update", { taskId, inputResponses });
  assertEquals(Object.keys(await answer({ [first]: YES, other: YES })).sort(), [
    "_meta",
    "resultType",
  ]);
  assertEquals(await keys(2), [second, third]);
  await answer({ [first]: { action: "decline" }, [second]: { yes: true } });
  await answer({ [third]: YES });
  while ((await send("tasks/get", { taskId })).status !== "completed");
  const { result } = await send("tasks/get", { taskId });
  const { text } = toCalled(fields(result) as never);
  const [ends = []] = JSON.parse(text).returnValue as string[][];
  const [refused, ...others] = ends.toSorted();
  assertEquals(others, ["deleted", "deleted"]);
  assertMatch(refused ?? "", /has not approved it/);
  await answer({ [third]: YES });
  await client.close();
});

Deno.test("tasks: a call of 2026 that asks at once asks before it is a task", async () => {
  await using host = await openApprovingHost("http", { taskAfterSeconds: 0.5 });
  const client = await connect(host, "2026-07-28");
  const deliveries: string[] = [];
  await using tasks = openTasks(client, "2026-07-28", (_, { delivery }) => {
    deliveries.push(delivery);
    return Promise.resolve(YES as never);
  });
  const execution = await tasks.callTool(
    ...["run_python", toArguments([DELETE], [{ tool: "hang" }])] as const,
  );
  assertEquals(execution.kind, "task");
  assertEquals(deliveries, ["request-retry"]);
  await execution.cancel();
  while (host.runs.cancelled === 0) {
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await client.close();
});

Deno.test("tasks: 2025 has tasks/result, which asks on its own stream, and news of the status", async () => {
  const era = "2025-11-25";
  await using host = await openApprovingHost("http");
  const client = await connect(host, era);
  const news = new Queue<unknown>();
  client.fallbackNotificationHandler = ({ method, params }) => {
    if (method === "notifications/tasks/status") news.push(params?.status);
    return Promise.resolve();
  };
  const asked = new Queue<unknown>();
  const withdrawn = Promise.withResolvers<unknown>();
  let count = 0;
  client.setRequestHandler(
    "elicitation/create",
    async ({ params }, { mcpReq }) => {
      asked.push(fields(params._meta)[RELATED]);
      // The first question is withdrawn, and put anew.
      if (count++ === 0) mcpReq.signal.onabort = withdrawn.resolve;
      await withdrawn.promise;
      return YES;
    },
  );
  const call = openRaw(client);
  const created = await call({
    method: "tools/call",
    params: { name: "run_python", arguments: toArguments([DELETE]), task: {} },
  });
  assert(created.kind === "result");
  const { taskId } = fields(fields(created.result).task);
  assertEquals(await asked.next(), { taskId });
  const result = call({ method: "tasks/result", params: { taskId } });
  assertEquals(await asked.next(), { taskId });
  const told = await result;
  assert(told.kind === "result");
  const { _meta, content } = fields(told.result);
  assertEquals(fields(_meta)[RELATED], { taskId });
  assertMatch(JSON.stringify(content), /deleted/);
  assertEquals(await news.next(), "input_required");
  assertEquals(await news.next(), "completed");
  assertEquals([host.hub.called.length, count], [1, 2]);
  await client.close();
});

const RELATED = "io.modelcontextprotocol/related-task";

Deno.test("tasks: a client of 2025 that leaves a question answers nothing, and another request asks it", async () => {
  const era = "2025-11-25";
  await using host = await openApprovingHost("http");
  const asked = new Queue<string>();
  const join = async (name: string, answer: () => Promise<object>) => {
    const client = await connect(host, era);
    client.setRequestHandler("elicitation/create", async () => {
      asked.push(name);
      return await answer() as never;
    });
    return { client, call: openRaw(client) };
  };
  const first = await join("first", () => new Promise(() => {}));
  const created = await first.call({
    method: "tools/call",
    params: { name: "run_python", arguments: toArguments([DELETE]), task: {} },
  });
  assert(created.kind === "result");
  const { taskId } = fields(fields(created.result).task);
  assertEquals(await asked.next(), "first");
  const { transport } = first.client;
  assert(transport instanceof StreamableHTTPClientTransport);
  await transport.terminateSession();
  await first.client.close();
  const second = await join("second", () => Promise.resolve(YES));
  const get = { method: "tasks/get", params: { taskId } };
  const seen = await second.call(get);
  assert(seen.kind === "result");
  assertEquals(fields(seen.result).status, "input_required");
  const told = await second.call({ ...get, method: "tasks/result" });
  assert(told.kind === "result");
  assertMatch(JSON.stringify(told.result), /deleted/);
  assertEquals(await asked.next(), "second");
  await second.client.close();
});

for (const era of ERAS) {
  Deno.test(`tasks (${era}): a result is dropped after its time, though no client has asked for it`, async () => {
    await using server = await open(["--keep-results", "0.05"], era);
    await using tasks = openTasks(server.client, era);
    const id = await beginTask(
      tasks,
      "import asyncio\nawait asyncio.sleep(0.2)",
    );
    while (await tasks.task(id as never).snapshot().then(() => true, () => 0));
    await assertRejects(
      () => tasks.task(id as never).snapshot(),
      /--keep-results/,
    );
  });
}

Deno.test("tasks: the list of 2025 has pages, and those of its client alone", async () => {
  const era = "2025-11-25";
  await using server = await startHttp([], {
    env: { MCP_RUN_PYTHON_TOKEN: `${ADA},${EVE}` },
  });
  await using client = await server.connect(era, { token: ADA });
  await using tasks = openTasks(client.client, era);
  const ids: string[] = [];
  for (let count = 0; count < 101; count++) {
    const id = await beginTask(tasks, "1");
    ids.push(id);
    await client.client.request(
      { method: "tasks/result", params: { taskId: id } } as never,
      ANY as never,
    );
  }
  const first = await tasks.listTasks();
  const second = await tasks.listTasks(first.nextCursor);
  assertEquals(first.tasks.length, 100);
  assertEquals(second.nextCursor, undefined);
  const all = [...first.tasks, ...second.tasks];
  assertEquals(all.map(({ taskId }) => `${taskId}`), ids);
  assertEquals(new Set(all.map(({ status }) => status)).size, 1);
  const { code, message } = await refusalOf(client, "tasks/list", {
    cursor: "x",
  });
  assertEquals([code, message.includes("cursor")], [-32602, true]);
  await using other = await server.connect(era, { token: EVE });
  await using others = openTasks(other.client, era);
  assertEquals((await others.listTasks()).tasks, []);
});

/** A schema that lets all through. */
const ANY = {
  "~standard": {
    version: 1,
    vendor: "test",
    validate: (value: unknown) => ({ value }),
  },
};

for (const era of ERAS) {
  Deno.test(`tasks (${era}): a task is for its caller alone, and a client that leaves ends nothing`, async () => {
    await using server = await startHttp([SOON], {
      env: { MCP_RUN_PYTHON_TOKEN: `${ADA},${EVE}` },
    });
    const id = await (async () => {
      await using first = await server.connect(era, { token: ADA });
      await using tasks = openTasks(first.client, era);
      return await beginTask(tasks, UNTIL_TOLD);
    })();
    {
      await using other = await server.connect(era, { token: EVE });
      await using tasks = openTasks(other.client, era);
      const task = tasks.task(id as never);
      for (const act of [() => task.snapshot(), () => task.cancel()]) {
        await assertRejects(act, /Cannot find the task/);
      }
    }
    await using second = await server.connect(era, { token: ADA });
    await using tasks = openTasks(second.client, era);
    const task = tasks.task(id as never);
    assertEquals((await task.snapshot()).status, "working");
    await task.cancel();
    assertEquals((await task.snapshot()).status, "cancelled");
  });
}

Deno.test("tasks: requests of 2025 that wait for a task leave their places to other callers", async () => {
  const era = "2025-11-25";
  await using server = await startHttp([
    "+maxRequests=4",
    "--shutdown-wait",
    "0.1",
  ], {
    env: { MCP_RUN_PYTHON_TOKEN: `${ADA},${EVE}` },
  });
  await using client = await server.connect(era, { token: ADA });
  await using tasks = openTasks(client.client, era);
  const taskId = await beginTask(tasks, UNTIL_TOLD);
  const told = new Queue<string>();
  const ask = () =>
    refusalOf(client, "tasks/result", { taskId })
      .catch(({ message }) => ({ message }))
      .then(({ message }) => told.push(`${message}`));
  for (let count = 0; count < 8; count++) void ask();
  while (!/Cannot take/.test(await told.next()));
  await using other = await server.connect(era, { token: EVE });
  assertEquals((await other.call("1")).returnValue, 1);
  while (!/goes on, so ask again/.test(await told.next()));
});

Deno.test("tasks: progress of a call of 2025 goes on by its token, marked as its task's", async () => {
  await using server = await open([], "2025-11-25");
  const { transport } = server.client;
  assert(transport);
  const heard = new Queue<Record<string, unknown>>();
  const take = transport.onmessage;
  transport.onmessage = (message, ...more) => {
    const { method, params } = fields(message);
    if (method === "notifications/progress") heard.push(fields(params));
    else take?.(message, ...more);
  };
  const created = await openRaw(server.client)({
    method: "tools/call",
    params: {
      ...{ name: "run_python_code", task: {}, _meta: { progressToken: "t" } },
      arguments: { "python_code": UNTIL_TOLD, timeout: 600 },
    },
  });
  assert(created.kind === "result");
  const { taskId } = fields(fields(created.result).task);
  while (true) {
    const { progressToken, message, _meta } = await heard.next();
    assertEquals(progressToken, "t");
    assertEquals(_meta, { [RELATED]: { taskId } });
    if (message === "on") break;
  }
});

Deno.test("tasks: a server without MCP sessions has them, too", async () => {
  for (const era of ERAS) {
    await using server = await startHttp([SOON], {
      command: "streamable-http-stateless",
    });
    await using client = await server.connect(era);
    await using tasks = openTasks(client.client, era);
    const task = tasks.task(await beginTask(tasks, UNTIL_TOLD) as never);
    while ((await task.snapshot()).statusMessage !== "on");
    await task.cancel();
    assertEquals((await task.snapshot()).status, "cancelled");
  }
});

Deno.test("tasks: the id of a task begins with the name of its server", async () => {
  const era = "2026-07-28";
  await using server = await startHttp([SOON, "--server-name", "one"]);
  await using client = await server.connect(era);
  await using tasks = openTasks(client.client, era);
  const id = await beginTask(tasks, UNTIL_TOLD);
  assertMatch(id, /^one\./);
  await tasks.cancelTask(id as never);
});

Deno.test("tasks: a call that finds no place is refused, and tasks that wait keep theirs", async () => {
  const era = "2025-11-25";
  await using server = await startHttp([
    "--max-concurrency",
    "1",
    "+maxQueue=1",
  ]);
  await using client = await server.connect(era);
  await using tasks = openTasks(client.client, era);
  const ids = [
    await beginTask(tasks, UNTIL_TOLD),
    await beginTask(tasks, UNTIL_TOLD),
  ];
  await assertRejects(() => beginTask(tasks, UNTIL_TOLD));
  for (const id of ids) await tasks.cancelTask(id as never);
  while (await beginTask(tasks, "1").then(() => false, () => true));
});

Deno.test({
  name:
    "tasks: a server that is told to end waits for them, and cancels the rest",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using server = await startHttp([
      ...[SOON, "--shutdown-wait", "2", "--max-concurrency", "2"],
      ...["--log-level", "info", "--log-format", "json"],
    ]);
    const { pid } = server;
    {
      const era = "2026-07-28";
      await using client = await server.connect(era);
      await using tasks = openTasks(client.client, era);
      const soon = await beginTask(tasks, `${UNTIL_TOLD.replace("600", "1")}`);
      const late = await beginTask(tasks, UNTIL_TOLD);
      for (const id of [soon, late]) {
        const task = tasks.task(id as never);
        while ((await task.snapshot()).statusMessage !== "on");
      }
    }
    Deno.kill(pid, "SIGTERM");
    const { code, stderr } = await server.ended;
    assertEquals(code, 0);
    const ends = stderr.split("\n").filter((line) => line.includes('"status"'))
      .map((line) => JSON.parse(line).status);
    assertEquals(ends, ["success", "cancelled"], stderr);
  },
});
