/**
 * The contract of `run_python`, the tool of code mode, by the official client over
 * real stdio, in both protocol eras.
 *
 * @module
 */
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { decodeToon } from "../deps/toon.ts";
import { CODE_MODE } from "./support/command.ts";
import { type Era, ERAS } from "./support/server.ts";
import { shareServer } from "./support/shared_server.ts";

/** Its memory is soon full. */
const SMALL = ["--memory", "256"];

/** Calls the tool of a server that has these options beside code mode. */
async function run(
  code: string,
  args: Record<string, unknown> = {},
  era: Era = "2025-11-25",
  options: string[] = SMALL,
) {
  const { client } = await shareServer([...CODE_MODE, ...options], era);
  const { content, structuredContent, isError } = await client.callTool({
    ...{ name: "run_python", arguments: { code, ...args } },
  });
  const [first] = content;
  const text = first?.type === "text" ? first.text : "";
  return { text, isError, ...Object(structuredContent) };
}

/** The error of a request that fails. */
async function refused(request: Promise<unknown>) {
  const error: unknown = await request.then(
    () => undefined,
    (error) => error,
  );
  assert(error instanceof Error);
  return { code: Reflect.get(error, "code"), message: error.message };
}

for (const era of ERAS) {
  Deno.test(`${era}: run_python is the one tool, in less than 2 KB`, async () => {
    const options = [...CODE_MODE, ...SMALL];
    const { client } = await shareServer(options, era);
    const listed = await client.listTools();
    assertEquals(listed.tools.map(({ name }) => name), ["run_python"]);
    const { length } = new TextEncoder().encode(JSON.stringify(listed));
    assert(length < 1900, `${length}`);
    const [tool] = listed.tools;
    assertEquals(tool?.inputSchema.required, ["code"]);
    assertEquals(tool?.outputSchema, undefined);
    assertMatch(
      String(client.getInstructions()),
      /^[^.]+ `run_python` [^]+\.$/,
    );
  });

  Deno.test(`${era}: every ending of run_python, and a success after each`, async () => {
    const call = (code: string, args = {}) => run(code, args, era);
    const success = async () => {
      const { text, ...rest } = await call("print('hi'); 6 * 7");
      assertEquals(text, "hi\nreturn_value: 42");
      assertEquals(rest, {
        ...{ isError: false, status: "success", stdout: ["hi"] },
        return_value: 42,
      });
    };
    await success();
    const failed = await call(
      "import sys\nprint('out')\nprint('err', file=sys.stderr)\n1 / 0",
    );
    assertEquals([failed.status, failed.isError, failed.exitCode], [
      ...["error", true, 1],
    ]);
    assertEquals(failed.stdout, ["out"]);
    assertEquals(failed.stderr.slice(0, 2), [
      ...["err", "Traceback (most recent call last):"],
    ]);
    assertEquals(failed.stderr.at(-1), "ZeroDivisionError: division by zero");
    assertEquals(failed.error, "ZeroDivisionError: division by zero");
    assertMatch(
      failed.text,
      /^out\nstderr:\nerr\nTraceback [^]+ZeroDivisionError: division by zero\nexit: 1\nstatus: error$/,
    );
    await success();
    const wrong = await call("def f(:");
    assertEquals([wrong.status, wrong.exitCode], ["error", 1]);
    assertMatch(wrong.error, /^SyntaxError: /);
    for (const [code, exitCode] of [["7", 7], ["'no'", 1], ["256", 1]]) {
      const left = await call(`import sys; print("on"); sys.exit(${code})`);
      assertEquals(
        [left.status, left.exitCode],
        ["error", exitCode],
        left.text,
      );
      assertEquals([left.stdout, left.isError], [["on"], true]);
    }
    for (const code of ["0", "None", ""]) {
      const left = await call(`import sys; print("on"); sys.exit(${code})`);
      assertEquals([left.status, left.exitCode], ["success", undefined]);
    }
    await success();
    const late = await call("print('one')\nwhile True: pass", { timeout: 1 });
    assertEquals([late.status, late.exitCode], ["timeout", 124]);
    assertEquals([late.stdout, late.timeoutSeconds], [["one"], 1]);
    assertMatch(late.text, /^one\nerror: The code was stopped after 1 s, /);
    await success();
    const full = await call(
      "print('on')\nhoard = []\nwhile True: hoard.append(bytearray(1 << 24))",
    );
    assertEquals([full.status, full.exitCode], ["error", 137], full.text);
    assertMatch(full.error, /ran out of memory.* 256 MiB/);
    await success();
    const refused = await call("1", { servers: ["time"], timeout: 5 });
    assertEquals([refused.status, refused.isError], ["validation_error", true]);
    assertMatch(refused.error, /servers has "time"/);
    assertEquals(refused.exitCode, undefined);
    await success();
  });

  Deno.test(`${era}: state persists for a client, and a fresh run has none of it`, async () => {
    const call = (code: string, args = {}) => run(code, args, era);
    const set = await call("kept = [1]; import math");
    assertEquals([set.text, set.summary], [
      ...["Success (no output)", "Success (no output)"],
    ]);
    assertEquals((await call("kept.append(2); kept")).return_value, [1, 2]);
    const fresh = await call("kept", { session: "none" });
    assertMatch(fresh.error, /^NameError: name 'kept' is not defined/);
    const other = await call("'kept' in globals()", { session: "new" });
    assertEquals(other.return_value, false);
    assertEquals(typeof other.session, "string");
    assertMatch(other.text, new RegExp(`\\nsession: ${other.session}$`));
    const { session } = other;
    await call("mine = 1", { session });
    assertEquals((await call("mine", { session })).return_value, 1);
    assertEquals((await call("kept")).return_value, [1, 2]);
  });

  Deno.test(`${era}: a timeout that costs the state says so at once, and the next call starts from nothing`, async () => {
    const call = (code: string, args = {}) => run(code, args, era);
    await call("kept = 1");
    const soft = await call("while True: pass", { timeout: 1 });
    assertMatch(soft.error, /variables and files are as the code left them/);
    assertEquals((await call("kept")).return_value, 1);
    const late = await call(
      `print("before")
while True:
    try:
        while True: pass
    except KeyboardInterrupt: pass`,
      { timeout: 1 },
    );
    assertEquals([late.status, late.stdout], ["timeout", ["before"]]);
    assertMatch(late.error, /state is gone: its variables, imports and files/);
    const next = await call("'kept' in globals()");
    assertEquals([next.status, next.return_value], ["success", false]);
  });

  Deno.test(`${era}: the manual is a resource of Markdown, by two URIs, and an unknown URI is told`, async () => {
    const { client } = await shareServer([...CODE_MODE, ...SMALL], era);
    const { resources } = await client.listResources();
    const listed = resources.filter(({ uri }) => uri.startsWith("resource:"));
    assertEquals(listed.map(({ uri, mimeType }) => [uri, mimeType]), [
      ["resource://mcp-run-python/capabilities", "text/markdown"],
    ]);
    for (const server of ["mcp-run-python", "mcp-server-code-execution-mode"]) {
      const uri = `resource://${server}/capabilities`;
      const { contents: [manual] } = await client.readResource({ uri });
      assertEquals([manual?.uri, manual?.mimeType], [uri, "text/markdown"]);
      assertMatch(String(Object(manual).text), /^# Python that calls MCP/);
    }
    const unknown = "resource://mcp-run-python/nothing";
    const { code, message } = await refused(
      client.readResource({ uri: unknown }),
    );
    assertEquals(code, -32602);
    assert(message.includes(unknown), message);
  });

  Deno.test(`${era}: the tools of other modes are unknown, and the message names run_python`, async () => {
    const { client } = await shareServer([...CODE_MODE, ...SMALL], era);
    for (const name of ["run_python_code", "list_sessions", "read_file"]) {
      const { code, message } = await refused(client.callTool({ name }));
      assertEquals(code, -32602);
      assertMatch(message, /this server has "run_python"/);
    }
  });
}

Deno.test("run_python takes 100 KB of code, and prints as much as may be", async () => {
  const lines = Array(10_000).fill("x = 1 + 1");
  const long = await run(`${lines.join("\n")}\nprint("z" * 100_000)\nx`);
  assertEquals([long.status, long.return_value], ["success", 2]);
  assertMatch(long.text, /characters left out/);
  assertMatch(
    long.text,
    /truncated: Cut to 30,000 characters.*MCP resource run-python:/,
  );
  const { length } = long.stdout.join("\n");
  assert(length < 31_000 && length > 20_000, `${length}`);
});

Deno.test("run_python outlives a collection of garbage", async () => {
  const code = "import gc; gc.collect(); gc.collect(); print('on')";
  for (const session of ["none", undefined]) {
    const { stdout } = await run(code, session ? { session } : {});
    assertEquals(stdout, ["on"]);
  }
});

Deno.test("run_python gives pictures and files as blocks", async () => {
  const { client } = await shareServer([...CODE_MODE, ...SMALL]);
  const code = `
from mcp_run_python import display
from pathlib import Path
Path("a.txt").write_text("hi")
class Shown:
    def _repr_svg_(self): return "<svg xmlns='http://www.w3.org/2000/svg'/>"
display(Shown())`;
  const { content, structuredContent } = await client.callTool({
    ...{ name: "run_python", arguments: { code, session: "none" } },
  });
  const { files, images, status } = Object(structuredContent);
  assertEquals([status, files?.[0]?.path], ["success", "a.txt"]);
  assertEquals(images?.length, 1);
  assertEquals(content.map(({ type }) => type), ["text", "resource"]);
});

Deno.test("run_python shows its payload as JSON or TOON", async () => {
  const expected = {
    ...{ status: "success", summary: "Success", exitCode: 0 },
    ...{ stdout: ["a, b"], return_value: { n: [1, 2] } },
  };
  const code = "print('a, b'); {'n': [1, 2]}";
  for (const output of ["json", "toon"]) {
    const { text, isError, ...payload } = await run(
      ...[code, {}, "2026-07-28"] as const,
      [...SMALL, "--return-mode", output],
    );
    assertEquals([isError, payload], [false, expected]);
    const shown = output === "json"
      ? JSON.parse(text)
      : decodeToon(text.replace(/^```toon\n([^]*)\n```$/, "$1"));
    assertEquals(shown, expected);
  }
});

Deno.test("run_python without sessions, structure and isError", async () => {
  const options = ["--sessions", "none", "--no-structured", "--error-results"];
  const { client } = await shareServer([...CODE_MODE, ...options]);
  const { tools: [tool] } = await client.listTools();
  assertEquals(Object.keys(tool?.inputSchema.properties ?? {}), [
    ...["code", "servers", "timeout"],
  ]);
  const call = (code: string) =>
    client.callTool({ name: "run_python", arguments: { code } });
  await call("kept = 1");
  const { content: [first], isError, structuredContent } = await call("kept");
  assertEquals([isError, structuredContent], [false, undefined]);
  assertMatch(
    String(Object(first).text),
    /NameError.*\nexit: 1\nstatus: error$/,
  );
});

Deno.test("run_python keeps the runs of its client in order", async () => {
  const calls = Array.from(
    { length: 10 },
    (_, at) => run(`order = [*globals().get("order", []), ${at}]; order[-1]`),
  );
  const values = (await Promise.all(calls)).map((one) => one.return_value);
  assertEquals(values, [...values.keys()]);
  assertEquals((await run("order")).return_value, [...values.keys()]);
});
