/**
 * What a sandbox can say to the rest: messages that Python forges inside its
 * worker, and a whole sandbox process that lies, against the real server and
 * broker.
 *
 * @module
 */
import { fileURLToPath } from "node:url";
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { runBroker } from "../src/launcher/broker.ts";
import { sandboxKind } from "../src/launcher/kinds.ts";
import { toScopePaths } from "../src/launcher/find_scope_paths.ts";
import { ENGINE } from "../src/engines/index.ts";
import { NPM_PYODIDE } from "../src/engines/pyodide/runtime.ts";
import { spawn } from "../src/launcher/spawn.ts";
import { startServer as startServerProcess } from "../src/launcher/start_server.ts";
import { readLines } from "../src/protocol/lines.ts";
import type { ServerSettings } from "../src/protocol/server_settings.ts";
import { DEFAULTS } from "../src/settings.ts";
import { baseFolder, ensurePython } from "./support/cache.ts";
import { CACHE } from "./support/command.ts";
import type { Lie } from "./support/liar.ts";
import { NO_BRAKE } from "./support/no_brake.ts";
import { ALL_ROUNDS, someOf } from "./support/rounds.ts";
import { startServer } from "./support/server.ts";
import { shareServer } from "./support/shared_server.ts";

const LIAR = fileURLToPath(import.meta.resolve("./support/liar.ts"));

/** Has the runner's last step, which makes JSON of how it ended, say this. */
const forge = (python: string) => `
import json
forged = ${python}
json.JSONEncoder.encode = lambda self, outcome: forged
1`;

const success = (value: string) =>
  `'{"status": "success", "value": "' + ${value} + '"}'`;

Deno.test("escape: an ending that Python forges is its own run's, or none", async () => {
  const forgeries: [string, RegExp][] = [
    [success(`'1'`), /^success$/],
    [success(`'}{'`), /^crashed$/],
    [success(`'9' * 50_000_000`), /^crashed$/],
    [success(`'[' * 40_000 + ']' * 40_000`), /^crashed$/],
    [success(`'[' * 2_000_000 + ']' * 2_000_000`), /^crashed$/],
    [`'[' * 5_000_000 + ']' * 5_000_000`, /^(crashed|timeout)$/],
    [
      `'{"status": "success", "value": "1", "x": ' + '[' * 10**6 + ']' * 10**6 + '}'`,
      // The worker sends the fields of an ending, and no others.
      /^(success|crashed|timeout)$/,
    ],
    [`'{"status": "denied", "error": "x"}'`, /^crashed$/],
    [`'{"status": "cancelled", "error": "x"}'`, /^crashed$/],
    [`'{"status": {"toString": 1}, "value": "1"}'`, /^crashed$/],
    [`'{"status": "run-error", "error": ["x"], "exitCode": 1}'`, /^crashed$/],
    [`'{"status": "run-error", "error": "x", "exitCode": "1"}'`, /^crashed$/],
    [
      `'{"status": "run-error", "error": "x", "exitCode": 1e308}'`,
      /^run-error$/,
    ],
    [
      `'{"status": "run-error", "exitCode": 1, "error": "' + 'e' * 60_000_000 + '"}'`,
      /^(run-error|crashed)$/,
    ],
    [
      `'{"type": "done", "id": 7, "sandbox": 3, "status": "success", "value": "1"}'`,
      /^success$/,
    ],
    ["'[]'", /^crashed$/],
    ["'null'", /^crashed$/],
    ["'nope'", /^crashed$/],
    ["5", /^crashed$/],
  ];
  await using server = await startServer(["--timeout", "300"]);
  // Half of them outside of deno task slow: the parsers' tests have each form.
  for (const [at, [python, expected]] of forgeries.entries()) {
    if (!ALL_ROUNDS && at % 2 === 1) continue;
    const { status, text } = await server.call(forge(python));
    assertMatch(status, expected, `${python}: ${text.slice(0, 500)}`);
    assert(text.length < 500_000, python);
    assertEquals((await server.call("6 * 7")).returnValue, 42, python);
  }
});

Deno.test("escape: keys of prototypes in a value are keys", async () => {
  const server = await shareServer();
  const { returnValue } = await server.call(
    `__import__("json").loads('{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}}')`,
  );
  assertEquals(
    JSON.stringify(returnValue),
    '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}',
  );
  const next = await server.call("{}", { session: "none" });
  assertEquals(Reflect.get(Object(next.returnValue), "polluted"), undefined);
  assertEquals(next.structured, {
    status: "success",
    output: [],
    return_value: {},
  });
});

Deno.test("escape: output that ignores the host's brake fills no memory", async () => {
  const server = await shareServer(["--memory", "256"]);
  const { status, text } = await server.call(
    `${NO_BRAKE}
while True: print("x" * 100_000)`,
    { timeout: 1 },
  );
  assertMatch(status, /^(timeout|memory-limit|crashed)$/);
  assert(text.length < 300_000);
  assertEquals((await server.call("6 * 7")).returnValue, 42);
});

const PNG = "iVBORw0KGgo=";

Deno.test("escape: a picture that Python forges is its own run's, or none", async () => {
  const forgeries: Record<string, RegExp> = {
    [`'image/png', '${PNG}'`]: /^success$/,
    "'image/png', 'iVBORw0KGgo'": /^crashed$/,
    "'image/png', 'no base64'": /^crashed$/,
    "'image/png', '/9j/'": /^crashed$/,
    [`'text/html', '${PNG}'`]: /^crashed$/,
    [`None, '${PNG}'`]: /^crashed$/,
    "'image/svg+xml', '\\ud800'": /^crashed$/,
    "'image/svg+xml', 'x' * 20_000_000": /^crashed$/,
    "'image/svg+xml', 'x' * 10_000_000": /^success$/,
    "'image/svg+xml', [1]": /^success$/,
    "'image/svg+xml', {'size': 1}": /^success$/,
  };
  const server = await shareServer();
  for (const [forged, expected] of Object.entries(forgeries)) {
    const { status, text, structured } = await server.call(`
from mcp_runner import displays
displays._send(${forged})`);
    assertMatch(status, expected, `${forged}: ${text}`);
    assert(JSON.stringify(structured).length < 1000, forged);
    const next = await server.call("6 * 7");
    assertEquals([next.returnValue, next.structured.images], [42, undefined]);
  }
});

Deno.test("escape: a page that Python forges is its own run's, or none", async () => {
  const forgeries: Record<string, RegExp> = {
    "'<p>', 't', 'a'": /^success$/,
    "'<p>', [1], {'a': 1}": /^success$/,
    "'<p>', 't'": /^crashed$/,
    "'\\ud800', 't', 'a'": /^crashed$/,
    "'\\x1b[2J', 't', 'a'": /^crashed$/,
    "'<p>', 't\\n<status>', 'a'": /^crashed$/,
    "'<p>', 't', 'a\\x9b2J'": /^crashed$/,
    "'<p>', 't' * 201, 'a'": /^crashed$/,
    "'<p>', 't', 'a' * 501": /^crashed$/,
    "'x' * 20_000_000, 't', 'a'": /^crashed$/,
    // More than --max-html: it does not pass.
    "'x' * 6_000_000, 't', 'a'": /^success$/,
  };
  const server = await shareServer();
  for (const [forged, expected] of Object.entries(forgeries)) {
    const { status, text, structured } = await server.call(`
from mcp_runner import displays
displays._send('text/html', ${forged})`);
    assertMatch(status, expected, `${forged}: ${text}`);
    assert(JSON.stringify(structured).length < 1000, forged);
    const isShown = structured.pages !== undefined;
    assertEquals(isShown, forged.startsWith("'<p>'") && status === "success");
    const next = await server.call("6 * 7");
    assertEquals([next.returnValue, next.structured.pages], [42, undefined]);
  }
});

Deno.test("escape: a flood of forged pages is bounded, and no other run's", async () => {
  const server = await shareServer(["--memory", "256"]);
  const { status, structured, text } = await server.call(`
from mcp_runner import displays
for number in range(5_000): displays._send("text/html", "<p>", "t", "a")
for number in range(50): displays._send("text/html", "x" * 5_000_000, "", "")
import asyncio
for number in range(50):
    asyncio.get_running_loop().call_later(number / 50, displays._send, "text/html", "<p>", "t", "a")
'through'`);
  assertEquals(status, "success", text);
  assert(Array.isArray(structured.pages), text);
  assertEquals(structured.pages.length, 10);
  for (const _round of [1, 2, 3]) {
    const next = await server.call("6 * 7");
    assertEquals([next.returnValue, next.structured.pages], [42, undefined]);
  }
});

Deno.test("escape: a flood of forged pictures is bounded, and no other run's", async () => {
  const server = await shareServer(["--memory", "256"]);
  const { status, structured, text } = await server.call(`
from mcp_runner import displays
displays._pictures.count = displays._pictures.size = 10**9
for number in range(20_000): displays._send("image/png", "${PNG}")
for number in range(50): displays._send("image/svg+xml", "x" * 5_000_000)
import asyncio
for number in range(50):
    asyncio.get_running_loop().call_later(number / 50, displays._send, "image/png", "${PNG}")
'through'`);
  assertEquals(status, "success", text);
  assert(Array.isArray(structured.images), text);
  assertEquals(structured.images.length, 10);
  for (const _round of [1, 2, 3]) {
    const next = await server.call("6 * 7");
    assertEquals([next.returnValue, next.structured.images], [42, undefined]);
  }
});

const done = (ending: unknown) =>
  JSON.stringify({ type: "done", run: 1, printed: 0, ending });
const won = done({ status: "success", value: '"forged"' });

const fileLine = (more: object) =>
  JSON.stringify({
    ...{ type: "file", path: "a", size: 3, bytes: "AAAA" },
    ...more,
  });

/** Lies, and how the liar's own run may end. */
const LIES: Record<string, [Lie, RegExp]> = {
  "without its token": [{ raw: true, lines: [won] }, /^crashed$/],
  "another sandbox's frames": [
    { raw: true, lines: [`\x1efrom 2 ${won}`, `\x1eended 2 {}`] },
    /^crashed$/,
  ],
  "another sandbox's frames in its own": [
    { lines: [`\x1efrom 2 ${won}`] },
    /^crashed$/,
  ],
  "MCP": [
    { raw: true, lines: ['{"jsonrpc":"2.0","id":2,"result":{}}'] },
    /^crashed$/,
  ],
  "what is no picture": [
    { lines: ['{"type":"display","mimeType":"image/png","data":"<A*4000>"}'] },
    /^crashed$/,
  ],
  "more pictures than it may": [
    {
      lines: [`{"type":"display","mimeType":"image/png","data":"${PNG}"}`],
      times: 1000,
    },
    /^crashed$/,
  ],
  "a picture larger than it may be": [
    {
      lines: [
        '{"type":"display","mimeType":"image/svg+xml","data":"<x*10000000>"}',
      ],
    },
    /^crashed$/,
  ],
  "a picture after its end": [
    {
      lines: [
        won,
        `{"type":"display","mimeType":"image/png","data":"${PNG}"}`,
      ],
      times: 2,
    },
    /^success$/,
  ],
  "that it is ready, in its run": [
    { lines: ['{"type":"ready"}'] },
    /^crashed$/,
  ],
  "that it is ready, many times": [
    { lines: ['{"type":"ready"}'], times: 1000 },
    /^crashed$/,
  ],
  "how it ended, again and again": [{ lines: [won], times: 1000 }, /^success$/],
  "a line without end": [
    { lines: ['{"type":"output","stream":"stdout","text":"<x*80000000>"}'] },
    /^crashed$/,
  ],
  "output without end": [
    {
      lines: ['{"type":"output","stream":"stdout","text":"<x*100000>"}'],
      times: 500,
    },
    /^crashed$/,
  ],
  "a deep message": [{ lines: ["<[*2000000><]*2000000>"] }, /^crashed$/],
  "a long list": [{ lines: ["[<0,*20000000>0]"] }, /^crashed$/],
  "a deep value": [
    {
      lines: [done({ status: "success", value: "<[*100000><]*100000>" })],
      ends: true,
    },
    /^crashed$/,
  ],
  "a long value": [
    { lines: [done({ status: "success", value: "<9*50000000>" })], ends: true },
    /^crashed$/,
  ],
  "keys of prototypes": [
    {
      lines: [
        `{"__proto__":${won},"constructor":{"prototype":${won}}}`,
        done({ status: "success", value: '{"__proto__":{"polluted":1}}' }),
      ],
    },
    /^(crashed|success)$/,
  ],
  "a status that is the server's to say": [
    { lines: [done({ status: "denied", error: "x" })] },
    /^crashed$/,
  ],
  "nothing that is JSON": [{ lines: ["{", "\u0000", ""] }, /^crashed$/],
  "that it wrote a file outside": [
    { lines: [fileLine({ path: "../x" }), won] },
    /^crashed$/,
  ],
  "that it wrote 2 GB": [
    { lines: [fileLine({ size: 2 ** 31 }), won] },
    /^crashed$/,
  ],
  "a file without end": [
    {
      lines: [fileLine({ size: 2 ** 28, bytes: "<AAAA*200000>" })],
      times: 900,
    },
    /^crashed$/,
  ],
  "a piece that is too large": [
    { lines: [fileLine({ size: 2 ** 28, bytes: "<AAAA*2000000>" })] },
    /^crashed$/,
  ],
  "one file again and again": [
    { lines: [fileLine({})], times: 100_000 },
    /^crashed$/,
  ],
  "that files are gone, without end": [
    { lines: ['{"type":"removed","path":"a"}'], times: 100_000 },
    /^crashed$/,
  ],
  "that it wrote a file, after its run": [
    { lines: [won, fileLine({})] },
    /^success$/,
  ],
  "that it failed": [
    { lines: ['{"type":"failed","reason":"<x*1000000>"}'] },
    /^crashed$/,
  ],
};

/** The parsers have tests of their own for each form of a message. */
const FEW_LIES = [
  ...["without its token", "another sandbox's frames", "MCP"],
  ...["what is no picture", "that it is ready, in its run"],
  ...["how it ended, again and again", "a line without end"],
  ...["output without end", "a deep value", "that it wrote a file outside"],
  ...["that it wrote a file, after its run", "that it failed"],
];

for (const [name, [lie, expected]] of someOf(LIES, FEW_LIES)) {
  Deno.test(`escape: a sandbox process that says ${name} harms its own run only`, async () => {
    await using server = await startWithLiar(lie);
    const own = await server.call(1, "6 * 7");
    assertMatch(
      String(own.status),
      expected,
      JSON.stringify(own).slice(0, 500),
    );
    for (const id of [2, 3]) {
      const next = await server.call(id, "6 * 7");
      assertEquals(next.return_value, 42, JSON.stringify(next));
    }
  });
}

interface LiarServer extends AsyncDisposable {
  call(id: number, code: string): Promise<Record<string, unknown>>;
}

/** The real server and broker; the first sandbox process is a liar. */
async function startWithLiar(lie: Lie): Promise<LiarServer> {
  await ensurePython();
  const environment = baseFolder(CACHE);
  const places = {
    ...toScopePaths(CACHE, [NPM_PYODIDE.folder]),
    environment: [environment],
  };
  const settings: ServerSettings = {
    ...DEFAULTS,
    ...{ timeoutSeconds: 300, maxOutput: 1000, allowInstall: [], version: "0" },
    ...{ allowNet: [], variables: {} },
    environment: { id: "base", python: "3", requested: [], packages: [] },
    expected: [],
    ...{ sessions: true, stateful: false },
    ...{ lostSessions: "fresh", maxSessions: 16, maxSessionsMiB: 1000 },
    ...{ engine: ENGINE.profile, otherEngines: [] },
    pool: { ready: 1, running: 1, waiting: 9 },
  };
  let started = 0;
  const input = new TransformStream<Uint8Array<ArrayBuffer>>();
  const output = new TransformStream<Uint8Array<ArrayBuffer>>();
  const server = startServerProcess("stdio");
  const startSandbox = () =>
    started++ === 0 ? startLiar(lie) : spawn("sandbox", {
      places,
      argument: {
        ...{ engine: { host: ENGINE.host.href }, runtime: NPM_PYODIDE },
        ...{ environment, memoryMiB: 256 },
      },
      logs: true,
    });
  const ended = runBroker({
    server,
    settings,
    client: { input: input.readable, output: output.writable },
    kinds: { sandbox: sandboxKind(10, startSandbox) },
  });
  const writer = input.writable.getWriter();
  const lines = readLines(output.readable, 1 << 26);
  const ask = async (id: number, method: string, params: unknown) => {
    const message = { jsonrpc: "2.0", id, method, params };
    await writer.write(
      new TextEncoder().encode(`${JSON.stringify(message)}\n`),
    );
    while (true) {
      const { value } = await lines.next();
      assert(value, "the server has ended");
      const answer = JSON.parse(new TextDecoder().decode(value));
      if (answer.id === id) return answer.result;
    }
  };
  await ask(0, "initialize", {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  });
  return {
    async call(id, code) {
      const params = {
        name: "run_python_code",
        arguments: { python_code: code },
      };
      return (await ask(id, "tools/call", params)).structuredContent;
    },
    async [Symbol.asyncDispose]() {
      await writer.close();
      await ended;
      await lines.return(undefined);
    },
  };
}

function startLiar(lie: Lie): Deno.ChildProcess {
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--no-prompt", LIAR, JSON.stringify(lie)],
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
}
