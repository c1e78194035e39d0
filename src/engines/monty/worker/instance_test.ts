import { assert, assertEquals, assertThrows } from "../../../../deps/assert.ts";
import { compileMonty } from "../../../../test/support/monty_module.ts";
import {
  type BridgeReply,
  type BridgeRequest,
  Instance,
  Trap,
} from "./instance.ts";

const MIB = 1 << 20;
const printed: string[] = [];
let isInterrupted = false;

async function open(memoryMiB = 256): Promise<Instance> {
  return new Instance(await compileMonty(), {
    memoryBytes: memoryMiB * MIB,
    isInterrupted: () => isInterrupted,
    print: (stream, text) => printed.push(`${stream} ${text}`),
  });
}

function run(code: string, maxMemoryBytes = 200 * MIB): BridgeRequest {
  return {
    ...{ type: "run", code, inputs: {}, form: "plain", room: null },
    ...{ functions: ["http_request"], environment: {} },
    limits: { maxDurationMs: 1e9, maxMemoryBytes },
  };
}

/** The memory and the stack pointer of an instance, which tests alone look at. */
function stateOf(instance: Instance): { bytes: string; stack: number } {
  const { memory, stack } = instance.inspect();
  return { bytes: memory.toHex(), stack };
}

Deno.test("an instance that was reset is what it was, byte for byte", async () => {
  const instance = await open();
  const fresh = stateOf(instance);
  for (
    const code of [
      "secret = 'm0nty-secret'\nsecret",
      "def f(n): return n and f(n - 1)\nf(900)",
      "[str(i) for i in range(10000)][5]",
      "1 / 0",
      "http_request('x')",
    ]
  ) {
    instance.take(run(code));
    assert(stateOf(instance).bytes !== fresh.bytes, code);
    assertEquals(instance.isGrown, false, code);
    assertEquals(instance.reset(), true);
    assertEquals(stateOf(instance), fresh, code);
  }
  assertEquals(instance.take(run("1 + 1")), { type: "done", value: "2" });
});

Deno.test("an instance that died in the depth of its stack is what it was after a reset", async () => {
  const instance = await open();
  const fresh = stateOf(instance);
  assertThrows(() => instance.take(run("1+".repeat(11_000) + "1")), Trap);
  assert(stateOf(instance).stack !== fresh.stack);
  assertEquals([instance.isGrown, instance.reset()], [false, true]);
  assertEquals(stateOf(instance), fresh);
  assertEquals(instance.take(run("1 + 1")), { type: "done", value: "2" });
});

Deno.test("an instance whose memory has grown is not reset", async () => {
  const instance = await open();
  instance.take(run("x = [str(i) * 100 for i in range(300000)]"));
  assertEquals([instance.isGrown, instance.reset()], [true, false]);
});

Deno.test("code finds another interpreter after a reset, with other random numbers", async () => {
  const instance = await open();
  const draw = run("import random\nrandom.random()");
  const seen = new Set<string>();
  for (let times = 0; times < 5; times++) {
    seen.add(valueOf(instance.take(draw)));
    instance.take(run("x = 1"));
    instance.reset();
    assertEquals(instance.take(run("x")).type, "failed");
    instance.reset();
  }
  assertEquals(seen.size, 5);
});

Deno.test("its memory has a maximum, beyond which it ends", async () => {
  const instance = await open(16);
  let trap: unknown;
  try {
    instance.take(run("x = [str(i) * 100 for i in range(10**7)]", 2e9));
  } catch (error) {
    trap = error;
  }
  assert(trap instanceof Trap && trap.isFull);
});

Deno.test("code that computes stops once its clock is late", async () => {
  const instance = await open();
  isInterrupted = true;
  const reply = instance.take(run("while True: pass"));
  isInterrupted = false;
  assert(reply.type === "failed" && reply.error.limit === "time");
});

Deno.test("output has its stream", async () => {
  printed.length = 0;
  const instance = await open();
  instance.take(run("import sys\nprint('é')\nprint('b', file=sys.stderr)"));
  assertEquals(printed.join(""), "stdout éstdout \nstderr bstderr \n");
});

Deno.test("a dump goes on in another instance, and other bytes do not", async () => {
  const instance = await open();
  instance.take(run("x = [1, 2]\nsum(x) + http_request('x')"));
  const dump = instance.dump();
  const other = await open();
  other.load(dump);
  const reply = other.take({ type: "answer", answer: { value: { Int: 4 } } });
  assertEquals(reply, { type: "done", value: "7" });
  for (const bytes of [new Uint8Array(), dump.slice(0, 9), dump.slice(1)]) {
    assertThrows(() => other.load(bytes), TypeError);
  }
});

function valueOf(reply: BridgeReply): string {
  assert(reply.type === "done", JSON.stringify(reply));
  return reply.value;
}
