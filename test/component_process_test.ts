/**
 * The process of a component, as the launcher starts it: its walls, its limits, and what
 * it answers when a component traps, lies, or does not end.
 *
 * @module
 */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { maybeTranslation } from "../src/component/slot.ts";
import { sha256 } from "../src/disk.ts";
import { DENIED, type GuestGrants } from "../src/grants/guest_grants.ts";
import { HOSTILE } from "./guests/hostile.ts";
import { liar } from "./guests/liar.ts";
import { startComponentProcess } from "./support/component_process.ts";
import { namesIn, tempFolder } from "./support/folder.ts";
import { plantGlue } from "./support/planted_glue.ts";
import { type GuestName, readGuest, writeGuest } from "./support/guests.ts";
import { someOf } from "./support/rounds.ts";

type Grants = Partial<GuestGrants>;

/** A folder of a test with a component in it, whose processes keep their files there. */
async function openGuest(name: GuestName) {
  const folder = await tempFolder();
  const file = await writeGuest(name, folder.path);
  return {
    ...{ folder, file, path: folder.path },
    start: (grants: Grants = {}, terms: object = {}) =>
      startComponentProcess(file, { cacheDir: folder.path, grants, ...terms }),
    slot: join(
      ...[folder.path, "components", `${sha256(await readGuest(name))}-1`],
    ),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

// deno-lint-ignore no-explicit-any -- of any form
const textOf = ({ content }: any): string =>
  content.map(({ text }: { text: string }) => text).join("\n");

Deno.test("a component's instance is its caller's own, and lives on", async () => {
  await using guest = await openGuest("rust");
  await using running = guest.start();
  const count = async (owner: string) =>
    textOf(await running.call("count", {}, { owner }));
  assertEquals(await count("a"), "1");
  assertEquals(await count("a"), "2");
  assertEquals(await count("b"), "1");
  running.send({ type: "notify", name: "changed", owner: "a" });
  const seen = JSON.parse(
    textOf(await running.call("seen", {}, { owner: "a" })),
  );
  assertEquals(seen.client.name, "mcp-run-python");
  assertEquals(seen.notifications.length, 1);
  assertEquals(running.strange, []);
});

Deno.test("with instances that are fresh, no call sees another", async () => {
  await using guest = await openGuest("rust");
  await using running = guest.start({ instance: "fresh" });
  for (const _ of [1, 2]) {
    assertEquals(textOf(await running.call("count")), "1");
  }
});

Deno.test("requests at a time are answered in their order", async () => {
  await using guest = await openGuest("rust");
  await using running = guest.start();
  const counts = await Promise.all(
    [1, 2, 3, 4].map(() => running.call("count", {}, { owner: "a" })),
  );
  assertEquals(counts.map(textOf), ["1", "2", "3", "4"]);
});

Deno.test("other bytes than those that are pinned are refused, with both hashes", async () => {
  await using guest = await openGuest("rust");
  const pin = sha256("other");
  await using running = guest.start({}, { sha256: pin });
  const answer = await running.list();
  assert(answer.type === "failed");
  assert(answer.reason.includes(pin), answer.reason);
  assert(answer.reason.includes(sha256(await readGuest("rust"))));
});

Deno.test("a trap is an error with its words, and the next call has a new instance", async () => {
  await using guest = await openGuest("rust");
  await using running = guest.start();
  const owner = "a";
  await running.call("count", {}, { owner });
  const failed = await running.call("fail", { message: "boom" }, { owner });
  assertEquals(failed.isError, true);
  assertMatch(textOf(failed), /unreachable[^]*boom/);
  assertEquals(textOf(await running.call("count", {}, { owner })), "1");
});

Deno.test("a component cannot take more memory than its policy grants", async () => {
  await using guest = await openGuest("rust");
  await using running = guest.start({ limits: { memoryMiB: 32 } });
  const failed = await running.call("hog", { mib: 64 });
  assertEquals(failed.isError, true);
  assertMatch(textOf(failed), /all of its memory, 32 MiB.*x-limits\.memory/);
  assertEquals(textOf(await running.call("hog", { mib: 8 })), "8");
});

Deno.test("a result has at most as many characters as its policy grants", async () => {
  await using guest = await openGuest("rust");
  await using running = guest.start({ limits: { maxOutput: 1000 } });
  const failed = await running.tryCall("flood", { bytes: 5000 });
  assert(failed.type === "failed" && failed.kind === "size");
  assertMatch(failed.reason, /has 50\d\d characters.*may have 1000/);
  assertEquals(textOf(await running.call("flood", { bytes: 5 })), "xxxxx");
});

Deno.test("a call that does not end ends its process, and the next process serves", async () => {
  await using guest = await openGuest("rust");
  await using running = guest.start();
  await running.list();
  const [late, other] = await Promise.all([
    running.tryCall("spin", {}, { timeoutMs: 300 }),
    running.tryCall("add", { a: 1, b: 2 }),
  ]);
  assert(late.type === "failed" && late.kind === "timeout");
  assertMatch(late.reason, /did not end within 0\.3 s/);
  assert(other.type === "failed" && other.kind === "connection");
  await running.status;
  await using next = guest.start();
  assertEquals(textOf(await next.call("add", { a: 1, b: 2 })), "3");
});

Deno.test("the time that a policy grants counts where it is shorter", async () => {
  await using guest = await openGuest("rust");
  // Of a list, too: so it is made ready first.
  await using first = guest.start();
  await first.list();
  await using running = guest.start({ limits: { timeoutMs: 5000 } });
  await running.list();
  const late = await running.tryCall("spin", {}, { timeoutMs: 600_000 });
  assert(late.type === "failed" && late.kind === "timeout");
});

Deno.test("a call that is cancelled ends, and one that waits is dropped", async () => {
  await using guest = await openGuest("rust");
  await using running = guest.start();
  await running.list();
  const spinning = running.tryCall("spin");
  const waiting = running.tryCall("count");
  running.send({ type: "cancel", id: 3 });
  const dropped = await waiting;
  assert(dropped.type === "failed");
  assertMatch(dropped.reason, /cancelled/);
  running.send({ type: "cancel", id: 2 });
  const cancelled = await spinning;
  assert(cancelled.type === "failed");
  await running.status;
});

Deno.test("the process of a component that computes ends with its input", async () => {
  await using guest = await openGuest("rust");
  await using running = guest.start();
  await running.list();
  const spinning = running.tryCall("spin");
  await running[Symbol.asyncDispose]();
  assertEquals((await spinning).type, "failed");
});

Deno.test("what was made of a component is kept, and made anew if it is not whole", async () => {
  await using guest = await openGuest("rust");
  const both = [guest.start(), guest.start()];
  for (const running of both) {
    assertEquals((await running.list()).type, "tools");
  }
  for (const running of both) await running[Symbol.asyncDispose]();
  assertEquals(await namesIn(guest.slot), ["translation"]);
  const file = join(guest.slot, "translation");
  const bytes = await Deno.readFile(file);
  bytes.fill(32, bytes.length - 100);
  await Deno.writeFile(file, bytes);
  assertEquals(await maybeTranslation(guest.slot), undefined);
  await using running = guest.start();
  assertEquals(textOf(await running.call("add", { a: 1, b: 2 })), "3");
  assert(await maybeTranslation(guest.slot));
});

Deno.test({
  name: "the process of a component has what its policy grants, and no more",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using guest = await openGuest("rust");
    const [ro, rw] = await guest.folder.make("ro", "rw");
    await using running = guest.start({
      hosts: ["example.com:443"],
      paths: [
        { host: ro, guest: "/ro", access: ["read"] },
        { host: rw, guest: "/rw", access: ["read", "write"] },
      ],
    });
    await running.list();
    const line = await Deno.readTextFile(
      `/proc/${running.process.pid}/cmdline`,
    );
    const flags = line.split("\0").filter((flag) => flag.startsWith("--"));
    const [src, deps] = ["src", "deps"].map((name) =>
      fileURLToPath(new URL(`../${name}`, import.meta.url))
    );
    const [denied = ""] = flags.filter((flag) => flag.startsWith("--deny"));
    assertEquals(flags, [
      ...["--quiet", "--cached-only", "--no-prompt"],
      `--allow-read=${[guest.file, guest.slot, src, deps, ro, rw]}`,
      `--allow-write=${[guest.slot, rw]}`,
      ...["--allow-net=example.com:443", denied],
      "--v8-flags=--disallow-code-generation-from-strings,--max-old-space-size=512",
    ]);
    assertMatch(denied, /^--deny-net=.*127\.0\.0\.0\/8/);
  },
});

Deno.test({
  name: "the folder of a component is there before the second wall stands",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using guest = await openGuest("rust");
    const show = 'test -d "$0" && exec "$@"';
    const wall = ["/bin/sh", "-c", show, guest.slot];
    await using running = guest.start({}, { wall });
    assertEquals((await running.list()).type, "tools");
  },
});

/** Of the hostile files, those that differ most. */
const FEW = [
  ...["not-wasm", "core-module", "truncated", "components-deep"],
  ...["loop-in-start", "loop-in-call", "trap-in-call", "stack-overflow"],
  ...["memory-grows-for-ever", "tables-huge", "post-return-loops"],
  ...["import-unknown", "import-like-wasi", "inject-import"],
  ...["names-of-core-exports", "export-name-comment"],
];

Deno.test("hostile files each give one error, or are served", async (test) => {
  await using folder = await tempFolder();
  for (const [name, { error, read }] of someOf(HOSTILE, FEW)) {
    await test.step(name, async () => {
      const file = join(folder.path, "hostile.wasm");
      await Deno.writeFile(file, await read());
      await using running = startComponentProcess(file, {
        ...{ cacheDir: folder.path, startMs: 4000 },
        grants: { limits: { memoryMiB: 64 } },
      });
      const listed = await running.list();
      let said = JSON.stringify(listed);
      if (listed.type === "tools" && listed.tools[0]) {
        const { name, inputSchema } = listed.tools[0];
        const properties = Object.keys(Object(inputSchema.properties));
        const args = Object.fromEntries(properties.map((key) => [key, "x"]));
        said = JSON.stringify(
          await running.tryCall(name, args, { timeoutMs: 500 }),
        );
      }
      // An end without words is of a process that has crashed.
      assert(!said.includes('"it ended"'), said);
      if (error) assertMatch(said, error);
      assertEquals(running.strange, []);
    });
  }
});

Deno.test("servers that lie leave their process in order", async () => {
  await using folder = await tempFolder();
  const lies = [
    ...["initialize-traps", "list-loops", "schema-huge", "schema-deep"],
    ...["call-prints-for-ever", "call-exits", "result-huge", "names-odd"],
  ] as const;
  for (const lie of lies) {
    const file = join(folder.path, `${lie}.wasm`);
    await Deno.writeFile(file, await liar(lie));
    await using running = startComponentProcess(file, {
      ...{ cacheDir: folder.path, startMs: 5000 },
    });
    const listed = await running.list();
    const called = await running.tryCall("lie", {}, { timeoutMs: 1000 });
    assert(!JSON.stringify([listed, called]).includes("pwned = 2"), lie);
    assertEquals(running.strange, [], lie);
  }
});

/** The text of a component's JavaScript, and lines outside of the protocol. */
async function runGlue(code: string, grants: Grants = {}) {
  await using planted = await plantGlue(code, () => grants);
  return { text: await planted.run(), strange: planted.running.strange };
}

Deno.test("glue finds no door out of its worker", async () => {
  const names = [
    ...["Deno", "process", "Buffer", "Worker", "BroadcastChannel"],
    ...["WebSocket", "WebSocketStream", "EventSource", "postMessage", "caches"],
    ...["localStorage", "importScripts", "close", "navigator", "onmessage"],
    ...["Request", "MessageChannel", "WebTransport", "addEventListener2"],
  ];
  const { text } = await runGlue(
    `return ${
      JSON.stringify(names)
    }.filter((name) => globalThis[name] !== undefined).join();`,
  );
  assertEquals(text, "");
  const evaluated = await runGlue(
    `try { return String((0, eval)("1+1")) } catch (e) { return e.name }`,
  );
  assertEquals(evaluated.text, "EvalError");
});

Deno.test("glue that writes to its console, or throws in a task, forges no message", async () => {
  const { strange } = await runGlue(
    `console.log('{"type":"result","id":1,"result":"{}"}'); return "ok";`,
  );
  assertEquals(strange, []);
});

Deno.test("glue's fetch reaches no host that is not granted, nor files", async () => {
  await using server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    () => new Response("reached"),
  );
  const tries = async (url: string, grants: Grants) =>
    (await runGlue(
      `return globalThis.done ??= (fetch(${
        JSON.stringify(url)
      }).then((r) => r.text()).then((t) => globalThis.done = t, (e) => globalThis.done = e.message), new Promise((resolve) => setTimeout(() => resolve(globalThis.done), 500)));`,
      grants,
    )).text;
  const url = `http://127.0.0.1:${server.addr.port}/`;
  const granted = { hosts: [`127.0.0.1:${server.addr.port}`] };
  assertMatch(await tries(url, granted), /reached/);
  assertMatch(await tries(url, {}), /no network access/);
  assertMatch(
    await tries(url, { hosts: ["example.com"] }),
    /no network access/,
  );
  assertMatch(
    await tries("file:///etc/passwd", granted),
    /only http and https/,
  );
});

Deno.test("a process that takes memory beside its instances is stopped, with words", async () => {
  const { text } = await runGlue(
    `const held = []; for (;;) held.push(new Uint8Array(1 << 20).fill(1));`,
    { limits: { memoryMiB: 16 } },
  );
  assertMatch(text, /has taken \d+ MiB of memory, and was stopped/);
});

Deno.test("the process of a component that goes on between calls is stopped", async () => {
  await using planted = await plantGlue(
    `setTimeout(() => { for (;;); }); return "ok";`,
    () => ({ limits: { cpuSeconds: 1 } }),
  );
  assertEquals(await planted.run(), "ok");
  await planted.running.status;
});

Deno.test("a call has at most the CPU time that its policy grants", async () => {
  await using guest = await openGuest("rust");
  await using running = guest.start({ limits: { cpuSeconds: 2 } });
  const failed = await running.tryCall("spin", {}, { timeoutMs: 600_000 });
  assert(failed.type === "failed" && failed.kind === "timeout");
  assertMatch(failed.reason, /3 s of CPU time/);
});

async function openWasi(grants: (path: string) => Grants) {
  const guest = await openGuest("wasi");
  const running = guest.start(grants(guest.path));
  return {
    ...guest,
    running,
    async told(tool: string, args: object = {}) {
      const result = await running.call(tool, args);
      return { text: textOf(result), denied: result._meta?.[DENIED] };
    },
    async [Symbol.asyncDispose]() {
      await running[Symbol.asyncDispose]();
      await guest[Symbol.asyncDispose]();
    },
  };
}

Deno.test("WASI's files are those that are granted, and no link leads out", async () => {
  const access = ["read", "write"] as const;
  await using guest = await openWasi((path) => ({
    paths: [
      { host: `${path}/ro`, guest: "/ro", access: ["read"] },
      { host: `${path}/rw`, guest: "/rw", access },
      {
        host: `${path}/out/one.txt`,
        ...{ guest: "/one/one.txt", access: ["read"], isFile: true },
      },
    ],
    deniedPaths: [{ host: `${path}/rw/closed`, access, kind: "folder" }],
  }));
  await guest.folder.make("ro", "rw", "out", "rw/closed");
  await Deno.writeTextFile(`${guest.path}/ro/a.txt`, "a text");
  await Deno.writeTextFile(`${guest.path}/rw/closed/a.txt`, "closed");
  await Deno.writeTextFile(`${guest.path}/out/a.txt`, "outside");
  await Deno.writeTextFile(`${guest.path}/out/one.txt`, "one file");
  await Deno.symlink(`${guest.path}/out/a.txt`, `${guest.path}/ro/out`);
  await Deno.symlink("a.txt", `${guest.path}/ro/in`);
  const read = async (path: string) =>
    (await guest.told("files__read_file", { path })).text;
  assertEquals(await read("/ro/a.txt"), "a text");
  assertEquals(await read("/ro/in"), "a text");
  for (
    const path of [
      "/ro/out",
      "/ro/../out/a.txt",
      "/rw/closed/a.txt",
      "/etc/passwd",
    ]
  ) {
    const text = await read(path);
    assert(!/outside|closed$|root:/.test(text), `${path}: ${text}`);
  }
  assertEquals(await read("/one/one.txt"), "one file");
  const listed = await guest.told("files__list_dir", { path: "/one" });
  assertEquals(listed.text, "one.txt");
  const changed = { path: "/one/one.txt", text: "x" };
  assertMatch(
    (await guest.told("files__write_file", changed)).text,
    /Read-only/,
  );
  assertMatch(await read("/one/a.txt"), /No such file/);
  const raw = { preopen: 0, path: "../rw/new.txt" };
  assertMatch((await guest.told("files__open_at", raw)).text, /access/);
  const wrote = await guest.told("files__write_file", {
    ...{ path: "/ro/new.txt", text: "x" },
  });
  assertMatch(wrote.text, /Read-only[^]*permissions\.storage\.allow/);
  assertEquals(wrote.denied, [
    { kind: "write", path: `${guest.path}/ro/new.txt` },
  ]);
  await guest.told("files__write_file", { path: "/rw/new.txt", text: "x" });
  assertEquals(await Deno.readTextFile(`${guest.path}/rw/new.txt`), "x");
  assertEquals(await read("/rw/new.txt"), "x");
});

Deno.test("WASI's environment is that of the policy, and waiting takes its time", async () => {
  await using guest = await openWasi(() => ({ variables: { KEY: "value" } }));
  const told = async (tool: string, args: object = {}) =>
    (await guest.told(`environment__${tool}`, args)).text;
  assertEquals(await told("env_all"), "KEY=value");
  assertEquals(await told("args"), "guest");
  const [before, between] = [Number(await told("now")), performance.now()];
  await told("sleep", { milliseconds: 50 });
  assert(performance.now() - between >= 49);
  assert(Number(await told("now")) - before >= 49);
  assertEquals((await told("random", { length: 8 })).length, 16);
  assertMatch(await told("exit", { code: 3 }), /ended itself/);
  assertEquals(await told("env_all"), "KEY=value");
});

Deno.test("WASI's HTTP reaches the hosts that are granted, and follows no redirect by itself", async () => {
  await using server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    async (request) =>
      request.url.endsWith("/away")
        ? Response.redirect("http://127.0.0.2:8099/")
        : new Response(`${request.method} ${await request.text()}`),
  );
  const url = `http://127.0.0.1:${server.addr.port}`;
  await using guest = await openWasi(() => ({
    hosts: [`127.0.0.1:${server.addr.port}`],
  }));
  const get = (url: string) => guest.told("network__http_get", { url });
  assertEquals((await get(`${url}/`)).text, "200\nGET ");
  const body = { url: `${url}/`, body: "data" };
  const posted = await guest.told("network__http_post", body);
  assertEquals(posted.text, "200\nPOST data");
  assertMatch((await get(`${url}/away`)).text, /^302\n/);
  const refused = await get("http://127.0.0.2:8099/");
  assertEquals(refused.denied, [{ kind: "net", host: "127.0.0.2:8099" }]);
  assertMatch(refused.text, /permissions\.network\.allow/);
  const socket = { address: `127.0.0.1:${server.addr.port}` };
  assertMatch(
    (await guest.told("network__tcp_connect", socket)).text,
    /access-denied/,
  );
});
