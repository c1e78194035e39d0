/**
 * What a run prints, as it comes: log messages and progress to the official
 * client in both eras, and the shell's own streams.
 *
 * @module
 */
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { CACHE, CLI, command } from "./support/command.ts";
import {
  type Era,
  ERAS,
  listen,
  startServer,
  type TestServer,
  WANTED,
} from "./support/server.ts";
import { shareServer } from "./support/shared_server.ts";

const PRINTS = `import sys, time
print("first")
print("careful", file=sys.stderr)
time.sleep(0.3)
print("half a ", end="")
sys.stdout.flush()
time.sleep(0.3)
print("line")
print("no end", end="")`;

/** Asks for log messages of a level, as clients of this era do. */
async function wantLogs(
  { client }: TestServer,
  era: Era,
  level: "info" | "warning",
): Promise<Record<string, unknown>> {
  if (era !== "2025-11-25") {
    return { "io.modelcontextprotocol/logLevel": level };
  }
  await client.setLoggingLevel(level);
  return {};
}

/** Calls, and hears what is sent until the result is there. */
async function hear(
  { client }: TestServer,
  code: string,
  meta: Record<string, unknown>,
  options: { wantsProgress?: boolean } = {},
): Promise<{ logs: unknown[]; messages: string[]; after: number }> {
  const logs: unknown[] = [];
  const messages: string[] = [];
  let after = 0;
  let isOver = false;
  client.setNotificationHandler("notifications/message", ({ params }) => {
    if (isOver) after++;
    logs.push([params.level, params.data]);
  });
  const { transport } = client;
  const onmessage = transport?.onmessage;
  assert(transport && onmessage);
  // The client drops progress that comes in one piece with the result.
  transport.onmessage = (message, extra) => {
    const { method, params } = message as {
      method: string;
      params: Record<string, unknown>;
    };
    if (method === "notifications/progress") messages.push(`${params.message}`);
    onmessage(message, extra);
  };
  await client.callTool(
    {
      name: "run_python_code",
      arguments: { python_code: code },
      _meta: meta,
    },
    options.wantsProgress ? { onprogress() {} } : {},
  );
  transport.onmessage = onmessage;
  isOver = true;
  await client.listTools();
  return { logs, messages, after };
}

for (const era of ERAS) {
  Deno.test(`live output: lines are log messages, to clients that want them (${era})`, async () => {
    // A level that was asked for stays for all calls of its client.
    await using server = await startServer([], era);
    const silent = await hear(server, PRINTS, {});
    assertEquals(silent, { logs: [], messages: [], after: 0 });
    const warnings = await wantLogs(server, era, "warning");
    assertEquals((await hear(server, PRINTS, warnings)).logs, [
      ["warning", "careful"],
    ]);
    const all = await wantLogs(server, era, "info");
    const { logs, after } = await hear(server, PRINTS, all);
    assertEquals(logs, [
      ["info", "first"],
      ["warning", "careful"],
      ["info", "half a line"],
      ["info", "no end"],
    ]);
    assertEquals(after, 0);
  });

  Deno.test(`live output: lines come before the run has ended (${era})`, async () => {
    const server = await shareServer([], era);
    const meta = await wantLogs(server, era, "info");
    const cancel = new AbortController();
    const said = Promise.withResolvers<unknown>();
    server.client.setNotificationHandler(
      "notifications/message",
      ({ params }) => said.resolve(params.data),
    );
    const running = server.client.callTool({
      name: "run_python_code",
      arguments: { python_code: "print('soon')\nwhile True: pass" },
      _meta: meta,
    }, { signal: cancel.signal }).then(() => "ended", () => "cancelled");
    assertEquals(await Promise.race([said.promise, running]), "soon");
    cancel.abort();
    assertEquals(await running, "cancelled");
  });

  Deno.test(`live output: the latest line is the progress (${era})`, async () => {
    const server = await shareServer([], era);
    const { messages } = await hear(server, PRINTS, {}, {
      wantsProgress: true,
    });
    assertEquals(messages[0], "first");
    assertEquals(messages.at(-1), "no end");
    assert(messages.length <= 4, messages.join());
  });
}

Deno.test("live output: the progress that code tells is counted beside printed lines", async () => {
  const server = await shareServer();
  const { told } = listen(server);
  await server.call(
    `import time
for n in range(3):
    print("line", n)
    time.sleep(0.3)
for n in range(3):
    notify_progress("step", n, 2)
    time.sleep(0.3)`,
    {},
    WANTED,
  );
  const steps = told.filter(({ message }) => message === "step");
  // The latest are told: some come in the place of others.
  assertEquals([...new Set(steps.map(({ total }) => total))], [2]);
  assertEquals(Math.floor(steps.at(-1)?.progress ?? 0), 2);
  const numbers = told.map(({ progress }) => progress);
  assert(
    numbers.every((one, at) => one > (numbers[at - 1] ?? -1)),
    `${numbers}`,
  );
});

Deno.test("live output: printed lines do not replace the progress that code tells", async () => {
  const server = await shareServer();
  const { messages } = await hear(
    server,
    `notify_progress("one", 1, 2)
print("chatter")
notify_progress("two", 2, 2)`,
    {},
    { wantsProgress: true },
  );
  assertEquals(messages.includes("chatter"), false, messages.join());
  assertEquals(messages.at(-1), "two");
});

/** Bars of tqdm's kind on stderr, and a count of another's; colours and erasure. */
const DRAWN = `import sys
for n in range(2001):
    print(f"\\r{n:5}/2000 |{'#' * (n // 40):50}|", end="", file=sys.stderr, flush=True)
    if n % 1000 == 0: print("at", n)
print(file=sys.stderr)
for n in range(3):
    print(f"\\x1b[32m{n}\\x1b[0m of 2 and more"[:9 + 9 * (n < 2)], end="\\r", flush=True)
    sys.stdout.write("\\x1b[K")
print("\\b\\b2/\\b of 2 \\x1b[1mdone\\x1b[m")`;
const BAR = ` 2000/2000 |${"#".repeat(50)}|`;
const SEEN = ["at 0", "at 1000", "at 2000", BAR, "2 of 2 done"];

Deno.test("live output: a line that is drawn again comes once, as it is in the end", async () => {
  const server = await shareServer();
  const meta = await wantLogs(server, "2025-11-25", "info");
  const { logs, messages } = await hear(server, DRAWN, meta, {
    wantsProgress: true,
  });
  assertEquals(
    logs,
    SEEN.map((line) => [
      line === BAR ? "warning" : "info",
      line,
    ]),
  );
  assertEquals(messages.at(-1), "2 of 2 done");
  const { output, status } = await server.call(DRAWN);
  assertEquals([status, output], ["success", SEEN]);
  // More than is kept of lines that are not drawn again.
  const { output: last } = await server.call(
    "for n in range(400_001): print(f'\\r{n}', end='')",
  );
  assertEquals(last, ["400000"]);
});

Deno.test("live output: run passes moves of the cursor on, and resolves them in JSON", async () => {
  const plain = await command(["run", "-c", "print('1\\r2')"]);
  assertEquals(plain.stdout, "1\r2\n");
  const json = await command(["run", "--return-mode", "json", "-c", DRAWN]);
  assertEquals(JSON.parse(json.stdout).output, SEEN);
});

Deno.test("live output: a flood of lines costs no more messages than output is kept", async () => {
  const server = await shareServer();
  const meta = await wantLogs(server, "2025-11-25", "info");
  const { logs } = await hear(
    server,
    "for n in range(200_000): print(n)",
    meta,
  );
  // Lines of 5 characters at least, in 100,000 that are kept.
  assert(logs.length < 25_000, `${logs.length}`);
  assertMatch(String(logs.at(-1)), /199999$/);
});

Deno.test("live output: run prints as it comes", async () => {
  const process = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", CLI, "--cache-dir", CACHE, "run", "-c"]
      .concat("print('soon')\nimport time\nwhile True: time.sleep(1)"),
    stdout: "piped",
    stderr: "null",
    stdin: "null",
  }).spawn();
  const reader = process.stdout.pipeThrough(new TextDecoderStream())
    .getReader();
  assertEquals((await reader.read()).value, "soon\n");
  process.kill("SIGKILL");
  await reader.cancel();
  await process.status;
});
