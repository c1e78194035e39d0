/**
 * Attacks by components: on the process and on the server that run them, on files and
 * hosts that their policies do not grant, and on other callers. Most are of the
 * JavaScript that is made of a component, to which hostile names can add code.
 *
 * @module
 */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  assert,
  assertEquals,
  assertMatch,
  assertThrows,
} from "../deps/assert.ts";
import {
  Client,
  StdioClientTransport,
  StreamableHTTPClientTransport,
} from "../deps/mcp_client.ts";
import {
  type ComponentProcess,
  startComponentProcess,
} from "./support/component_process.ts";
import { startWebServer } from "./support/web_server.ts";
import { CACHE, command, COMMAND_LINE } from "./support/command.ts";
import { namesIn, tempFolder } from "./support/folder.ts";
import { writeGuest } from "./support/guests.ts";
import { startHttp } from "./support/http_server.ts";
import { checkStubs } from "./support/check_stubs.ts";
import { liar } from "./guests/liar.ts";
import { UserError } from "../src/errors.ts";
import { NOTHING_GRANTED } from "../src/grants/guest_grants.ts";
import {
  findComponentPlace,
  startComponent,
} from "../src/launcher/components/start_component.ts";
import { toAliases } from "../src/catalog/identifiers.ts";
import { toStub } from "../src/catalog/describe_tool.ts";
import { startServer, type TestClient } from "./support/server.ts";
import { plantGlue, telling } from "./support/planted_glue.ts";

const SOURCES = fileURLToPath(new URL("../src/", import.meta.url));

Deno.test("escape: JavaScript of a component loads no module, neither Node's nor this program's", async () => {
  const doors = JSON.stringify(
    new URL("component/worker/doors.ts", `file://${SOURCES}`).href,
  );
  const made = "export const instantiate = async () => ({ run: () => 'in' });";
  const codes = [
    `return typeof (await import("node:v8")).setFlagsFromString;`,
    `return typeof (await import /* a */ ("node:vm")).runInThisContext;`,
    `return (await import(${doors})).nativeFetch;`,
    `return (await impimport.meta.urlort("node:vm")).runInThisContext;`,
    `return (await \\u0069mport("node:vm")).runInThisContext;`,
    `return import.meta.dirname;`,
    `import * as vm from "node:vm"; ${made}`,
    `import"node:vm"; ${made}`,
    `export * from "node:vm"; ${made}`,
    `export { default as vm } from "node:process"; ${made}`,
  ];
  for (const code of codes) {
    await using planted = await plantGlue(code);
    assertMatch(
      await planted.run(),
      /escape|Expected|Invalid|Unexpected|not defined/,
      code,
    );
    assertEquals(planted.running.strange, []);
  }
  await using named = await plantGlue(
    "const it = { import: 'import', from: 1 }; return it.import + Array.from([it.from]);",
  );
  assertEquals(await named.run(), "import1");
});

Deno.test("escape: JavaScript of a component replaces nothing that this program calls", async () => {
  const file = "fetch('file://FOLDER/granted/link').then((one) => one.text())";
  const url = "globalThis.URL = class { protocol = 'http:'; hostname = 'a'; " +
    "toString() { return 'file://FOLDER/granted/link' } }";
  await using planted = await plantGlue(
    telling({
      test: "RegExp.prototype.test = () => true",
      includes: "Array.prototype.includes = () => true",
      call: "Function.prototype.call = function () { return this }",
      get: "WeakMap.prototype.get = (key) => key",
      define: "Object.defineProperty(String.prototype, 'at', { value: 1 })",
      ...{ file, url, again: file },
    }),
    (path) => ({
      hosts: ["127.0.0.1:9"],
      paths: [
        { host: `${path}/granted`, guest: "/granted", access: ["read"] },
      ],
    }),
  );
  const { url: set, ...came } = JSON.parse(await planted.run());
  assertMatch(set, /^class/);
  for (const [name, text] of Object.entries(came)) {
    assertMatch(String(text), /^failed: TypeError/, name);
  }
  assertMatch(came.file + came.again, /only http.*only http/);
});

Deno.test("escape: a task that fails after its call ends no later call", async () => {
  await using planted = await plantGlue(
    `setTimeout(() => { throw new Error("late") }); return "ok";`,
  );
  assertEquals(await planted.run(), "ok");
  // The task comes with the next call, or before it.
  for (const _ of [1, 2, 3]) {
    assertMatch(await planted.run(), /^ok$|its worker has failed: .*late/);
  }
});

Deno.test("escape: a component runs without its folder of the cache, if that cannot be written", async () => {
  await using folder = await tempFolder();
  await Deno.writeTextFile(join(folder.path, "components"), "a file");
  const file = await writeGuest("rust", folder.path);
  await using running = startComponentProcess(file, {
    cacheDir: folder.path,
  });
  assertEquals(await tell(running, "add", { a: 1, b: 2 }), "3");
});

/** Folders of a test with the component that tries files, network and so on. */
async function layFiles() {
  const folder = await tempFolder();
  const file = await writeGuest("wasi", folder.path);
  return {
    folder,
    /** The value of `--wasm` with a policy, which gets a file of its own. */
    async component(name: string, permissions: object, more: object = {}) {
      const policy = join(folder.path, `${name}.yaml`);
      const text = JSON.stringify({ version: "1.0", permissions, ...more });
      await Deno.writeTextFile(policy, text);
      return ["--wasm", `${name}=${file}@${policy}`];
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

const allow = (uri: string, ...access: string[]) => ({
  storage: { allow: [{ uri, access }] },
});

/** The text of a call's result, or of its failure. */
async function tell(
  running: ComponentProcess,
  tool: string,
  args: object = {},
): Promise<string> {
  const answer = await running.tryCall(tool, args, { timeoutMs: 20_000 });
  if (answer.type !== "result") return JSON.stringify(answer);
  const { content } = JSON.parse(answer.result);
  return content.map(({ text }: { text: string }) => text).join("\n");
}

Deno.test({
  name:
    "escape: no path of a component leads out of its folder, nor to a device or a pipe",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using folder = await tempFolder();
    const [rw, outside] = await folder.make(
      "rw",
      "outside",
      "rw/deep",
      "rw/deep/closed",
    );
    await Deno.writeTextFile(join(outside, "secret"), "a secret");
    await Deno.writeTextFile(join(rw, "deep/closed/kept"), "a secret");
    const links = {
      out: join(outside, "secret"),
      dangling: join(outside, "made"),
      folder: outside,
      root: "/proc/self/root",
      up: "..",
      chain: "up",
      null: "/dev/null",
      zero: "/dev/zero",
    };
    for (const [name, target] of Object.entries(links)) {
      await Deno.symlink(target, join(rw, name));
    }
    await Deno.link(join(outside, "secret"), join(rw, "hard"));
    await new Deno.Command("mkfifo", { args: [join(rw, "pipe")] }).output();
    const access = ["read", "write"] as const;
    await using running = startComponentProcess(
      await writeGuest("wasi", folder.path),
      {
        cacheDir: folder.path,
        grants: {
          paths: [{ host: rw, guest: "/rw", access }],
          deniedPaths: [
            { host: join(rw, "deep/closed"), access, kind: "folder" },
          ],
        },
      },
    );
    const secret = join(outside, "secret");
    const paths = [
      ...[
        "/rw/out",
        "/rw/dangling",
        "/rw/folder/secret",
        "/rw/../outside/secret",
      ],
      ...[`/rw/root${secret}`, "/rw/up/outside/secret", "/rw/null", "/rw/zero"],
      ...["/rw/chain/outside/secret", "/rw/pipe", "/proc/self/environ", secret],
      ...[
        "/rw/deep/closed/kept",
        "/rw/deep/../deep/closed/kept",
        "/etc/passwd",
      ],
    ];
    const steps: [tool: string, args: object][] = paths.flatMap((path) => [
      ["read_file", { path }],
      ["write_file", { path, text: "changed" }],
      ["append_file", { path, text: "changed" }],
      ["truncate", { path, length: 0 }],
    ]);
    for (
      const path of [
        ...["../outside/secret", secret, "folder/secret", "deep/../../outside"],
        ...["deep/closed/kept", "..", "up", "", "/", "a\0b", "x".repeat(5000)],
      ]
    ) steps.push(["open_at", { preopen: 0, path }]);
    steps.push(
      ["rename", { old: "/rw/deep", new: "/rw/moved" }],
      ["rename", { old: "/rw/deep/closed", new: "/rw/moved" }],
      ["rename", { old: "/rw/out", new: "/rw/moved" }],
      ["rename", { old: "/rw/hard", new: "/rw/../outside/moved" }],
      ["hard_link", { old: "/rw/hard", new: "/rw/moved" }],
      ["symlink", { target: "/etc/passwd", path: "/rw/moved" }],
      ["make_dir", { path: "/rw/folder/made" }],
      ["remove_file", { path: "/rw/folder/secret" }],
      ["remove_dir", { path: "/rw/deep/closed" }],
      ["list_dir", { path: "/rw/folder" }],
      ["list_dir", { path: "/rw/deep/closed" }],
      ["read_link", { path: "/rw/out" }],
      ["write_file", { path: "/rw/hard", text: "changed" }],
      ["truncate", { path: "/rw/hard", length: 0 }],
    );
    for (const [tool, args] of steps) {
      const answer = await running.call(`files__${tool}`, args);
      const told = `${tool} ${JSON.stringify(args)}: ${JSON.stringify(answer)}`;
      const isHere = tool === "open_at" && Object(args).path === "";
      assert(answer.isError || isHere, told);
      assert(!/a secret|root:x/.test(told), told);
    }
    assertEquals((await namesIn(outside)).sort(), ["secret"]);
    for (const path of [secret, join(rw, "deep/closed/kept")]) {
      assertEquals(await Deno.readTextFile(path), "a secret");
    }
  },
});

Deno.test("escape: a large file or folder ends no more than its call", async () => {
  await using folder = await tempFolder();
  const [ro] = await folder.make("ro");
  await Deno.writeTextFile(join(ro, "small"), "small");
  await Deno.writeTextFile(join(ro, "large"), "");
  await Deno.truncate(join(ro, "large"), 10 * 2 ** 30);
  await using running = startComponentProcess(
    await writeGuest("wasi", folder.path),
    {
      cacheDir: folder.path,
      grants: {
        paths: [{ host: ro, guest: "/ro", access: ["read"] }],
        limits: { memoryMiB: 16 },
      },
    },
  );
  assertMatch(
    await tell(running, "files__read_file", { path: "/ro/large" }),
    /memory|unreachable|alloc/i,
  );
  assertEquals(
    await tell(running, "files__read_file", { path: "/ro/small" }),
    "small",
  );
});

Deno.test("escape: a component reaches no address but those that are granted, however it is written", async () => {
  await using granted = startWebServer();
  await using other = startWebServer();
  await using folder = await tempFolder();
  await using running = startComponentProcess(
    await writeGuest("wasi", folder.path),
    {
      cacheDir: folder.path,
      grants: { hosts: [`127.0.0.1:${granted.port}`, "localhost.invalid"] },
    },
  );
  const get = (host: string) =>
    tell(running, "network__http_get", { url: `http://${host}/x` });
  assertMatch(await get(`127.0.0.1:${granted.port}`), /^\d\d\d/);
  const OWN = ["127.0.0.1", "2130706433", "0x7f.1", "0.0.0.0", "[::1]"];
  const OTHERS = ["localhost", "0", "[::1]", "[::]", "127.0.0.2"];
  const closed = [
    ...[...OWN, "[::ffff:127.0.0.1]"].map((host) => `${host}:${other.port}`),
    ...OTHERS.map((host) => `${host}:${granted.port}`),
    ...["169.254.169.254", "169.254.170.2", "[fd00:ec2::254]", "10.0.0.1"],
    `127.0.0.1.:${other.port}`,
  ];
  for (const host of closed) {
    const text = await get(host);
    assertMatch(text, /Denied: |invalid|no network|URI/i, `${host}: ${text}`);
    assert(!/^\d\d\d/.test(text), `${host}: ${text}`);
  }
  for (const name of ["localhost", "127.0.0.1:1", "[::1]:1"]) {
    const socket = await tell(running, "network__tcp_connect", {
      address: name,
    });
    assertMatch(socket, /denied|Invalid|invalid/, socket);
  }
  assertMatch(
    await tell(running, "network__resolve", { name: "localhost" }),
    /denied/i,
  );
});

/** Calls a tool of a component, and gives all texts of its result. */
async function call(
  { client }: TestClient,
  name: string,
  args: Record<string, unknown> = {},
): Promise<string> {
  const { content } = await client.callTool({ name, arguments: args });
  return (content as { text?: string }[]).map(({ text }) => text).join("\n");
}

Deno.test("escape: no policy of a component opens what this program runs from", async () => {
  await using laid = await layFiles();
  const closed = {
    cache: allow(`fs://${CACHE}/**`, "read"),
    sources: allow(`fs://${SOURCES}**`, "read"),
    around: allow(`fs://${join(SOURCES, "..")}/**`, "read", "write"),
  };
  const fine = allow(`fs://${laid.folder.path}/**`, "read");
  const options = await laid.component("fine", fine);
  for (const [name, permissions] of Object.entries(closed)) {
    options.push(...await laid.component(name, permissions));
  }
  const { stdout } = await command([
    ...["--cache-dir", CACHE, ...options, "components", "list"],
  ]);
  const [, first = "", ...rest] = stdout.trim().split("\n");
  assertMatch(first, /^fine +\d+ functions/);
  assertEquals(rest.length, 3, stdout);
  for (const line of rest) {
    assertMatch(line, /fails: .*which this program runs from/);
  }
});

Deno.test("escape: no component sees what is kept for all callers, nor writes what the user configures", async () => {
  await using folder = await tempFolder();
  const [cache, out, kept] = await folder.make("cache", "out", "kept");
  const place = await findComponentPlace({
    ...{ cacheDir: cache, isolation: "none", logLevel: "info" },
    ...{ logFile: join(out, "log"), mcpConfig: [join(out, "mcp.json")] },
    components: [{ name: "b", file: "b.wasm", policy: join(out, "b.yaml") }],
    ...{ stateDir: kept, sessionStore: join(folder.path, "sessions") },
  });
  const start = (host: string, ...access: ("read" | "write")[]) =>
    startComponent(
      {
        ...{ name: "a", source: "a test", transport: "wasm" },
        ...{ file: join(folder.path, "a.wasm"), sha256: "0" },
        grants: {
          ...NOTHING_GRANTED,
          paths: [{ host, guest: "/a", access }],
        },
      },
      { startMs: 1000, maxResult: 1000 },
      place,
    );
  const write = ["read", "write"] as const;
  assertThrows(() => start(kept, "read"), UserError);
  assertThrows(() => start(folder.path, "read"), UserError);
  assertThrows(() => start(join(folder.path, "sessions"), "read"), UserError);
  for (const place of [out, join(out, "log"), join(out, "b.yaml")]) {
    assertThrows(() => start(place, ...write), UserError);
  }
});

Deno.test("escape: callers of a component share neither its instance nor its words, and a slow call of one is no other's end", async () => {
  await using folder = await tempFolder();
  const file = await writeGuest("rust", folder.path);
  await using laid = await layFiles();
  const [alice, bob] = [crypto.randomUUID(), crypto.randomUUID()];
  await using web = startWebServer();
  const range = { network: { allow: [{ cidr: "127.0.0.0/8" }] } };
  await using server = await startHttp([
    ...["--wasm", `it=${file}`, ...await laid.component("web", range)],
    ...["--state-dir", join(folder.path, "state"), "--call-timeout", "20"],
  ], { env: { MCP_RUN_PYTHON_TOKEN: `alice:${alice},bob:${bob}` } });
  await using a = await server.connect("2025-11-25", { token: alice });
  await using a2 = await server.connect("2026-07-28", { token: alice });
  await using b = await server.connect("2025-11-25", { token: bob });
  const first = Number(await call(a, "it__count"));
  assertEquals(Number(await call(a2, "it__count")), first + 1);
  assertEquals(await call(b, "it__count"), "1");
  await a.client.transport?.send({
    ...{ jsonrpc: "2.0", method: "notifications/ours" },
    params: { secret: "alice's" },
  });
  // A notification has no answer: the next call comes behind it.
  const [seen, others] = [await call(a, "it__seen"), await call(b, "it__seen")];
  assertMatch(seen, /alice's/);
  assert(!others.includes("alice's"), others);
  // The port of the server itself stays closed, though its address is granted.
  const get = (port: number | string) =>
    call(a, "web__network__http_get", { url: `http://127.0.0.1:${port}/x` });
  assertMatch(await get(web.port), /^\d\d\d/);
  assertMatch(await get(server.url.port), /Denied: /);

  const ended: string[] = [];
  const wait = async (of: TestClient, name: string, milliseconds: number) => {
    const text = await call(of, "web__environment__sleep", { milliseconds });
    assert(!/rror|stopped/.test(text), text);
    ended.push(name);
  };
  const floods = Array.from({ length: 8 }, () => wait(a, "a", 300));
  assertEquals(await call(b, "it__add", { a: 1, b: 2 }), "3");
  await wait(b, "b", 1);
  await Promise.all(floods);
  assertEquals(ended.at(-1), "a", ended.join());
});

/** Characters that speak to a terminal, or hide and move others. */
const CONTROLS = /[^\P{C}\n]|[\p{Zl}\p{Zp}]/u;

Deno.test("escape: words of a component are code for no client, no Python and no terminal", async () => {
  await using folder = await tempFolder();
  const files: Record<string, string> = {
    docs: await writeGuest("docs-words", folder.path),
    reserved: await writeGuest("names-reserved-python", folder.path),
    it: await writeGuest("rust", folder.path),
  };
  for (const lie of ["names-odd", "tools-one-in-python", "odd-info"] as const) {
    files[lie] = join(folder.path, `${lie}.wasm`);
    await Deno.writeFile(files[lie], await liar(lie));
  }
  const options = Object.entries(files).flatMap(([name, file]) => [
    ...["--wasm", `${name}=${file}`],
  ]);
  await using server = await startServer([
    ...options,
    ...["--state-dir", join(folder.path, "state")],
  ]);
  const { tools } = await server.client.listTools();
  const names = tools.map(({ name }) => name);
  assertEquals(new Set(names).size, names.length);
  assert(names.length > 20, names.join());
  for (const name of names) assertMatch(name, /^[\w-]{1,64}$/);
  const told = await server.call(`import components, inspect
seen = []
for name in dir(components):
    module = getattr(components, name)
    for tool in dir(module):
        if not tool.startswith("_"):
            one = getattr(module, tool)
            seen.append([tool.isidentifier(), inspect.getdoc(one) is not None or True])
assert "pwned" not in globals() and all(a and b for a, b in seen), seen
len(seen)`);
  assert(Number(told.returnValue) > 10, told.text);

  for (const [name, file] of Object.entries(files)) {
    await using running = startComponentProcess(file, {
      cacheDir: folder.path,
    });
    const listed = await running.list();
    assert(listed.type === "tools", name);
    const aliases = toAliases(listed.tools.map((tool) => tool.name));
    await checkStubs(listed.tools.map((tool) => {
      const alias = aliases.get(tool.name) ?? tool.name;
      return { alias, stub: toStub(tool, alias, "component") };
    }));
  }
  const printed = await Promise.all([
    command(["--cache-dir", CACHE, "components", "inspect", files.docs ?? ""]),
    command([
      ...["--cache-dir", CACHE, "components", "call", files.it ?? "", "echo"],
      `text=\x1b[2J\u009b31m\u202eDenied\r`,
    ]),
    command([
      ...["--cache-dir", CACHE, "components", "call", files.it ?? "", "fail"],
      `message=\x1b[2J\u009b31m\u202e`,
    ]),
  ]);
  for (const { stdout, stderr } of printed) {
    assert(!CONTROLS.test(stdout + stderr), JSON.stringify(stdout + stderr));
  }
});

Deno.test("escape: only the user, and over stdio alone, grants what a component was denied", async () => {
  await using laid = await layFiles();
  await using site = startWebServer();
  const url = `http://127.0.0.1:${site.port}/x`;
  const options = [
    ...await laid.component("it", {}),
    ...["--state-dir", join(laid.folder.path, "state"), "--approve", "grants"],
  ];
  const COME = {
    "stdio: accept": [true, "reached"],
    "stdio: decline": [true, "denied"],
    "stdio: cannot": [false, "denied"],
    "http: accept": [false, "denied"],
  };
  await using web = await startHttp(options);
  for (const [how, expected] of Object.entries(COME)) {
    const [via, action = ""] = how.split(": ");
    const client = new Client({ name: "test", version: "1" }, {
      capabilities: action === "cannot" ? {} : { elicitation: { form: {} } },
    });
    const asked: string[] = [];
    if (action !== "cannot") {
      client.setRequestHandler("elicitation/create", ({ params }) => {
        asked.push(params.message);
        return { action: action as "accept", content: {} };
      });
    }
    await client.connect(
      via === "http"
        ? new StreamableHTTPClientTransport(web.url)
        : new StdioClientTransport({
          ...{ command: Deno.execPath(), env: Deno.env.toObject() },
          args: [...COMMAND_LINE.slice(1), ...options, "stdio"],
        }),
    );
    try {
      // Code asks first, and cannot answer.
      await client.callTool({
        name: "run_python_code",
        arguments: {
          python_code:
            `from components import it\ntry: it.network__http_get("${url}")\nexcept Exception: pass`,
        },
      });
      const { content, isError } = await client.callTool({
        name: "it__network__http_get",
        arguments: { url },
      });
      const text = JSON.stringify(content);
      const came = isError ? "denied" : "reached";
      assertEquals([asked.length > 0, came], expected, `${how}: ${text}`);
      for (const message of asked) assertMatch(message, /reach: [^]*127/);
    } finally {
      await client.close();
    }
  }
});
