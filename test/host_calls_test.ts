/**
 * What Python calls on its host, through the real processes and the official
 * client: progress in the real server, answers in one with calls of its own.
 *
 * @module
 */
import { fileURLToPath } from "node:url";
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { command } from "./support/command.ts";
import { ERAS, listen, type TestServer, WANTED } from "./support/server.ts";
import { shareServer } from "./support/shared_server.ts";

const ANSWERING = fileURLToPath(
  import.meta.resolve("./support/answering_cli.ts"),
);

function shareAnswering(args: string[] = []): Promise<TestServer> {
  return shareServer(args, "2025-11-25", ANSWERING);
}

const IMPORT = "from mcp_runner.host_calls import call, call_sync\n";

/** Says what each of some expressions raises. */
function raised(...expressions: string[]): string {
  const lambdas = expressions.map((text) => `lambda: ${text}`).join(", ");
  return `said = []
for attempt in [${lambdas}]:
    try:
        said.append(repr(attempt()))
    except Exception as error:
        said.append(f"{type(error).__name__}: {error}")
said`;
}

function texts(value: unknown): string[] {
  assert(Array.isArray(value), JSON.stringify(value));
  return value.map(String);
}

for (const era of ERAS) {
  Deno.test(`progress: it arrives in order, before the result (${era})`, async () => {
    const server = await shareServer([], era);
    const heard = listen(server);
    const result = await server.call(
      `import asyncio, mcp_run_python
notify_progress("first", 1, 4)
await asyncio.sleep(0.6)
mcp_run_python.notify_progress("second")
await asyncio.sleep(0.6)
notify_progress("third", 2.5, 4)
notify_progress("last", 4, 4)
'done'`,
      {},
      WANTED,
    );
    assertEquals(result.returnValue, "done", result.text);
    // On a slow machine one may overtake another.
    const messages = heard.told.map(({ message }) => String(message));
    const order = ["first", "second", "third", "last"];
    assertEquals(messages, order.filter((text) => messages.includes(text)));
    assertEquals(heard.told[0], { progress: 1, total: 4, message: "first" });
    assertEquals(heard.all.at(-1), "result");
    assertEquals(heard.told.at(-1), { progress: 4, total: 4, message: "last" });
    assertEquals(result.output, []);
  });

  Deno.test(`progress: a client that did not ask for it hears nothing (${era})`, async () => {
    const server = await shareServer([], era);
    const heard = listen(server);
    const result = await server.call("notify_progress('anyone?', 1, 2); 1");
    assertEquals([result.returnValue, heard.all], [1, ["result"]]);
  });
}

Deno.test("progress: it grows, whatever the code says", async () => {
  const server = await shareServer();
  const { told } = listen(server);
  const result = await server.call(
    `import time
for phase in ("one", "two"):
    for step in (0, 5, 5, 10):
        notify_progress(phase, step, 10)
        time.sleep(0.3)`,
    {},
    WANTED,
  );
  assertEquals(result.status, "success", result.text);
  for (const [index, { progress }] of told.entries()) {
    const before = told[index - 1]?.progress ?? -1;
    assert(progress > before, `${progress} after ${before}`);
  }
  const { progress, total, message } = told.at(-1) ?? {};
  assertEquals([message, progress], ["two", total]);
});

Deno.test("progress: wrong arguments are errors that name the value", async () => {
  const server = await shareServer();
  const { returnValue } = await server.call(raised(
    "notify_progress(1)",
    "notify_progress(None)",
    "notify_progress('m', float('nan'))",
    "notify_progress('m', -1)",
    "notify_progress('m', 1, float('inf'))",
    "notify_progress('m', 10 ** 400)",
    "notify_progress('m', 1, '3')",
    "notify_progress('m', object)",
    "notify_progress('m', 1, 2, 3)",
  ));
  assertEquals(texts(returnValue).slice(0, -1), [
    "TypeError: message must be a string, not 1",
    "TypeError: message must be a string, not None",
    "ValueError: progress must be from 0 to 2**53 - 1, not nan",
    "ValueError: progress must be from 0 to 2**53 - 1, not -1",
    "ValueError: total must be from 0 to 2**53 - 1, not inf",
    `ValueError: progress must be from 0 to 2**53 - 1, not 1${
      "0".repeat(99)
    }...`,
    "TypeError: total must be a number, not '3'",
    "TypeError: progress must be a number, not <class 'object'>",
  ]);
  assertMatch(String(texts(returnValue).at(-1)), /^TypeError: .*positional/);
});

Deno.test("progress: a message is one short line", async () => {
  const server = await shareServer();
  const { told } = listen(server);
  const { status } = await server.call(
    "notify_progress('a\\nb\\x1b[2J' + 'x' * 10_000_000 + '\\ud800', 1)",
    {},
    WANTED,
  );
  assertEquals(status, "success");
  assertEquals(told.length, 1);
  assertMatch(String(told[0]?.message), /^a b \[2Jx{980,1000}\.\.\.$/);
});

Deno.test("progress: a flood is thinned, and its last word arrives", async () => {
  const server = await shareServer();
  const { told } = listen(server);
  const { returnValue } = await server.call(
    `for step in range(100_000):
    notify_progress("flood", step, 100_000)
step`,
    {},
    WANTED,
  );
  assertEquals(returnValue, 99_999);
  assertEquals(told.at(-1)?.progress, 99_999);
  assert(told.length < 1000, `${told.length} were sent`);
});

Deno.test("progress: on the shell it is lines on stderr", async () => {
  const { code, stdout, stderr } = await command([
    "run",
    "-c",
    "print('out'); notify_progress('half', 1, 2)",
  ]);
  assertEquals([code, stdout], [0, "out\n"], stderr);
  assertMatch(stderr, /^1\/2 half$/m);
});

Deno.test("progress: names of the code come before ours", async () => {
  const server = await shareServer();
  const { returnValue } = await server.call("notify_progress", {
    global_variables: { notify_progress: "mine" },
  });
  assertEquals(returnValue, "mine");
});

Deno.test("host calls: code gets answers, waiting or awaiting", async () => {
  const server = await shareAnswering();
  const { returnValue, text } = await server.call(`${IMPORT}
import asyncio
def sync(value):
    return call_sync("echo", value)
async def waits(value):
    return [await call("echo", value), sync(value)]
[
    sync({"a": [1, 2.5, None, True, "\\u00e9\\ud800", {}]}) == {"a": [1, 2.5, None, True, "\\u00e9\\ud800", {}]},
    [sync(number) for number in range(3)],
    await call("echo", "async"),
    await asyncio.gather(*map(waits, range(20))) == [[number, number] for number in range(20)],
    await asyncio.create_task(waits("task")),
]`);
  assertEquals(
    returnValue,
    [true, [0, 1, 2], "async", true, ["task", "task"]],
    text,
  );
});

Deno.test("host calls: what was printed is seen while code waits", async () => {
  const server = await shareAnswering();
  const { status, output } = await server.call(
    `${IMPORT}print("before")\nprint("and more")\ncall_sync("hang", "print")`,
    { timeout: 2 },
  );
  assertEquals([status, output], ["timeout", ["before", "and more"]]);
  const after = await server.call(`${IMPORT}call_sync("abandoned", None)`);
  assertEquals(texts(after.returnValue), ["print"]);
});

Deno.test("host calls: a refusal is an exception that says what would help", async () => {
  const server = await shareAnswering();
  const { returnValue } = await server.call(
    IMPORT + raised(
      "call_sync('none', {})",
      "call_sync('notify_progress', {})",
      "call_sync('secret', {})",
      "call_sync('refuse', {})",
      "call_sync('fail', {})",
      "call_sync('repeat', {'text': 1})",
      "call_sync('repeat', {'text': 'x', 'times': -1})",
      "call_sync('echo', {1, 2})",
      "call_sync('echo', float('nan'))",
    ),
  );
  const [none, notification, ...others] = texts(returnValue);
  assertMatch(
    String(none),
    /^PermissionError: Cannot call "none" on the host: what this server answers is echo, /,
  );
  assertMatch(String(notification), /^PermissionError: /);
  assertEquals(others.slice(0, -2), [
    "PermissionError: Reading secrets is not granted: allow it with --allow-secret.",
    "RuntimeError: There is nothing to be had.",
    "RuntimeError: fail failed on the host.",
    "TypeError: text must be a string",
    "ValueError: times is -1",
  ]);
  assertMatch(String(others.at(-2)), /^TypeError: .*set.* not JSON/);
  assertMatch(String(others.at(-1)), /^ValueError: .*JSON/);
});

Deno.test("host calls: a traceback has no frames of ours", async () => {
  const server = await shareAnswering();
  for (const expression of ["call_sync('x', 1)", "await call('x', 1)"]) {
    const { error } = await server.call(IMPORT + expression);
    assertMatch(
      String(error),
      /^Traceback .*\n {2}File "main\.py", line 2, in <module>\n.*\n( +[~^]+\n)?PermissionError: Cannot call "x"[^\n]*$/,
    );
  }
  const { error } = await server.call("notify_progress(1)");
  assertMatch(
    String(error),
    /^Traceback .*\n {2}File "main\.py", line 1, in <module>\n.*\n( +[~^]+\n)?TypeError: [^\n]*$/,
  );
});

Deno.test("host calls: a run has so many, and the next one as many again", async () => {
  const server = await shareAnswering(["+maxHostCalls=3"]);
  const code = `${IMPORT}import asyncio
async def attempt(number):
    try:
        return await call("echo", number)
    except RuntimeError as error:
        return str(error)
await asyncio.gather(*map(attempt, range(100)))`;
  for (const _round of [1, 2]) {
    const said = texts((await server.call(code)).returnValue);
    assertEquals(said.slice(0, 3), ["0", "1", "2"]);
    assertEquals([...new Set(said.slice(3))], [
      "Cannot call the host again as this run has done so 3 times, which is all it may. Make fewer calls.",
    ]);
  }
});

Deno.test("host calls: arguments and answers have a size, and progress is not a call", async () => {
  const server = await shareAnswering([
    ...["+maxHostCallSize=2000", "+maxHostCalls=5"],
  ]);
  const { returnValue } = await server.call(
    "for step in range(50): notify_progress('x', step)\n" + IMPORT + raised(
      "len(call_sync('echo', 'x' * 1900))",
      "call_sync('echo', 'x' * 2000)",
      "call_sync('x' * 10_000_000, {})",
      "call_sync('repeat', {'text': 'x', 'times': 2000})",
      "len(call_sync('repeat', {'text': 'x', 'times': 1900}))",
    ),
  );
  assertEquals(texts(returnValue), [
    "1900",
    "ValueError: Cannot call the host with 2006 characters of JSON as it may be 2000. Send less.",
    "ValueError: Cannot call the host with 10000002 characters of JSON as it may be 2000. Send less.",
    "ValueError: The answer of repeat has 2012 characters of JSON, and may have 2000. Ask for less.",
    "1900",
  ]);
});

Deno.test("host calls: a late answer is a TimeoutError, and the run goes on", async () => {
  const server = await shareAnswering(["--call-timeout", "0.3"]);
  const { returnValue } = await server.call(
    IMPORT + raised(
      "call_sync('hang', 'late')",
      "call_sync('echo', 'on time')",
      "call_sync('abandoned', None)",
    ),
  );
  assertEquals(texts(returnValue), [
    "TimeoutError: hang was not answered within 0.3 s. Allow more with --call-timeout.",
    "'on time'",
    "['late']",
  ]);
});

const WAITING = {
  "that waits": "call_sync('hang', 'me')",
  "that awaits": "await call('hang', 'me')",
  "of a task that waits": `import asyncio
async def waits():
    return call_sync('hang', 'me')
await asyncio.gather(waits(), waits())`,
  "that hides what it gets": `try:
    call_sync('hang', 'me')
except Exception:
    pass`,
};

for (const [name, code] of Object.entries(WAITING)) {
  Deno.test(`host calls: code ${name} is interrupted at its time limit`, async () => {
    const server = await shareAnswering();
    const { status, error } = await server.call(
      `${IMPORT}print("starts")\n${code}`,
      { timeout: 2 },
    );
    assertEquals(status, "timeout");
    assert(!error?.includes("did not react"), error);
    const after = await server.call(`${IMPORT}call_sync('abandoned', None)`);
    assertEquals([...new Set(texts(after.returnValue))], ["me"]);
  });
}

Deno.test("host calls: a call that is cancelled ends what its code waits for", async () => {
  const server = await shareAnswering();
  const cancel = new AbortController();
  const call = server.call(
    // In order: the host has the call before it hears of progress.
    `${IMPORT}import asyncio
asyncio.ensure_future(call("hang", "cancelled"))
await asyncio.sleep(0)
notify_progress("waits")
call_sync("hang", "cancelled")`,
    {},
    { signal: cancel.signal, onprogress: () => cancel.abort() },
  ).catch((error) => `${error}`);
  assertMatch(String(await call), /abort/i);
  const after = await server.call(`${IMPORT}call_sync("abandoned", None)`);
  assertEquals([...new Set(texts(after.returnValue))], ["cancelled"]);
});

Deno.test("host calls: calls that a run leaves open are abandoned, and answer no later call", async () => {
  const server = await shareAnswering();
  for (const _round of [1, 2, 3]) {
    const left = await server.call(`${IMPORT}import asyncio
for number in range(5):
    asyncio.ensure_future(call("hang", "left"))
asyncio.get_running_loop().call_later(0.05, lambda: asyncio.ensure_future(call("echo", "late")))
await asyncio.sleep(0)
'ended'`);
    assertEquals(left.returnValue, "ended", left.text);
    const next = await server.call(
      `${IMPORT}[call_sync("echo", number) for number in range(10)]`,
    );
    assertEquals(next.returnValue, [...Array(10).keys()], next.text);
  }
  const after = await server.call(`${IMPORT}call_sync("abandoned", None)`);
  assertEquals(texts(after.returnValue), Array(15).fill("left"));
});

Deno.test("host calls: a flood of them costs its own run alone", async () => {
  const server = await shareAnswering(["+maxHostCalls=10"]);
  const flood = server.call(`${IMPORT}
from mcp_runner import host_calls
for number in range(20_000):
    host_calls._ask("echo", "1")
    host_calls._notify("echo", "}{")
    host_calls._notify(f"name {number}", "1")
    host_calls._notify("notify_progress", '{"message": 1, "progress": "x", "__proto__": {}}')
'through'`);
  const [flooded, ...others] = await Promise.all([
    flood,
    ...[1, 2, 3].map((number) => server.call(`${number}`)),
  ]);
  assertEquals(flooded?.returnValue, "through", flooded?.text);
  assertEquals(others.map(({ returnValue }) => returnValue), [1, 2, 3]);
});
