/**
 * The pipe by which the libraries reach a launcher of their own: lines of JSON.
 *
 * @module
 */
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { log } from "../src/log.ts";
import { command } from "./support/command.ts";
import { startPipe } from "./support/pipe.ts";
import { descendants, whichOutlive } from "./support/processes.ts";

const NO_PROC = Deno.build.os !== "linux" && "needs /proc to find processes";
if (NO_PROC) log(`skipped: what a pipe leaves: ${NO_PROC}`);

Deno.test("pipe: runs side by side, with globals, output, files, errors and timings", async () => {
  await using program = startPipe([
    ...["--max-concurrency", "2", "--log-level", "info"],
  ]);
  await program.send({
    ...{ type: "file", id: 1, path: "in", size: 2, bytes: "AQI=" },
  });
  await program.send({
    ...{ type: "run", id: 1, globals: { n: 2 } },
    code: "print('said')\nopen('out', 'wb').write(open('in', 'rb').read() * n)",
  });
  await program.send({ type: "run", id: 2, code: "{}['gone']" });
  const ready = await program.until((message) => message.type === "ready");
  assertMatch(ready.python, /^3\.\d+\.\d+$/);
  const first = await program.endOf(1);
  assert(first.type === "result" && first.result.status === "success");
  assertEquals([first.result.returnValue, first.result.output], [4, ["said"]]);
  const written: unknown = program.told.find(({ type }) => type === "file");
  assertEquals(written, {
    ...{ type: "file", id: 1, path: "out", size: 4, bytes: "AQIBAg==" },
  });
  const { wallMs, waitedMs, cpuMs } = first.result.timings ?? {};
  for (const ms of [wallMs, waitedMs, cpuMs]) assert(Number(ms) >= 0);
  const output = { type: "output", id: 1, stream: "stdout", text: "said\n" };
  assertEquals(program.told.filter(({ type }) => type === "output"), [output]);
  const failed = await program.endOf(2);
  assert(failed.type === "result" && failed.result.status === "run-error");
  const { errorType, errorMessage, error, exitCode } = failed.result;
  assertEquals([errorType, errorMessage, exitCode], ["KeyError", "'gone'", 1]);
  assertMatch(error, /^Traceback .*KeyError: 'gone'/s);
});

Deno.test("pipe: a session keeps state, is copied and closed; a run is cancelled and interrupted", async () => {
  await using program = startPipe();
  const run = (id: number, code: string, session?: number) =>
    program.send({ type: "run", id, code, session });
  const valueOf = async (id: number) => {
    const end = await program.endOf(id);
    assert(end.type === "result", JSON.stringify(end));
    const { result } = end;
    return result.status === "success" ? result.returnValue : result.status;
  };
  await run(1, "x = 1", 10);
  await run(2, "x += 1; x", 10);
  assertEquals(await valueOf(2), 2);
  await program.send({ type: "fork", id: 3, session: 10, copy: 11 });
  assertEquals((await program.endOf(3)).type, "done");
  await run(4, "x += 40; x", 11);
  await run(5, "x", 10);
  assertEquals([await valueOf(4), await valueOf(5)], [42, 2]);
  for (
    const [id, type, status] of [
      [6, "cancel", "cancelled"],
      [7, "interrupt", "caught"],
    ] as const
  ) {
    await run(
      id,
      "try:\n  print('on', flush=True)\n  while True: pass\nexcept KeyboardInterrupt: how = 'caught'\nhow",
      10,
    );
    await program.until((message): message is typeof message =>
      message.type === "output" && message.id === id
    );
    await program.send({ type, id });
    assertEquals(await valueOf(id), status);
  }
  await program.send({ type: "close", id: 8, session: 10 });
  assertEquals((await program.endOf(8)).type, "done");
  await run(9, "'x' in globals()", 10);
  assertEquals(await valueOf(9), false);
});

Deno.test("pipe: a wrong call is told, and disturbs no other", async () => {
  await using program = startPipe();
  await program.send({ type: "run", id: 1, code: "1", timeout: 9999 });
  const file = { type: "file", id: 2, path: "x", size: 0, bytes: "" };
  await program.send({ ...file, path: "../x" });
  await program.send({ type: "run", id: 2, code: "1" });
  await program.send({ type: "run", id: 4, code: "1", dependencies: ["rich"] });
  // A model's arguments may have any type.
  await program.send({ type: "run", id: 5, code: null });
  await program.send({ type: "run", id: 6, code: "1", dependencies: [1] });
  await program.send({ type: "run", id: 9, code: "1", engine: 1 });
  await program.send({ type: "run", id: 10, code: "1", engine: "x" });
  await program.send({ ...file, id: 7, path: 1 });
  await program.send({ ...file, id: 8, bytes: "*" });
  for (const id of [7, 8]) await program.send({ type: "run", id, code: "1" });
  const texts = [];
  for (const id of [1, 2, 5, 6, 9, 7, 8]) {
    const end = await program.endOf(id);
    texts.push(end.type === "failed" && `${end.kind}: ${end.message}`);
  }
  assertMatch(String(texts[0]), /^RangeError: .*at most 600/);
  assertMatch(String(texts[1]), /^RangeError: Cannot put "\.\.\/x" into/);
  assertEquals(texts.slice(2), [
    "TypeError: The code must be a text.",
    "TypeError: Requirements must be texts.",
    "TypeError: The engine must be a text.",
    "TypeError: The paths of files must be texts.",
    'TypeError: The file "x" is not base64 in pieces.',
  ]);
  const denied = await program.endOf(4);
  assert(denied.type === "result" && denied.result.status === "denied");
  assertMatch(denied.result.error, /--allow-install rich/);
  const unknown = await program.endOf(10);
  assert(unknown.type === "result" && unknown.result.status === "denied");
  assertMatch(unknown.result.error, /engine "x" as this server has only /);
});

Deno.test("pipe: options that are wrong, and lines outside the protocol, end it with a reason", async () => {
  const wrong = await command(["--timeout", "never", "pipe"]);
  assertMatch(wrong.stderr, /^error: Cannot use "never" for --timeout/);
  assertEquals([wrong.code, wrong.stdout], [2, ""]);
  await using program = startPipe();
  await program.until((message) => message.type === "ready");
  await program.send({ type: "bye", id: 1 });
  const { code, stderr } = await program.close();
  assertMatch(stderr, /The program sent "bye" outside the protocol/);
  assertEquals(code, 1);
});

Deno.test({
  name: "pipe: its end leaves no process, and Ctrl-C is left to the program",
  ignore: Boolean(NO_PROC),
  async fn() {
    await using program = startPipe();
    await program.send({ type: "run", id: 1, code: "while True: pass" });
    await program.send({ type: "run", id: 2, code: "print('on', flush=True)" });
    await program.endOf(2);
    Deno.kill(program.pid, "SIGINT");
    await program.send({ type: "run", id: 3, code: "3" });
    assertEquals((await program.endOf(3)).type, "result");
    const family = descendants(program.pid);
    assert(family.length >= 2);
    assertEquals((await program.close()).code, 0);
    assertEquals(await whichOutlive(family), []);
  },
});
