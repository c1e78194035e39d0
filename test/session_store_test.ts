/**
 * Sessions on disk, through a server process, the broker and the store's own
 * process, all of them real; the sessions are bytes.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { log } from "../src/log.ts";
import { type Era, toCalled } from "./support/client.ts";
import { CLI, CODE_MODE, command } from "./support/command.ts";
import { mountDisk, whyNoTmpfs } from "./support/disk.ts";
import { namesIn, tempFolder } from "./support/folder.ts";
import { whichOutlive } from "./support/processes.ts";
import { startServer } from "./support/server.ts";
import { toKey } from "../src/server/sessions/saved_sessions.ts";
import { fileOf, HANDLE, META, startStoring } from "./support/storing.ts";

const NO_PROC = Deno.build.os !== "linux" && "needs /proc to find processes";
if (NO_PROC) log(`skipped: the store's own process: ${NO_PROC}`);
const NO_TMPFS = await whyNoTmpfs();
if (NO_TMPFS) log(`skipped: the store on a full disk: ${NO_TMPFS}`);

const FILE = fileOf(HANDLE);
const OTHER = HANDLE.replaceAll("0", "f");

/** The files of sessions in a folder, without those of the servers that have them. */
async function filesIn(folder: string): Promise<string[]> {
  return (await namesIn(folder)).filter((name) => name.includes(".sessions."));
}

/** A load's answer for a session of so many bytes of a value. */
function saved(byte: number, size = 3 << 20, meta = META) {
  const bytes = new Uint8Array(size).fill(byte);
  return { meta, sha256: createHash("sha256").update(bytes).digest("hex") };
}

Deno.test("a session that is saved is there for the next start, in a file for its owner alone", async () => {
  await using folder = await tempFolder();
  const place = join(folder.path, "sessions");
  {
    await using one = startStoring(place);
    assertEquals(await one.load(), null);
    assertEquals(await one.save(1), true);
    assertEquals(await one.save(2, { size: 3_000_001 }), true);
    assertEquals(await one.save(3, { handle: OTHER, givesUp: true }), false);
    assertEquals(await filesIn(place), [FILE]);
    assertEquals(await one.load(), saved(2, 3_000_001));
    await one.closeInput();
    const { how, stderr } = await one.ended();
    assertEquals([how, stderr], [0, ""]);
  }
  if (Deno.build.os !== "windows") {
    const modes = [place, join(place, FILE)].map((path) =>
      Deno.statSync(path).mode! & 0o777
    );
    assertEquals(modes, [0o700, 0o600]);
  }
  await using other = startStoring(place);
  assertEquals(await other.load(), saved(2, 3_000_001));
  await other.order({ do: "remove", handle: HANDLE });
  await other.order({ do: "remove", handle: HANDLE });
  assertEquals([await other.load(), await filesIn(place)], [null, []]);
});

Deno.test({
  name:
    "a store that is killed in the middle of a session leaves the older one whole",
  ignore: Boolean(NO_PROC),
  async fn() {
    await using folder = await tempFolder();
    await using storing = startStoring(folder.path);
    await storing.save(1);
    assertEquals(await storing.save(2, { waits: true }), "waiting");
    const [store, ...more] = storing.stores();
    assert(store && more.length === 0);
    Deno.kill(store, "SIGSTOP");
    await storing.say("go on");
    Deno.kill(store, "SIGKILL");
    assertEquals(await storing.heard(), false);
    assertEquals(await storing.load(), saved(1));
    const [draft = "", ...rest] = (await filesIn(folder.path))
      .filter((name) => name !== FILE);
    assertMatch(
      draft,
      /^[0-9a-f]{32}\.sessions\.[0-9a-f]{32}\.[0-9a-f-]{36}\.draft$/,
    );
    assertEquals(rest, []);
    // A younger draft may be that of another server.
    assertEquals(await storing.save(3), true);
    assertEquals(await filesIn(folder.path), [draft, FILE].sort());
    const hoursAgo = new Date(Date.now() - 2 * 60 * 60 * 1000);
    await Deno.utime(join(folder.path, draft), hoursAgo, hoursAgo);
    assertEquals(await storing.save(4), true);
    assertEquals(await filesIn(folder.path), [FILE]);
    assertEquals(await storing.load(), saved(4));
    await storing.closeInput();
    const { stderr } = await storing.ended();
    assertMatch(
      stderr,
      /^\S+ warning session-store action="not saved" key=\w+ reason="(the keeper of sessions has ended \(SIGKILL\)|its draft is gone, so write it anew)"\n$/,
    );
  },
});

Deno.test({
  name: "a store that is killed while a session is read starts anew",
  ignore: Boolean(NO_PROC),
  async fn() {
    await using folder = await tempFolder();
    await using storing = startStoring(folder.path);
    await storing.save(1, { size: 9 << 20 });
    const load = { do: "load", handle: HANDLE } as const;
    assertEquals(await storing.order({ ...load, waits: true }), "waiting");
    const [store] = storing.stores();
    assert(store);
    Deno.kill(store, "SIGSTOP");
    await storing.say("go on");
    Deno.kill(store, "SIGKILL");
    assertEquals(await storing.heard(), saved(1, 9 << 20));
    const [other, ...more] = storing.stores();
    assert(other !== store && more.length === 0);
  },
});

Deno.test({
  name: "a full disk keeps the older session, and says why",
  ignore: Boolean(NO_TMPFS),
  async fn() {
    await using disk = await mountDisk("size=5m,mode=700");
    await using storing = startStoring(disk.folder);
    assertEquals(await storing.save(1), true);
    assertEquals(await storing.save(2), false);
    assertEquals(await storing.load(), saved(1));
    assertEquals(await filesIn(disk.folder), [FILE]);
    await storing.closeInput();
    const { stderr } = await storing.ended();
    assertMatch(stderr, /"not saved" .* reason="No space left on device"/);
  },
});

Deno.test("a session that is damaged, or of another environment, is lost, and the log says so", async () => {
  await using folder = await tempFolder();
  await Deno.chmod(folder.path, 0o750);
  await using storing = startStoring(folder.path);
  await storing.save(1);
  const path = join(folder.path, FILE);
  const other = { do: "load", handle: HANDLE, environment: "e2" } as const;
  assertEquals(await storing.order(other), null);
  assertEquals(await storing.load(), saved(1));
  const whole = await Deno.readFile(path);
  whole[whole.length - 1]! ^= 1;
  await Deno.writeFile(path, whole);
  assertEquals(await storing.load(), null);
  assertEquals(await filesIn(folder.path), []);
  await storing.closeInput();
  const { stderr } = await storing.ended();
  assertMatch(stderr, /^warning: Other users may read .*: chmod 700 closes/);
  const reasons = stderr.match(/(?<=reason=").*(?="$)/gm);
  assertEquals(reasons, [
    "it is of the environment e1: other packages, or another version of mcp-run-python or Deno, have stored it, and can go on with it",
    "its sha256 is not that of its head",
  ]);
});

Deno.test("two servers with one folder never mix a session: it is of the first that saves it", async () => {
  await using folder = await tempFolder();
  await using one = startStoring(folder.path);
  await using two = startStoring(folder.path);
  const loaded = [];
  for (let round = 0; round < 3; round++) {
    const [first, second] = await Promise.all([
      one.save(1, { size: 8 << 20 }),
      two.save(2).then(() => two.save(3)),
    ]);
    assert(first !== second);
    loaded.push(...await Promise.all([one.load(), two.load()]));
  }
  const possible = [saved(1, 8 << 20), saved(3)].map((one) =>
    JSON.stringify(one)
  );
  for (const one of loaded) assert(possible.includes(JSON.stringify(one)));
  assertEquals(await filesIn(folder.path), [FILE]);
});

Deno.test("--max-stored-sessions: the sessions that were used least recently make room", async () => {
  await using folder = await tempFolder();
  await using storing = startStoring(folder.path, [
    ...["--max-stored-sessions", "4"],
  ]);
  const size = 1_000_000;
  const handles = [..."abcdef"].map((digit) => digit.repeat(32));
  const [a = "", b = "", c = "", d = "", e = "", f = ""] = handles;
  const used = { [a]: 3000, [b]: 1000, [c]: 2000, [d]: 5000, [e]: 4000 };
  for (const [handle, time] of Object.entries(used)) {
    const meta = { ...META, used: time };
    assertEquals(await storing.save(1, { handle, meta, size }), true);
  }
  const names = [a, d, e].map(fileOf);
  assertEquals(await filesIn(folder.path), [...names, fileOf(c)].sort());
  // The latest stays, though its time is the oldest.
  const meta = { ...META, used: 1 };
  assertEquals(await storing.save(1, { handle: f, meta, size }), true);
  assertEquals(await filesIn(folder.path), [...names, fileOf(f)].sort());
  assertEquals(await storing.save(1, { handle: f, size: 5_000_000 }), false);
  await storing.closeInput();
  const { stderr } = await storing.ended();
  const events = stderr.match(/action=(".*?"|\w+) key=\w+/g);
  assertEquals(events, [
    `action=dropped key=${toKey(b)}`,
    `action=dropped key=${toKey(c)}`,
    `action="not saved" key=${toKey(f)}`,
  ]);
  assertMatch(
    stderr,
    /reason=\"it has \d+ bytes, and may have 419\d{4} .*--max-stored-sessions/,
  );
});

for (
  const [name, end] of [
    ["the client closes its end", (storing) => storing.closeInput()],
    ["SIGTERM", ({ pid }) => Deno.kill(pid, "SIGTERM")],
    ["SIGINT of all processes, as by Ctrl-C", (storing) => {
      for (const pid of storing.family()) Deno.kill(pid, "SIGINT");
    }],
    ["SIGHUP of all processes, as their terminal is gone", (storing) => {
      for (const pid of storing.family()) Deno.kill(pid, "SIGHUP");
    }],
    ["SIGQUIT", ({ pid }) => Deno.kill(pid, "SIGQUIT")],
    ["SIGTERM of all processes, after the end of stdin", async (storing) => {
      await storing.closeInput();
      for (const pid of storing.family()) Deno.kill(pid, "SIGTERM");
    }],
    ["the client reads no more", async (storing) => {
      await storing.closeOutput();
      await storing.say({ do: "load", handle: OTHER });
    }],
  ] as [string, (storing: ReturnType<typeof startStoring>) => unknown][]
) {
  Deno.test({
    name: `sessions are saved after ${name}, and nothing is left`,
    ignore: Boolean(NO_PROC),
    async fn() {
      await using folder = await tempFolder();
      await using storing = startStoring(folder.path);
      await storing.save(7, { atEnd: true });
      await storing.load();
      const family = storing.family();
      await end(storing);
      assertEquals(await storing.ended(), { how: 0, stderr: "" });
      assertEquals(await whichOutlive(family), []);
      await using next = startStoring(folder.path);
      assertEquals(await next.load(), saved(7));
    },
  });
}

Deno.test({
  name: "a second signal ends no server before its sessions are saved",
  ignore: Boolean(NO_PROC),
  async fn() {
    await using folder = await tempFolder();
    await using storing = startStoring(folder.path);
    await storing.save(1);
    await storing.save(7, { atEnd: true, waits: true });
    const family = storing.family();
    Deno.kill(storing.pid, "SIGTERM");
    assertEquals(await storing.heard(), "waiting");
    for (const pid of family) Deno.kill(pid, "SIGINT");
    await storing.say("go on");
    assertEquals((await storing.ended()).how, 0);
    assertEquals(await whichOutlive(family), []);
    assertEquals(await filesIn(folder.path), [FILE]);
    await using next = startStoring(folder.path);
    assertEquals(await next.load(), saved(7));
  },
});

Deno.test("a folder that cannot hold sessions is refused at the start", async () => {
  await using folder = await tempFolder();
  const [sessions, open] = await folder.make("sessions", "o,pen");
  const file = join(folder.path, "file");
  await Deno.writeTextFile(file, "");
  const attempt = async (place: string, ...args: string[]) => {
    const { code, stderr, stdout } = await command([
      ...["--offline", "--session-store", place, ...args, "stdio"],
    ]);
    assertEquals([code, stdout], [2, ""], stderr);
    return stderr;
  };
  const cannot = (reason: string) =>
    new RegExp(
      `^error: Cannot store sessions in ".*": ${reason}\\. Choose another folder with --session-store\\.\n$`,
    );
  assertMatch(await attempt(file), cannot("File exists|Not a directory"));
  assertMatch(await attempt(open), cannot("its path has a comma"));
  assertMatch(
    await attempt(sessions, "--mount", folder.path),
    /^error: Cannot mount .* as Python would see the sessions of all clients/,
  );
});

Deno.test("a client goes on with its session after a restart of the server, and with none that was damaged", async () => {
  await using folder = await tempFolder();
  await using logs = await tempFolder();
  const log = join(logs.path, "log");
  const options = ["--session-store", folder.path, "--log-file", log];
  const first = await startServer(options);
  const opened = await first.call("rows = [1, 2, 3]", { session: "new" });
  const { session } = opened.structured;
  assertEquals(typeof session, "string", opened.text);
  await first.end();
  const [file = "", ...more] = await filesIn(folder.path);
  assertMatch(file, /^[0-9a-f]{32}\.sessions\.[0-9a-f]{32}\.value$/);
  assertEquals(more, []);
  assert(!file.includes(String(session).replaceAll("-", "")));
  const second = await startServer(options);
  const went = await second.call("rows.append(4); sum(rows)", { session });
  assertEquals(went.returnValue, 10, went.text);
  assertEquals(await filesIn(folder.path), [file]);
  await second.end();
  const path = join(folder.path, file);
  await Deno.truncate(path, 100_000);
  await using third = await startServer(options);
  const lost = await third.call("rows", { session });
  assertEquals(lost.isError, true, lost.text);
  assertEquals(await filesIn(folder.path), []);
  const next = await third.call("6 * 7", { session: "new" });
  assertEquals(next.returnValue, 42);
  // An operator can follow the session: its runs, and what became of it.
  const key = toKey(String(session));
  const told = (await Deno.readTextFile(log)).split("\n").flatMap((line) =>
    line.includes(`=${key}`)
      ? / (?:action|status)=("[^"]*"|\S+)/.exec(line)?.[1]
      : []
  );
  assertEquals(told, [
    ...["success", "saved", "restored", "success", "saved"],
    ...['"not loaded"', "lost", "session-lost"],
  ]);
});

Deno.test("a session that could not be saved says so in its next result, once, with the reason and a remedy: both tools, both eras", async () => {
  const always = ["--sessions", "always"];
  await Promise.all([
    check("run_python_code", "python_code", "2025-11-25", always),
    check("run_python", "code", "2026-07-28", CODE_MODE),
  ]);

  async function check(
    name: string,
    argument: string,
    era: Era,
    options: string[],
  ): Promise<void> {
    await using folder = await tempFolder();
    await using logs = await tempFolder();
    const log = join(logs.path, "log");
    await using server = await startServer(
      [
        ...[...options, "--session-idle", "5"],
        ...["--session-store", folder.path, "--log-file", log],
      ],
      era,
      ...[CLI, "stdio"] as const,
    );
    const call = async (code: string) => {
      const call = { name, arguments: { [argument]: code } };
      const { structured, text } = toCalled(await server.client.callTool(call));
      return { said: structured.unsaved, text };
    };
    const wait = "task = asyncio.create_task(asyncio.sleep(3600)); None";
    assertEquals((await call(`import asyncio\n${wait}`)).said, undefined);
    while (!/ action="not saved" /.test(await Deno.readTextFile(log))) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const { said, text } = await call("task.cancel()");
    assertMatch(
      String(said),
      /^This session could not be saved: asyncio tasks are pending: 1 \(.*sleep.*\); timers are pending: 1\. Await or cancel them\. Otherwise its state is gone when the server ends\.$/,
    );
    assertMatch(text, /unsaved(:|>\n)\s*This session could not be saved: /);
    assertEquals((await call("1")).said, undefined);
  }
});

Deno.test("at the end, an endless run is cancelled and its session saved, beside one that cannot be", async () => {
  await using folder = await tempFolder();
  await using logs = await tempFolder();
  const log = join(logs.path, "log");
  const options = ["--session-store", folder.path, "--log-file", log];
  const first = await startServer(options);
  const open = async (code: string) =>
    (await first.call(code, { session: "new" })).structured.session;
  const computing = await open(
    "import asyncio\nasync def spin():\n    while True: pass\nasyncio.create_task(spin())\nNone",
  );
  const [idle, running] = [await open("x = 1"), await open("x = 2")];
  const begun = Promise.withResolvers<string>();
  const endless = "notify_progress('on')\nwhile True: pass";
  const onprogress = () => begun.resolve("begun");
  const run = first.call(endless, { session: running }, { onprogress });
  assertEquals(await Promise.race([begun.promise, run]), "begun");
  run.catch(() => {});
  await first.end();
  const told = await Deno.readTextFile(log);
  const events = [...told.matchAll(/ session (action=.*)/g)].map(([, event]) =>
    event
  );
  assertEquals(events.length, 3, told);
  assertMatch(told, /action=lost .*unsaved="it computes in the background/);
  await using next = await startServer(options);
  for (const [session, value] of [[idle, 1], [running, 2]]) {
    assertEquals((await next.call("x", { session })).returnValue, value);
  }
  assertEquals((await next.call("x", { session: computing })).isError, true);
});
