/**
 * A run that is stopped by the one who wanted it.
 *
 * @module
 */
import { assert, assertEquals, assertRejects } from "../deps/assert.ts";
import { CACHE, CLI, command } from "./support/command.ts";
import { ERAS, listen, startServer, VIA } from "./support/server.ts";
import { descendants } from "./support/processes.ts";
import { untilIdle } from "./bench/idle.ts";

/** Each goes on in its own way when it is told to stop. */
const STUBBORN = {
  "a loop": "while True: pass",
  "a loop that catches":
    "while True:\n    try:\n        while True: pass\n    except BaseException: pass",
  "a computation in C": "3 ** (3 ** 20)",
  "a wait": "import asyncio\nawait asyncio.sleep(1000)",
  "a sleep": "import time\ntime.sleep(1000)",
  "a wait that catches":
    "import asyncio\nwhile True:\n    try:\n        await asyncio.sleep(1000)\n    except BaseException: pass",
};

for (const era of ERAS) {
  Deno.test(`cancel: whatever the code does, its sandbox is free for the next (${era})`, async () => {
    await using server = await startServer(["--max-concurrency", "1"], era);
    for (const [name, code] of Object.entries(STUBBORN)) {
      const cancel = new AbortController();
      const heard = listen(server);
      const running = server.call(`notify_progress('on')\n${code}`, {}, {
        signal: cancel.signal,
        onprogress: () => cancel.abort(),
      });
      await assertRejects(() => running);
      assertEquals((await server.call("'next'")).returnValue, "next", name);
      await untilIdle(server.pid);
      // A 2025 client comes back over HTTP for the call's stream, and gets its end.
      if (VIA === "http" && era === "2025-11-25") continue;
      // Of the cancelled call nothing, of the next one its result.
      assertEquals(heard.all.filter((it) => it === "result").length, 1, name);
    }
  });
}

Deno.test("cancel: nothing that is printed while it ends is sent", async () => {
  await using server = await startServer();
  await server.client.setLoggingLevel("debug");
  const { all, told } = listen(server);
  const cancel = new AbortController();
  await assertRejects(() =>
    server.call(
      `import time
notify_progress("on")
try:
    time.sleep(1000)
finally:
    print("cleaned up")
    notify_progress("late")`,
      {},
      { signal: cancel.signal, onprogress: () => cancel.abort() },
    )
  );
  assertEquals((await server.call("1")).returnValue, 1);
  await untilIdle(server.pid);
  assertEquals(told.map(({ message }) => message), ["on"]);
  assertEquals(all.includes("notifications/message"), false);
});

const CLEANS_UP = `try:
    print("on", flush=True)
    while True: pass
finally: print("cleaned up")`;

/** Python executes the loop's callbacks while the code waits. */
const CALLED_BACK = `import asyncio, time
loop = asyncio.get_running_loop()
def spin():
    sum(range(10_000))
    loop.call_later(0.001, spin)
spin()
print("on", flush=True)
time.sleep(1000)`;

Deno.test("cancel: Ctrl-C lets code of the shell clean up, and ends it with 130", async () => {
  const codes = {
    [CLEANS_UP]: "on\ncleaned up\n",
    "print('on', flush=True)\nimport time\ntime.sleep(1000)": "on\n",
    "print('on', flush=True)\n3 ** (3 ** 20)": "on\n",
    [CALLED_BACK]: "on\n",
  };
  for (const [code, expected] of Object.entries(codes)) {
    assertEquals(await interrupt(code, (pid) => [pid]), [expected, 130], code);
  }
});

Deno.test({
  name: "cancel: Ctrl-C in a terminal, which all processes get, is the same",
  ignore: Deno.build.os !== "linux",
  async fn() {
    assertEquals(
      await interrupt(CLEANS_UP, (pid) => [pid, ...descendants(pid)]),
      ["on\ncleaned up\n", 130],
    );
  },
});

Deno.test({
  name:
    "cancel: Ctrl-C, at the second time at once, ends code whose output is not read",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await command(["install"]);
    const code = "while True: print('x' * 1000)";
    const process = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", CLI, "--cache-dir", CACHE, "run", "-c", code],
      ...{ stdin: "null", stdout: "piped", stderr: "null" },
    }).spawn();
    // The run has begun; from here on its output is not read.
    const reader = process.stdout.getReader();
    await reader.read();
    reader.releaseLock();
    const hasEnded = process.status.then(() => true);
    // Two signals that come together are one.
    do process.kill("SIGINT"); while (!await within(200, hasEnded));
    const { code: ended } = await process.status;
    await process.stdout.cancel();
    assertEquals(ended, 130);
  },
});

/** Whether it comes true within this time. */
function within(ms: number, comesTrue: Promise<boolean>): Promise<boolean> {
  const late = new Promise<boolean>((resolve) =>
    setTimeout(() => resolve(false), ms)
  );
  return Promise.race([comesTrue, late]);
}

/** Runs code in the shell until it says "on", and sends Ctrl-C to processes. */
async function interrupt(
  code: string,
  whom: (pid: number) => number[],
): Promise<[string, number]> {
  const process = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", CLI, "--cache-dir", CACHE, "run", "-c", code],
    stdout: "piped",
    stderr: "inherit",
    stdin: "null",
  }).spawn();
  const text = process.stdout.pipeThrough(new TextDecoderStream());
  let all = "";
  for await (const piece of text) {
    if (all === "") {
      assert(piece.startsWith("on"), piece);
      for (const pid of whom(process.pid)) Deno.kill(pid, "SIGINT");
    }
    all += piece;
  }
  return [all, (await process.status).code];
}
