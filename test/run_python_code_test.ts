/**
 * The contract of `run_python_code`, by the official client over real stdio, in
 * both protocol eras.
 *
 * @module
 */
import {
  assert,
  assertEquals,
  assertMatch,
  assertRejects,
} from "../deps/assert.ts";
import { ERAS, startServer } from "./support/server.ts";
import { shareServer, shareSession } from "./support/shared_server.ts";

/** Its memory is soon full. */
const SMALL = ["--memory", "256"];
const MEMORY_BOMB =
  "hoard = []\nwhile True:\n    hoard.append(bytearray(1 << 24))";
/** Kills its own process from the inside, as a fault in native code would. */
const CRASH = `
import pyodide_js
pyodide_js._module._free(8)
pyodide_js._module.HEAPU8.fill(7)
`;

for (const era of ERAS) {
  Deno.test(`${era}: the tool is listed with all a model needs`, async () => {
    const server = await shareServer(SMALL, era);
    const { tools } = await server.client.listTools();
    assertEquals(tools.map((tool) => tool.name), [
      ...["run_python_code", "list_sessions", "fork_session", "end_session"],
    ]);
    const [tool] = tools;
    assert(tool);
    assertMatch(
      String(tool.description),
      /Python 3\.\d+\.\d+ .*standard library/,
    );
    assertEquals(Object.keys(tool.inputSchema.properties ?? {}), [
      "python_code",
      "global_variables",
      "timeout",
      "files",
      "session",
    ]);
    assertEquals(tool.inputSchema.required, ["python_code"]);
    assertEquals(tool.outputSchema?.type, "object");
    assertEquals(tool.annotations?.destructiveHint, false);
    assertMatch(String(server.client.getInstructions()), /run_python_code/);
  });

  Deno.test(`${era}: every ending, and a success after each`, async () => {
    const server = await shareServer(SMALL, era);
    const success = async () => {
      const result = await server.call("print('hi'); 6 * 7");
      assertEquals(result.status, "success", result.text);
      assertEquals(result.returnValue, 42);
      assertEquals(result.output, ["hi"]);
      assertEquals(result.isError, false);
      assertEquals(
        result.text,
        "<status>success</status>\n<output>\nhi\n</output>\n<return_value>\n42\n</return_value>",
      );
    };
    await success();

    const failed = await server.call("print('before')\n1 / 0");
    assertEquals(failed.status, "run-error");
    assertEquals(failed.output, ["before"]);
    assertEquals(failed.isError, true);
    assertEquals(
      failed.error,
      'Traceback (most recent call last):\n  File "main.py", line 2, in <module>\n    1 / 0\n    ~~^~~\nZeroDivisionError: division by zero',
    );
    await success();

    const late = await server.call("print('on')\nwhile True: pass", {
      timeout: 0.5,
    });
    assertEquals(late.status, "timeout");
    assertEquals(late.output, ["on"]);
    assertMatch(String(late.error), /after 0\.5 s/);
    await success();

    const greedy = await server.call(MEMORY_BOMB);
    assertEquals(greedy.status, "memory-limit");
    assertMatch(String(greedy.error), /256 MiB.*--memory/);
    await success();

    const crashed = await server.call(CRASH);
    assertEquals(crashed.status, "crashed", crashed.text);
    assertMatch(String(crashed.error), /died/);
    await success();
  });
}

Deno.test("a call sees nothing of the one before", async () => {
  const server = await shareServer();
  await server.call(
    "import builtins, json, sys\nx = 1\njson.dumps = builtins.len = None\nsys.path.append('/y')\nopen('/tmp/left', 'w').write('x')\nopen('left', 'w').write('x')",
  );
  const { returnValue } = await server.call(
    "import json, os, sys\n['x' in globals(), len(json.dumps([1])), '/y' in sys.path, os.listdir('/tmp'), os.listdir()]",
  );
  assertEquals(returnValue, [false, 3, false, [], []]);
});

Deno.test("two fresh interpreters draw different random numbers", async () => {
  const server = await shareServer();
  const draw = async () => {
    const result = await server.call(
      "import random, uuid, secrets, tempfile\n[random.random(), str(uuid.uuid4()), secrets.token_hex(), tempfile.mktemp()]",
    );
    assertEquals(result.status, "success", result.text);
    return JSON.parse(JSON.stringify(result.returnValue));
  };
  const [first, second] = [await draw(), await draw()];
  for (const index of [0, 1, 2, 3]) {
    assert(first[index] !== second[index], `repeats ${first[index]}`);
  }
});

Deno.test("global variables are bound before the code runs", async () => {
  const server = await shareServer();
  const { returnValue } = await server.call("[a, b['c'], __name__]", {
    global_variables: { a: 1.5, b: { c: [null, "é\u0000"] } },
  });
  assertEquals(returnValue, [1.5, [null, "é\u0000"], "__main__"]);
});

Deno.test("top-level await, asyncio.run and an empty call work", async () => {
  const server = await shareServer();
  const awaited = await server.call(
    "import asyncio\nawait asyncio.sleep(0.01)\nasync def main():\n    return 3\nasyncio.run(main()) + (await main())",
  );
  assertEquals(awaited.returnValue, 6, awaited.text);
  assertEquals((await server.call("")).returnValue, null);
});

Deno.test("an endless wait ends at its time limit", async () => {
  const server = await shareServer();
  const result = await server.call(
    "import asyncio\nprint('waiting')\nawait asyncio.Event().wait()",
    { timeout: 0.3 },
  );
  assertEquals([result.status, result.output], ["timeout", ["waiting"]]);
});

Deno.test("code that swallows the interrupt is killed, and tells what it printed", async () => {
  const server = await shareServer();
  const result = await server.call(
    "print('stubborn')\nwhile True:\n    try:\n        while True: pass\n    except KeyboardInterrupt: pass",
    { timeout: 0.3 },
  );
  assertEquals([result.status, result.output], ["timeout", ["stubborn"]]);
  assertMatch(String(result.error), /did not react/);
  assertEquals((await server.call("1")).returnValue, 1);
});

Deno.test("exits are endings of the run, not of the server", async () => {
  const server = await shareServer();
  const three = await server.call("import sys\nprint('a')\nsys.exit(3)");
  assertEquals(three.status, "run-error");
  assertMatch(String(three.error), /exit code 3/);
  assertEquals((await server.call("quit()")).status, "success");
  assertEquals((await server.call("exit(0)")).status, "success");
  assertEquals((await server.call("raise SystemExit")).status, "success");
  const spoken = await server.call("import sys; sys.exit('no more')");
  assertMatch(String(spoken.error), /no more/);
  const stopped = await server.call("raise KeyboardInterrupt");
  assertEquals(stopped.status, "run-error");
  assertMatch(String(stopped.error), /KeyboardInterrupt/);
});

Deno.test("endless recursion is Python's own error", async () => {
  const server = await shareServer();
  const result = await server.call("def f(): return f()\nf()");
  assertEquals(result.status, "run-error");
  assertMatch(String(result.error), /RecursionError/);
});

Deno.test("code as deep as programs have it is compiled, and deeper code is an error, in each run and session", async () => {
  const server = await shareServer();
  const branches = (count: number) =>
    "x = 5\nif x == 0: y = 0\n" +
    Array.from({ length: count }, (_, at) => `elif x == ${at}: y = ${at}\n`)
      .join("") +
    "y";
  const sum = Array.from({ length: 300 }, () => "1").join(" + ");
  // Later calls without a session find a rewound interpreter.
  for (const options of [{}, await shareSession(server)]) {
    const call = (code: string) => server.call(code, options);
    const chain = await call(branches(100));
    assertEquals(chain.returnValue, 5, chain.text);
    const summed = await call(sum);
    assertEquals(summed.returnValue, 300, summed.text);
    for (
      const code of [
        branches(1000),
        `${sum} + ${sum} + ${sum} + ${sum}`,
        "import json\njson.loads('[' * 100000)",
      ]
    ) {
      const { status, error } = await call(code);
      assertEquals(status, "run-error", String(error));
      assertMatch(String(error), /RecursionError: Stack overflow/);
    }
  }
});

Deno.test("recursion through C, and the end of a long chain, kill no interpreter", async () => {
  const server = await shareServer();
  const recursions = [
    "class A:\n    def __eq__(s, o): return [A()] == [A()]\nA() == A()",
    "class A:\n    def __lt__(s, o): return sorted([A(), A()])\nsorted([A(), A()])",
    "h = []\nfor _ in range(20000): h = [h]\nrepr(h)",
  ];
  for (const code of recursions) {
    const result = await server.call(code);
    assertEquals(result.status, "run-error", result.text);
    assertMatch(String(result.error), /RecursionError/);
  }
  const chain = await server.call(
    "class N: pass\nh = None\nfor _ in range(100000):\n    n = N(); n.next = h; h = n\ndel h, n\n'gone'",
  );
  assertEquals(chain.returnValue, "gone", chain.text);
});

Deno.test("a flood of output keeps its head and tail", async () => {
  const server = await shareServer();
  const result = await server.call(
    "print('first'); print('x' * 10**8); print('last')",
  );
  assertEquals(result.status, "success", result.text.slice(0, 300));
  assertEquals(result.output[0], "first");
  assertEquals(result.output.at(-1), "last");
  assert(result.text.length < 31_000, `${result.text.length} characters`);
  assertEquals(Object(result.structured.truncated).output, 100_000_012);
});

Deno.test("a large value is cut, and says so", async () => {
  const server = await shareServer();
  const result = await server.call("'y' * 10**7");
  assertEquals(result.status, "success");
  assert(result.text.length < 31_000);
  assertMatch(JSON.stringify(result.structured.truncated), /return_value/);
});

Deno.test("twenty calls at once are all answered, each its own", async () => {
  const server = await shareServer();
  const results = await Promise.all(
    Array.from(
      { length: 20 },
      (_, index) =>
        server.call("print(n)\nn * n", { global_variables: { n: index } }),
    ),
  );
  assertEquals(
    results.map(({ output, returnValue }) => [output, returnValue]),
    results.map((_, index) => [[`${index}`], index * index]),
  );
});

Deno.test("ping is answered while Python is busy in every way", async () => {
  const server = await shareServer(SMALL);
  const busy = [
    server.call("while True: pass", { timeout: 1 }),
    server.call(MEMORY_BOMB),
    server.call("print('x' * 10**8)"),
    server.call("import sys; sys.exit()"),
  ];
  let pending = busy.length;
  for (const one of busy) one.finally(() => pending--);
  let pings = 0;
  while (pending > 0) {
    await server.client.ping();
    pings++;
  }
  assert(pings > 10, `only ${pings} pings`);
  const endings = (await Promise.all(busy)).map(({ status }) => status);
  assertEquals(endings, ["timeout", "memory-limit", "success", "success"]);
  assertEquals((await server.call("1 + 1")).returnValue, 2);
});

Deno.test("a cancelled call frees its sandbox", async () => {
  const server = await shareServer();
  const cancel = new AbortController();
  const hanging = server.call("while True: pass", {}, {
    signal: cancel.signal,
  });
  await server.client.ping();
  cancel.abort();
  await assertRejects(hanging);
  assertEquals((await server.call("2")).returnValue, 2);
});

Deno.test("wrong arguments are results that name them, and other mistakes protocol errors", async () => {
  const server = await shareServer();
  await server.client.listTools(); // now the client checks structured content
  const cases: [Record<string, unknown>, RegExp][] = [
    [{}, /python_code must be a string, not missing/],
    [{ python_code: 5 }, /python_code must be a string, not a number/],
    [{ python_code: "1", colour: 1 }, /Unknown argument "colour"/],
    [{ python_code: "1", timeout: "5" }, /timeout must be a number/],
    [{ python_code: "1", timeout: 0 }, /timeout is 0/],
    [{ python_code: "1", timeout: 1e9 }, /at most 600 seconds/],
    [
      { python_code: "1", global_variables: [] },
      /global_variables must be an object, not an array/,
    ],
    [{ python_code: "1", global_variables: { "a b": 1 } }, /"a b"/],
    [
      { python_code: "#".repeat(2 << 20) },
      /2097152 bytes, and may have 1048576: send/,
    ],
  ];
  for (const [args, message] of cases) {
    const { isError, content, structuredContent } = await server.client
      .callTool({ name: "run_python_code", arguments: args });
    const { status, error, ...more } = Object(structuredContent);
    assertEquals([isError, status], [true, "invalid-arguments"]);
    assertEquals(more, { output: [] });
    assertMatch(error, message);
    assertEquals(content, [{
      type: "text",
      text: `<status>invalid-arguments</status>\n<error>\n${error}\n</error>`,
    }]);
  }
  const malformed: [string, unknown, RegExp][] = [
    ["run", {}, /Unknown tool "run": this server has "run_python_code"/],
    ["run_python_code", [], /arguments .* objects/],
  ];
  for (const [name, args, message] of malformed) {
    await assertRejects(
      server.client.callTool({ name, arguments: Object(args) }),
      (error: { code?: number; message: string }) => {
        assertEquals(error.code, -32602);
        assertMatch(error.message, message);
        return true;
      },
    );
  }
  assertEquals((await server.call("1")).returnValue, 1);
});

Deno.test("code with a NUL byte is Python's own error", async () => {
  const server = await shareServer();
  const result = await server.call("1\u00002");
  assertEquals(result.status, "run-error");
  assertMatch(String(result.error), /null byte/);
});

Deno.test("--return-mode json and --no-structured give one line of JSON", async () => {
  await using server = await startServer([
    "--return-mode=json",
    "--no-structured",
  ]);
  const result = await server.client.callTool({
    name: "run_python_code",
    arguments: { python_code: "print(1)\n[None]" },
  });
  assertEquals(result.structuredContent, undefined);
  assertEquals(result.content, [{
    type: "text",
    text: '{"status":"success","output":["1"],"return_value":[null]}',
  }]);
});
