/**
 * What surrounds calls of components on a real server: questions for grants, rules,
 * limits, shares, logs, and files of options that change.
 *
 * @module
 */
import { join } from "node:path";
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { sha256 } from "../src/disk.ts";
import { startAsking } from "./support/asking_client.ts";
import { command } from "./support/command.ts";
import {
  callComponentTool as call,
  stateIn,
  toolsOf,
} from "./support/component_calls.ts";
import { valueOfCode } from "./support/code_mode.ts";
import { tempFolder } from "./support/folder.ts";
import { writeGuest } from "./support/guests.ts";
import { startHttp } from "./support/http_server.ts";
import { ERAS, startServer } from "./support/server.ts";
import { startWebServer } from "./support/web_server.ts";

// deno-lint-ignore no-explicit-any -- of any form
type Line = any;

/** Lines of a file of JSON that may be about to be written. */
function linesOf(path: string): Line[] {
  return Deno.readTextFileSync(path).split("\n").slice(0, -1)
    .map((line) => JSON.parse(line));
}

for (const era of ERAS) {
  Deno.test(`grants (${era}): a host that a component was denied is asked about: a yes counts from the next call, a no changes nothing`, async () => {
    await using folder = await tempFolder();
    await using web = startWebServer();
    await using second = startWebServer();
    const file = await writeGuest("wasi", folder.path);
    const audit = join(folder.path, "audit");
    let action: "accept" | "decline" = "decline";
    await using opened = await startAsking(
      [
        ...["--wasm", `it=${file}`, "--approve", "grants", "--audit", audit],
        ...stateIn(folder),
      ],
      { era },
      () => action,
    );
    const get = () =>
      call(opened, "it__network__http_get", { url: `${web.origin}/bytes?3` });
    for (const _ of [1, 2]) {
      const denied = await get();
      assert(denied.isError, denied.text);
      assert(!denied.text.includes("granted"), denied.text);
    }
    assertEquals(opened.asked.length, 2);
    assertMatch(
      opened.asked[0] ?? "",
      new RegExp(`component asks[^]*"it"[^]*${web.host}[^]*Grant it`),
    );
    action = "accept";
    assertMatch((await get()).text, /The user has granted the host.*again/);
    assertEquals(web.requests, []);
    const granted = await get();
    assert(!granted.isError, granted.text);
    assertEquals([web.requests.length, opened.asked.length], [1, 3]);
    // Of one host, and no other.
    action = "decline";
    const other = await call(opened, "it__network__http_get", {
      url: `${second.origin}/bytes?3`,
    });
    assert(other.isError);
    assertEquals(opened.asked.length, 4);
    // Calls of Python are asked about likewise.
    action = "accept";
    const code = `from components import it
said = []
for _ in range(2):
    try:
        said.append(it.network__http_get(url="${second.origin}/bytes?3")[:3])
    except Exception as error:
        said.append("granted" in str(error))
said`;
    const { structuredContent } = await opened.client.callTool({
      ...{ name: "run_python_code", arguments: { python_code: code } },
    }, { timeout: 900_000 });
    assertEquals(Object(structuredContent).return_value, [true, "200"]);
    const answers = linesOf(audit).filter(({ event }) => event === "approval")
      .map(({ answer }) => answer);
    assertEquals(answers, [
      ...["declined", "declined", "accepted", "declined", "accepted"],
    ]);
  });
}

Deno.test("grants: over HTTP no caller is asked, and a client that cannot ask gets the denial", async () => {
  await using folder = await tempFolder();
  await using web = startWebServer();
  const file = await writeGuest("wasi", folder.path);
  const options = ["--wasm", `it=${file}`, "--approve", "grants"];
  for (const via of ["http", "stdio"] as const) {
    await using opened = await startAsking(
      [...options, ...stateIn(folder)],
      { via },
      via === "http" ? () => "accept" : undefined,
    );
    for (const _ of [1, 2]) {
      const url = `${web.origin}/bytes?3`;
      const denied = await call(opened, "it__network__http_get", { url });
      assert(denied.isError, denied.text);
      assertMatch(denied.text, /network\.allow|permissions/);
    }
    assertEquals([opened.asked, web.requests], [[], []]);
  }
});

Deno.test("a tool that --allow-tool denies is hidden from clients and from Python, and is not called", async () => {
  await using folder = await tempFolder();
  const file = await writeGuest("rust", folder.path);
  await using server = await startServer([
    ...["--wasm", `it=${file}`, "--allow-tool", "!it.echo", ...stateIn(folder)],
  ]);
  const names = await toolsOf(server, "it");
  assert(names.includes("it__add") && !names.includes("it__echo"), `${names}`);
  const refused = await call(server, "it__echo", { text: "a" })
    .catch((error) => error);
  assertMatch(`${refused}`, /Unknown tool "it__echo"/);
  const told = await server.call(`from components import it
try:
    it.echo(text="a")
except Exception as error:
    said = type(error).__name__
[said, "echo" in dir(it), "add" in dir(it), it.add(a=1, b=2)]`);
  const [said, ...rest] = (told.returnValue ?? []) as unknown[];
  assertEquals(rest, [false, true, "3"], told.error);
  assertMatch(`${said}`, /Error$/);
});

Deno.test("a call that is cancelled, or over its time, ends, and the next one works at once", async () => {
  await using folder = await tempFolder();
  const file = await writeGuest("rust", folder.path);
  await using server = await startServer([
    ...["--wasm", `it=${file}`, "--call-timeout", "2", ...stateIn(folder)],
  ]);
  const add = async () => (await call(server, "it__add", { a: 1, b: 1 })).text;
  for (const _ of [1, 2, 3]) {
    const late = await call(server, "it__spin");
    assert(late.isError);
    assertMatch(late.text, /2 s.*--call-timeout/);
    assertEquals(await add(), "2");
  }
  const ending = new AbortController();
  const spinning = call(server, "it__spin", {}, { signal: ending.signal })
    .catch(() => "cancelled");
  // It waits for its turn while the component computes.
  const waiting = add();
  ending.abort();
  assertEquals(await spinning, "cancelled");
  assertEquals(await waiting, "2");
  const told = await server.call(`from components import it
try:
    it.spin()
except Exception as error:
    said = str(error)
[said, it.add(a=2, b=2)]`);
  const [said, sum] = (told.returnValue ?? []) as unknown[];
  assertMatch(`${said}`, /2 s/, told.error);
  assertEquals(sum, "4");
});

Deno.test("with one run at a time, Python calls components, and a client's call takes its turn", async () => {
  await using folder = await tempFolder();
  const file = await writeGuest("rust", folder.path);
  const [audit, logs] = [join(folder.path, "audit"), join(folder.path, "log")];
  await using server = await startServer([
    ...["--wasm", `it=${file}`, "--max-concurrency", "1", ...stateIn(folder)],
    ...["--audit", audit, "--log-file", logs, "--log-format", "json"],
  ]);
  await server.client.listTools();
  const code = `from components import it
import time
first = it.add(a=1, b=1)
time.sleep(1)
[first, it.count()]`;
  const begun = Promise.withResolvers<void>();
  const running = server.call(`print("on", flush=True)\n${code}`, {}, {
    onprogress: begun.resolve,
  });
  await begun.promise;
  const calls = [1, 2].map(() => call(server, "it__count"));
  const told = await running;
  const [first, inPython] = (told.returnValue ?? []) as unknown[];
  assertEquals(first, "2", told.error);
  const counts = (await Promise.all(calls)).map(({ text }) => Number(text));
  // Those of the client were made after all of the code's.
  assertEquals(counts.sort(), [1, 2].map((more) => Number(inPython) + more));
  const audited = linesOf(audit).filter(({ event }) => event === "call");
  assertEquals(
    audited.map(({ server, tool, outcome, client }) =>
      [server, tool, outcome, client].join()
    ),
    [
      ...["it,add,ok,test", "it,count,ok,test"],
      ...["it,count,ok,test", "it,count,ok,test"],
    ],
  );
  assertEquals(new Set(audited.map(({ id }) => id)).size, 3);
  const runs = linesOf(logs).filter(({ event }) => event === "run");
  assertEquals(runs.map(({ status }) => status), [
    ...["success", "success", "success"],
  ]);
});

Deno.test("components of files of options and of MCP servers are listed and called", async () => {
  await using folder = await tempFolder();
  const file = await writeGuest("rust", folder.path);
  const policy = join(folder.path, "policy.yaml");
  await Deno.writeTextFile(policy, 'version: "1.0"\npermissions: {}\n');
  const hash = sha256(await Deno.readFile(file));
  const servers = join(folder.path, "servers.json");
  const entry = { wasm: "./rust.wasm", policy: "./policy.yaml" };
  await Deno.writeTextFile(
    servers,
    JSON.stringify({
      mcpServers: {
        good: { ...entry, sha256: hash.toUpperCase() },
        bad: { ...entry, sha256: "0".repeat(64) },
      },
    }),
  );
  const config = join(folder.path, "config.toml");
  await Deno.writeTextFile(
    config,
    'wasm = ["first=./rust.wasm"]\nmcp-config = ["./servers.json"]\n',
  );
  const options = ["--config", config, ...stateIn(folder)];
  await using server = await startServer(options);
  assertEquals(
    await valueOfCode(
      server,
      `from components import first, good
import components
[first.add(a=1, b=1), good.add(a=1, b=2), hasattr(components, "bad")]`,
    ),
    ["2", "3", false],
  );
  const listed = await command([...options, "servers", "list"]);
  assertMatch(listed.stdout, /first[^]*good/, listed.stderr);
  assertMatch(listed.stdout + listed.stderr, /bad[^]*SHA-256[^]*0{64}/);
  const tested = await command([...options, "servers", "test", "good"]);
  assertMatch(tested.stdout, /11 tools/, tested.stderr);
});

Deno.test("over stdio a file that has changed starts once the user agrees; over HTTP, at SIGHUP", async () => {
  await using folder = await tempFolder();
  const file = await writeGuest("rust", folder.path);
  const other = await Deno.readFile(await writeGuest("types", folder.path));
  const rust = await Deno.readFile(file);
  const options = ["--wasm", `it=${file}`, ...stateIn(folder)];
  const code = (call: string) => ({
    name: "run_python_code",
    arguments: {
      python_code: `from components import it
try:
    said = it.${call}
except Exception as error:
    said = str(error)
said`,
    },
  });
  const ways = [
    ["decline", "of Python"],
    ["accept", "of Python"],
    ["decline", "of a client"],
    ["accept", "of a client"],
  ] as const;
  for (const [action, calls] of ways) {
    await Deno.writeFile(file, rust);
    await using opened = await startAsking(options, {}, () => action);
    const { client, asked } = opened;
    const run = async (call: string) => {
      const told = await client.callTool(code(call), { timeout: 900_000 });
      return Object(told.structuredContent).return_value;
    };
    const told = Promise.withResolvers<void>();
    client.setNotificationHandler(
      "notifications/tools/list_changed",
      () => told.resolve(),
    );
    if (calls === "of a client") await client.listTools();
    assertEquals(await run("add(a=1, b=1)"), "2");
    await Deno.writeFile(file, other);
    if (calls === "of Python") {
      // A client that lists tools starts nothing.
      assertEquals(await toolsOf(opened, "it"), []);
      assertEquals(asked, []);
    } else await call(opened, "it__add", { a: 1, b: 1 });
    const said = await run("root_function('a')");
    assertEquals(asked.length, 1);
    assertMatch(asked[0] ?? "", /was changed after[^]*"it"[^]*rust\.wasm/);
    if (action === "accept") assertEquals(said, "a");
    else assertMatch(`${said}`, /"it" is not started.*was changed after/);
    await run("root_function('a')");
    assertEquals(asked.length, 1);
    if (calls === "of Python" || action === "decline") continue;
    await told.promise;
    assert((await toolsOf(opened, "it")).includes("it__root_function"));
  }
  // Windows has no SIGHUP.
  if (Deno.build.os === "windows") return;
  await Deno.writeFile(file, rust);
  await using server = await startHttp([
    ...[...options, "--log-format", "json"],
    ...["--log-file", join(folder.path, "log")],
  ]);
  await using client = await server.connect();
  assertEquals((await call(client, "it__add", { a: 1, b: 1 })).text, "2");
  await Deno.writeFile(file, other);
  const before = await call(client, "it__root_function", { the_value: "a" })
    .catch((error) => ({ text: `${error}` }));
  assertMatch(before.text, /Unknown tool|is not started/);
  Deno.kill(server.pid, "SIGHUP");
  const reloads = () =>
    linesOf(join(folder.path, "log")).filter(({ event }) => event === "reload");
  while (reloads().length === 0) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const after = await call(client, "it__root_function", { the_value: "a" });
  assertEquals(after.text, "a");
});
