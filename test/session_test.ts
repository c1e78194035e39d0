/**
 * Sessions in real sandbox processes: the state that their runs share, and the
 * walls between their runs.
 *
 * @module
 */
import { ENGINE } from "../src/engines/index.ts";
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { startInterpreter } from "../src/engines/pyodide/host.ts";
import type { RunFile } from "../src/protocol/run_files.ts";
import type { RunMessage } from "../src/protocol/run_messages.ts";
import { LocalPool } from "../src/server/pool/local_pool.ts";
import type { RunOptions, Session } from "../src/server/pool/pool.ts";
import { type BareSandbox, startBareSandbox } from "./support/bare_process.ts";
import { readFiles, runCode } from "./support/interpreter.ts";
import { connect } from "./support/pool_process.ts";
import { REQUEST, SETUP } from "./support/request.ts";

/** A pool of one sandbox process, and a session in it. */
async function openSession(): Promise<OpenSession> {
  const bare = await startBareSandbox();
  const pool = new LocalPool(() => connect(Promise.resolve(bare)), {
    // It starts one process, and no other beside the session's.
    ...{ ready: 0, running: 1, waiting: 9 },
  }, { engine: ENGINE.profile, setup: SETUP });
  const { session, refused } = await pool.open();
  assert(session, JSON.stringify(refused));
  const run = (code: string, options?: RunOptions, timeoutMs = 60_000) =>
    session.run({ ...REQUEST, code, timeoutMs }, options);
  return {
    ...{ bare, pool, session, run },
    async [Symbol.asyncDispose]() {
      await session.close();
      pool.close();
      await bare[Symbol.asyncDispose]();
    },
  };
}

interface OpenSession extends AsyncDisposable {
  bare: BareSandbox;
  pool: LocalPool;
  session: Session;
  run(
    code: string,
    options?: RunOptions,
    timeoutMs?: number,
  ): ReturnType<LocalPool["run"]>;
}

Deno.test("a session keeps variables, imports and files from run to run", async () => {
  await using session = await openSession();
  const files: RunFile[] = [];
  const first = await session.run(
    `
import json
def double(number): return 2 * number
open("/workspace/a", "w").write("one")
open("/workspace/b", "w").write("two")
x = 21`,
    { files },
  );
  assertEquals(first.written?.map(({ path }) => path), ["a", "b"]);
  const second = await session.run(
    `
import os
open("/workspace/b", "a").write("!")
os.remove("/workspace/a")
print(json.dumps(double(x)), open("/workspace/b").read())`,
    { files },
  );
  assertEquals(second.output, ["42 two!"]);
  assertEquals(second.written?.map(({ path }) => path), ["b"]);
  assertEquals(second.removed, ["a"]);
  const third = await session.run("x", { files });
  assertEquals(third, { status: "success", returnValue: 21, output: [] });
});

Deno.test("a session goes on after code that raises, times out or is cancelled", async () => {
  await using session = await openSession();
  await session.run("x = [1]");
  assertEquals((await session.run("x.append(2); 1 / 0")).status, "run-error");
  assertEquals(
    (await session.run("x.append(3)\nwhile True: pass", {}, 200)).status,
    "timeout",
  );
  assertEquals(
    (await session.run("import time; x.append(4); time.sleep(99)", {}, 200))
      .status,
    "timeout",
  );
  const cancel = new AbortController();
  const cancelled = await session.run("print('here')\nwhile True: pass", {
    signal: cancel.signal,
    onOutput: () => cancel.abort(),
  });
  assertEquals(cancelled.status, "cancelled");
  const { status, ...rest } = await session.run("x");
  assertEquals([status, rest], [
    "success",
    { returnValue: [1, 2, 3, 4], output: [] },
  ]);
});

Deno.test("a session has the same bounds in each run", async () => {
  await using session = await openSession();
  const code = `
class Picture:
    def _repr_svg_(self): return "<svg/>"
for _ in range(3): display(Picture())
print("o" * 900)`;
  for (let round = 0; round < 2; round++) {
    const { status, images, output } = await session.run(code);
    assertEquals([status, images?.length], ["success", 2]);
    assertMatch(output.join(""), /o{900}/);
  }
});

Deno.test("a closed session's process ends, and serves no other run", async () => {
  await using session = await openSession();
  await session.run("x = 1");
  await session.session.close();
  await session.bare.ended();
  assertEquals((await session.run("x")).status, "cancelled");
});

Deno.test("a session that was killed says that its state is lost", async () => {
  await using session = await openSession();
  await session.run("x = 1");
  Deno.kill(session.bare.pid, "SIGKILL");
  await session.bare.ended();
  assertMatch(
    JSON.stringify(await session.run("x")),
    /(crashed|session-lost).*(interpreter of this session has ended|process ended)/,
  );
});

Deno.test("an interrupt that comes too late hits no other run of the interpreter", async () => {
  const interpreter = await startInterpreter(await readFiles());
  try {
    const first = `
import asyncio
x, waiting = 6, asyncio.ensure_future(asyncio.sleep(1000))`;
    assertEquals((await runCode(interpreter, first)).status, "success");
    interpreter.interrupt();
    const second = `
await asyncio.sleep(0.01)
[sum(1 for _ in range(100_000)), x * 7, waiting.done()]`;
    assertEquals(await runCode(interpreter, second), {
      ...{ status: "success", value: "[100000,42,false]" },
    });
  } finally {
    await interpreter.end();
  }
});

Deno.test("a call that its run has left open is refused in the next run", async () => {
  const interpreter = await startInterpreter(await readFiles());
  const run = async (code: string) => {
    const heard: RunMessage["type"][] = [];
    const request = { ...REQUEST, code };
    const ending = await interpreter.run({ request }, (message) => {
      heard.push(message.type);
      return Promise.resolve();
    });
    return { ending, heard };
  };
  try {
    const asked = await run(`
import asyncio
from mcp_runner import host_calls
waiting = asyncio.ensure_future(host_calls.call("wait", 1))
await asyncio.sleep(0)
None`);
    assertEquals(asked.heard, ["ask"]);
    const { ending } = await run(`
try: await waiting
except RuntimeError as error: print(said := str(error))
said`);
    const value = '"The run that called the host is over."';
    assertEquals(ending, { status: "success", value });
  } finally {
    await interpreter.end();
  }
});
