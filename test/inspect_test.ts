/**
 * `MCP_RUN_PYTHON_INSPECT`: a debugger attaches to a child, which keeps its walls.
 *
 * @module
 */
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { readLines } from "../src/protocol/lines.ts";
import { CACHE, CLI, command } from "./support/command.ts";

for (const name of ["server", "sandbox"]) {
  Deno.test(`MCP_RUN_PYTHON_INSPECT=${name} lets a debugger attach to that process, which may do no more`, async () => {
    await using server = startInspected(name);
    const address = await findAddress(server.stderr);
    assertMatch(address, /^127\.0\.0\.1:\d+\//);
    using attached = await attach(`ws://${address}`);
    const { evaluate } = attached;
    // The debugger listens before Deno has made its globals.
    while (await evaluate("typeof globalThis.Deno?.mainModule") !== "string") {
      // Asked again.
    }
    assertMatch(
      String(await evaluate("Deno.mainModule")),
      RegExp(`/src/${name}/main\\.ts$`),
    );
    for (const kind of ["run", "write", "env", "ffi", "net", "sys"]) {
      const state = `Deno.permissions.querySync({ name: "${kind}" }).state`;
      // The state of what is not granted, though nothing may prompt.
      assertEquals(await evaluate(state), "prompt", kind);
    }
  });
}

Deno.test("without it no process is open to debuggers", async () => {
  const { code, stderr } = await command(["run", "--verbose", "-c", "1"]);
  assertEquals(code, 0, stderr);
  assert(!stderr.includes("Debugger"), stderr);
});

function startInspected(
  name: string,
): Deno.ChildProcess & AsyncDisposable {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", CLI, "--cache-dir", CACHE, "stdio"],
    env: { MCP_RUN_PYTHON_INSPECT: name },
    stdin: "piped",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  return Object.assign(child, {
    async [Symbol.asyncDispose]() {
      await child.stdin.close();
      await child.status;
    },
  });
}

/** Reads where a debugger may attach. */
async function findAddress(
  stderr: ReadableStream<Uint8Array<ArrayBuffer>>,
): Promise<string> {
  for await (const line of readLines(stderr, 1 << 16)) {
    const text = new TextDecoder().decode(line);
    const [, address] = /^Debugger listening on ws:\/\/(.*)$/.exec(text) ?? [];
    if (address) return address;
  }
  throw new Error("No process listens for a debugger");
}

/** Attaches a debugger; a process does not end before it is gone. */
async function attach(
  address: string,
): Promise<
  & { evaluate: (expression: string) => Promise<unknown> }
  & Disposable
> {
  const socket = new WebSocket(address);
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = reject;
  });
  const evaluate = async (expression: string) => {
    const answer = new Promise<MessageEvent>((resolve) => {
      socket.onmessage = resolve;
    });
    socket.send(JSON.stringify({
      ...{ id: 1, method: "Runtime.evaluate" },
      params: { expression, returnByValue: true },
    }));
    const { result } = JSON.parse((await answer).data);
    assert(result?.result, JSON.stringify(result));
    return result.result.value;
  };
  return { evaluate, [Symbol.dispose]: () => socket.close() };
}
