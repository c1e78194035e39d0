/**
 * Runs of the TypeScript library that go on after their call: real processes, real
 * Python.
 *
 * @module
 */
import {
  assert,
  assertEquals,
  assertMatch,
  assertRejects,
} from "../deps/assert.ts";
import { createSandbox, type Run, SandboxError } from "../src/mod.ts";
import { CACHE } from "./support/command.ts";
import { share } from "./support/share.ts";

const ENDLESS = "print('on', flush=True)\nwhile True: pass";
const STEPS = `print("one")
open("/workspace/out.txt", "w").write("kept")
for step in range(3): print("step", step, flush=True)
print("rest", end="")
6 * 7`;

const create = () => createSandbox({ cacheDir: CACHE });
const shared = share(create);

async function linesOf(run: Run): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of run.output()) lines.push(line);
  return lines;
}

Deno.test("run({ wait }): a run that ends in time comes as it has ended, and gives result and output again and again", async () => {
  const sandbox = await shared();
  const run = await sandbox.run(STEPS, { wait: 600 });
  assertEquals(run.status, "success");
  const { value, output, files } = await run.result();
  assertEquals([value, output], [42, "one\nstep 0\nstep 1\nstep 2\nrest"]);
  assertEquals(Object.keys(files), ["out.txt"]);
  assertEquals(await linesOf(run), output.split("\n"));
  assertEquals(await linesOf(run), output.split("\n"));
  assertEquals((await run.result()).value, 42);
  const failed = await sandbox.run("1 / 0", { wait: 600 });
  assertEquals(failed.status, "run-error");
  assertEquals((await failed.result()).error?.type, "ZeroDivisionError");
});

Deno.test("run({ wait: 0 }): a run goes on after its call, is read while it prints, and is cancelled", async () => {
  await using session = (await shared()).session();
  const told: string[] = [];
  const run = await session.run(`x = 1\n${ENDLESS}`, {
    wait: 0,
    onOutput: (_, text) => void told.push(text),
  });
  assertEquals(run.status, "running");
  const seen: string[] = [];
  for await (const line of run.output()) {
    seen.push(line);
    // The loop ends with the run.
    void run.cancel();
  }
  assertEquals([run.status, ...seen], ["cancelled", "on"]);
  assertEquals(told, ["on\n"]);
  assertEquals((await run.result()).status, "cancelled");
  await run.cancel();
  await run.cancel();
  assertEquals(run.status, "cancelled");
  assertEquals((await session.run("x")).value, 1);
  const done = await session.run("x", { wait: 600 });
  await done.cancel();
  assertEquals([done.status, (await done.result()).value], ["success", 1]);
});

Deno.test("run({ wait }): a callback may cancel its run and wait for that, and a signal ends the run later, too", async () => {
  const sandbox = await shared();
  const started = Promise.withResolvers<Run>();
  const heard = Promise.withResolvers<string>();
  const run = await sandbox.run(ENDLESS, {
    wait: 0,
    async onOutput() {
      const own = await started.promise;
      await own.cancel();
      heard.resolve(own.status);
    },
  });
  started.resolve(run);
  assertEquals(await heard.promise, "cancelled");
  const stop = new AbortController();
  const stopped = await sandbox.run(ENDLESS, { wait: 0, signal: stop.signal });
  await stopped.output().next();
  stop.abort();
  assertEquals((await stopped.result()).status, "cancelled");
});

Deno.test("run({ wait }): a failure in time is thrown at once, and a later one by result() alone", async () => {
  const sandbox = await shared();
  await assertRejects(
    sandbox.run("1", { wait: 600, timeoutSeconds: 9999 }),
    /RangeError: .*at most 600/,
  );
  const breaks = await sandbox.run("print('more', flush=True)", {
    wait: 0,
    onOutput: () => Promise.reject(new TypeError("the reader broke")),
  });
  assertEquals(await linesOf(breaks), ["more"]);
  assertEquals(breaks.status, "failed");
  await assertRejects(breaks.result(), /TypeError: the reader broke/);
  await breaks.cancel();
  await assertRejects(breaks.result(), /TypeError: the reader broke/);
  assertEquals((await sandbox.run("1")).value, 1);
});

Deno.test("run({ wait }) refuses what is not a time to wait, and starts nothing then", async () => {
  const sandbox = await shared();
  for (const wait of [-1, -1e-9, NaN, Infinity, -Infinity, 86_401, 1e300]) {
    const error = await sandbox.run("1", { wait }).catch((error) => error);
    assert(error instanceof RangeError, `${wait}`);
    assertEquals(
      error.message,
      `wait must be from 0 to 86400 seconds, and not ${wait}: 0 does not wait for the end of the run, and without wait all of it is awaited.`,
    );
  }
  for (const wait of ["2", null, true, {}, [1], Symbol("2"), 2n]) {
    const options = { wait: JSON.parse("2") };
    const given = Object.assign(options, { wait });
    const error = await sandbox.run("1", given).catch((error) => error);
    assert(error instanceof TypeError, String(wait));
    assertMatch(error.message, /^wait must be a number of seconds, and not /);
  }
  const misspelt: Record<string, unknown> = { wiat: 1 };
  await assertRejects(sandbox.run("1", misspelt), /It has .*onOutput, wait\./);
});

Deno.test("run({ wait }): what it holds of its output is bounded", async () => {
  const sandbox = await shared();
  const code = "for _ in range(100_000): print('x' * 99)";
  const run = await sandbox.run(code, { wait: 600 });
  const lines = await linesOf(run);
  const length = lines.reduce((sum, line) => sum + line.length + 1, 0);
  assert(length > 90_000 && length < 110_000, `${length}`);
  assert(lines.some((line) => /left out/.test(line)));
});

Deno.test("run({ wait }): a session or a sandbox that is closed ends its runs, and what has ended stays", async () => {
  const other = await create();
  // No other sandbox shares its process.
  const kept = await createSandbox({ cacheDir: CACHE, timeoutSeconds: 59 });
  const finished = await other.run(STEPS, { wait: 600 });
  const cancelled = await other.run(ENDLESS, { wait: 0 });
  await cancelled.output().next();
  const session = other.session();
  const inSession = await session.run(ENDLESS, { wait: 0 });
  await inSession.output().next();
  await session.close();
  assertEquals((await inSession.result()).status, "cancelled");
  assertEquals(cancelled.status, "running");
  await other.close();
  assertEquals((await cancelled.result()).status, "cancelled");
  assertEquals([(await finished.result()).value, finished.status], [
    ...[42, "success"],
  ]);
  const cutOff = await kept.run(ENDLESS, { wait: 0 });
  await cutOff.output().next();
  const lines = linesOf(cutOff);
  await kept.close();
  assertEquals([await lines, cutOff.status], [["on"], "failed"]);
  await cutOff.cancel();
  const error = await cutOff.result().catch((error) => error);
  assert(error instanceof SandboxError);
  assertEquals(
    error.message,
    "The sandbox was closed before the run had ended: await its result before that.",
  );
  for (const wait of [0, 1]) {
    await assertRejects(kept.run("1", { wait }), /SandboxError: .*is closed/);
  }
});

Deno.test("run({ wait }): a program ends though a run is under way, and tells no error of it", async () => {
  for (const end of ["await sandbox.close();", "process.exit();"]) {
    const { stdout, stderr, code } = await new Deno.Command(Deno.execPath(), {
      args: [
        "eval",
        "--ext=ts",
        `import process from "node:process";
import { createSandbox } from "${import.meta.resolve("../src/mod.ts")}";
const sandbox = await createSandbox({ cacheDir: ${JSON.stringify(CACHE)} });
const run = await sandbox.run(${JSON.stringify(ENDLESS)}, { wait: 0 });
await run.output().next();
console.log(run.status);
${end}`,
      ],
      env: { NO_COLOR: "1" },
    }).output();
    const told = new TextDecoder().decode(stderr);
    assertEquals([new TextDecoder().decode(stdout), code], ["running\n", 0]);
    assert(!/error/i.test(told), told);
  }
});
