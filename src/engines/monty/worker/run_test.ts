import { assert, assertEquals } from "../../../../deps/assert.ts";
import { compileMonty } from "../../../../test/support/monty_module.ts";
import { REQUEST, SETUP } from "../../../../test/support/request.ts";
import { MIB } from "../../../units.ts";
import type { FromWorker } from "../../shared/from_worker.ts";
import { WorkerOutput } from "../../shared/output.ts";
import { Files } from "./files.ts";
import { openHttp } from "./http_request.ts";
import { Instance } from "./instance.ts";
import { MontyRun } from "./run.ts";

async function open(code: string) {
  const module = await compileMonty();
  let isInterrupted = false;
  const sent: FromWorker[] = [];
  const send = (message: FromWorker) => void sent.push(message);
  const output = new WorkerOutput(send);
  const makeInstance = () =>
    new Instance(module, {
      memoryBytes: 256 * MIB,
      isInterrupted: () => isInterrupted,
      print: (stream, text) => output.write(stream, text),
    });
  const files = new Files({ bytes: MIB, nodes: 10, mounts: [] });
  const interpreter = { instance: makeInstance(), files };
  const run = new MontyRun(interpreter, makeInstance, {
    ...{ request: { ...REQUEST, code }, setup: SETUP, output, send },
    http: openHttp(undefined),
    isInterrupted: () => isInterrupted,
  });
  return {
    ...{ interpreter, run, sent },
    interrupt() {
      isInterrupted = true;
      run.interrupt();
    },
  };
}

Deno.test("a run that waits goes on in another instance, without the memory that it does not need", async () => {
  const code = `open("a.txt", "w").write("kept")
x = [str(i) * 10000 for i in range(2000)]
x = x[7]
import time
time.sleep(1)
[x == "7" * 10000, open("a.txt").read()]`;
  const { interpreter, run } = await open(code);
  const { instance } = interpreter;
  const ending = await run.serve(200 * MIB);
  assertEquals(ending, { status: "success", value: '[true,"kept"]' });
  assert(instance.isGrown && interpreter.instance !== instance);
  assertEquals(interpreter.instance.isGrown, false);
});

Deno.test("a run that waits with little memory stays where it is", async () => {
  const { interpreter, run } = await open("import time\ntime.sleep(0.7)\n1");
  const { instance } = interpreter;
  assertEquals((await run.serve(200 * MIB)).status, "success");
  assertEquals(interpreter.instance, instance);
});

for (
  const code of [
    "import time\nprint(1)\ntime.sleep(60)",
    "import asyncio\nprint(1)\nawait asyncio.sleep(60)",
    "print(1)\nwhile True: notify_progress('a', 1)",
    "from pathlib import Path\nprint(1)\nwhile True: Path('a').exists()",
  ]
) {
  Deno.test(`an interrupt ends a run at its call of the host: ${code.split("\n").at(-1)}`, async () => {
    const { run, sent, interrupt } = await open(code);
    let told = 0;
    const push = sent.push.bind(sent);
    // The interrupt comes from another thread, in the midst of the run.
    sent.push = (...messages) => {
      if (messages[0]?.type === "notify" && ++told === 10) interrupt();
      return push(...messages);
    };
    if (!code.includes("while")) queueMicrotask(interrupt);
    else if (!code.includes("notify")) interrupt();
    const ending = await run.serve(200 * MIB);
    assert(ending.status === "run-error", JSON.stringify(ending));
    assertEquals(ending.errorType, "KeyboardInterrupt");
  });
}
