/**
 * Processes that die, stop or talk nonsense at chosen moments: every call is
 * answered, every answer belongs to its question, and the next call works.
 *
 * @module
 */
import {
  assert,
  assertEquals,
  assertMatch,
  assertRejects,
} from "../deps/assert.ts";
import { runInstaller } from "../src/launcher/installing/run_installer.ts";
import {
  type GrantedOrder,
  toInstallOrder,
} from "../src/launcher/installing/install_order.ts";
import { log } from "../src/log.ts";
import { DEFAULTS } from "../src/settings.ts";
import { untilIdle } from "./bench/idle.ts";
import { lookAt } from "./bench/soak/usage.ts";
import { makeCache } from "./support/cache.ts";
import type { FaultyOrder } from "./support/faulty_launcher.ts";
import type { Fault } from "./support/faults.ts";
import { startIndex } from "./support/index_server.ts";
import {
  commandLine,
  descendants,
  NEVER_MS,
  processesNamed,
  whichOutlive,
} from "./support/processes.ts";
import { someOf } from "./support/rounds.ts";
import { startServer, type TestServer, VIA } from "./support/server.ts";
import { startFaulty } from "./support/start_faulty.ts";
import { wheel } from "./support/wheel.ts";

const NO_PROC = Deno.build.os !== "linux" && "needs /proc to find processes";
if (NO_PROC) log(`skipped: faults of running processes: ${NO_PROC}`);

/** For calls that nothing is to stop. */
const PATIENCE_S = 600;

/** How a call may be answered. */
type Expected = RegExp;

const RIGHT = /^right$/;

const OUT_OF_TURN = /^crashed: The interpreter died: it said "\w+" out of turn/;
const PROTOCOL = /^crashed: .* sent a message outside the protocol/;
const KILLED = /^crashed: The interpreter died: its process ended .*SIGKILL/;
const STOPPED =
  /^timeout: The code was stopped after 1 s, its time limit: its process did not react, and was killed\. .* --timeout/;

/** On a busy machine the lost answer may be that of a run that was late. */
const UNANSWERED = RegExp(
  `${STOPPED.source}|^crashed: .* a run did not end by itself`,
);

/** Where the fault may come a moment before the call, or after the answer. */
const or = (one: RegExp) => RegExp(`${RIGHT.source}|${one.source}`);

const OUTPUT = { type: "output", stream: "stdout", text: "forged" };
const DONE = {
  type: "done",
  run: 1,
  printed: 0,
  ending: { status: "success", value: '"forged"' },
};

/** A fault, and the answers to the calls that are made one after the other. */
interface Story {
  fault: Fault;
  answers: Expected[];
}

const STORIES: Record<string, Story> = {
  "is killed while it gets ready": {
    fault: { at: "start", signal: "SIGKILL" },
    answers: [RIGHT, RIGHT],
  },
  "is killed when it is ready and gets a call": {
    fault: { at: "ready", signal: "SIGKILL" },
    answers: [RIGHT, RIGHT],
  },
  "is killed when a run begins": {
    fault: { at: "run", signal: "SIGKILL" },
    answers: [or(KILLED), RIGHT],
  },
  "is killed when a run has started": {
    fault: { at: "started", signal: "SIGKILL" },
    answers: [or(KILLED), RIGHT],
  },
  "is killed in a run that has printed": {
    fault: { at: "output", signal: "SIGKILL" },
    answers: [or(KILLED), RIGHT],
  },
  "is killed after its answer": {
    fault: { at: "done", signal: "SIGKILL" },
    answers: [RIGHT, RIGHT],
  },
  "is killed while it ends its interpreter": {
    fault: { at: "next", signal: "SIGKILL" },
    answers: [RIGHT, RIGHT],
  },
  "says that it is ready in a run": {
    fault: { at: "run", says: [{ type: "ready" }] },
    answers: [OUT_OF_TURN, RIGHT],
  },
  "answers twice": {
    fault: { at: "done", line: "comes twice" },
    answers: [RIGHT, RIGHT],
  },
  "answers anew, with something else": {
    fault: { at: "done", says: [DONE] },
    answers: [RIGHT, RIGHT],
  },
  "is ready before it was told to be": {
    fault: { at: "done", says: [{ type: "ready" }] },
    answers: [RIGHT, or(OUT_OF_TURN), RIGHT],
  },
  "is ready twice": {
    fault: { at: "ready", line: "comes twice" },
    answers: [or(OUT_OF_TURN), RIGHT],
  },
  "prints after its answer": {
    fault: { at: "done", says: [OUTPUT] },
    answers: [RIGHT, RIGHT],
  },
  "answers while it gets ready": {
    fault: { at: "start", says: [DONE] },
    answers: [RIGHT, RIGHT],
  },
  "fails in a run": {
    fault: { at: "started", says: [{ type: "failed", reason: "of a fault" }] },
    answers: [/^crashed: The interpreter died: of a fault/, RIGHT],
  },
  "fails before its run has started": {
    fault: { at: "run", says: [{ type: "failed", reason: "of a fault" }] },
    answers: [RegExp(`${RIGHT.source}|of a fault`), RIGHT],
  },
  ...inAnswers({
    "is empty": KILLED,
    "is cut": PROTOCOL,
    "has no token": KILLED,
    "has another's token": KILLED,
    "has a token alone": PROTOCOL,
    "is garbage": KILLED,
    "is no UTF-8": PROTOCOL,
    "is a list": PROTOCOL,
    "is of no known type": PROTOCOL,
    "has fields of other types": PROTOCOL,
    "is deep": PROTOCOL,
    "has 100 MB and no end": KILLED,
  }),
  "prints a line that is garbage": {
    fault: { at: "output", line: "is garbage" },
    answers: [KILLED, RIGHT],
  },
  "starts with a line that is garbage": {
    fault: { at: "ready", line: "is garbage" },
    answers: [RIGHT, RIGHT],
  },
  "starts with a line that is cut": {
    fault: { at: "ready", line: "is cut" },
    answers: [RIGHT, RIGHT],
  },
};

/** Those where a call meets its time limit. */
const LATE: typeof STORIES = {
  "is stopped when it is ready": {
    fault: { at: "ready", signal: "SIGSTOP" },
    answers: [STOPPED, RIGHT],
  },
  "is stopped when it is ready again": {
    fault: { at: "ready", count: 2, signal: "SIGSTOP" },
    answers: [RIGHT, STOPPED, RIGHT],
  },
  "is stopped in a run that has printed": {
    fault: { at: "output", signal: "SIGSTOP" },
    answers: [or(STOPPED), RIGHT],
  },
  "loses its answer": {
    fault: { at: "done", line: "is lost" },
    answers: [UNANSWERED, RIGHT],
  },
};

/** Those where a call has to wait until a sandbox took too long to get ready. */
const HANGING: typeof STORIES = {
  "is stopped while it gets ready": {
    fault: { at: "start", signal: "SIGSTOP" },
    answers: [RIGHT, RIGHT],
  },
  "is stopped after its answer": {
    fault: { at: "done", signal: "SIGSTOP" },
    answers: [RIGHT, RIGHT],
  },
  "is stopped while it ends its interpreter": {
    fault: { at: "next", signal: "SIGSTOP" },
    answers: [RIGHT, RIGHT],
  },
  "loses its first word": {
    fault: { at: "ready", line: "is lost" },
    answers: [RIGHT, RIGHT],
  },
};

function inAnswers(
  lines: Partial<Record<NonNullable<Fault["line"]>, RegExp>>,
): typeof STORIES {
  return Object.fromEntries(
    Object.entries(lines).map(([line, expected]) => [
      `sends an answer whose line ${line}`,
      {
        fault: { at: "done", line: line as NonNullable<Fault["line"]> },
        answers: [expected, RIGHT],
      },
    ]),
  );
}

/** Of each message and each signal, and of each way in which a line is refused. */
const FEW = [
  ...["is killed while it gets ready", "is killed when a run begins"],
  ...["is killed in a run that has printed", "is killed after its answer"],
  ...["says that it is ready in a run", "answers anew, with something else"],
  ...["is ready before it was told to be", "prints after its answer"],
  ...["answers while it gets ready", "fails in a run"],
  ...["has another's token", "is no UTF-8", "has 100 MB and no end"]
    .map((line) => `sends an answer whose line ${line}`),
  "starts with a line that is cut",
];

for (const [name, story] of someOf(STORIES, FEW)) {
  Deno.test({
    name: `calls are answered right when a sandbox ${name}`,
    ignore: Boolean(NO_PROC),
    fn: () => tell(story),
  });
}

for (
  const [stories, startTimeoutSeconds] of [[LATE, 60], [HANGING, 15]] as const
) {
  Deno.test({
    name: `calls are answered right when a sandbox ${
      Object.keys(stories).join(", or ")
    }`,
    ignore: Boolean(NO_PROC),
    async fn() {
      // Together, as each of them waits.
      await Promise.all(
        Object.values(stories).map((story) =>
          tell(story, { startTimeoutSeconds })
        ),
      );
    },
  });
}

async function tell(
  { fault, answers }: Story,
  settings: Partial<FaultyOrder["settings"]> = {},
): Promise<void> {
  await using server = await startFaulty([fault], settings);
  for (const [number, expected] of answers.entries()) {
    await checkCall(server, number, expected);
  }
  // All others are gone, or about to be.
  const deadline = Date.now() + NEVER_MS;
  while ((await sandboxesOf(server)).length !== 1) {
    assert(Date.now() < deadline, "more than one sandbox is left");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

Deno.test({
  name:
    "calls at the same time keep their own answers when sandboxes die, stop and lie",
  ignore: Boolean(NO_PROC),
  async fn() {
    await using server = await startFaulty([
      { process: 1, at: "run", count: 2, says: [{ ...DONE, run: 2 }, DONE] },
      { process: 2, at: "done", line: "comes twice" },
      { process: 3, at: "output", signal: "SIGKILL" },
      { process: 4, at: "run", says: [{ type: "ready" }] },
      { process: 5, at: "output", signal: "SIGSTOP" },
      { process: 6, at: "done", says: [{ type: "ready" }, DONE] },
    ], { pool: 3, maxConcurrency: 3 });
    const calls = Array.from({ length: 18 }, (_, number) => number);
    const answers = await Promise.all(
      calls.map((number) => ask(server, number, 10)),
    );
    const wrong = answers.filter((answer) =>
      answer !== "right" && !/^(crashed|timeout): /.test(answer)
    );
    // A process can lie about the run that is in it, and about no other.
    assert(wrong.length <= 1, wrong.join("\n"));
    assert(answers.filter((answer) => answer === "right").length >= 12);
    for (const number of [100, 101]) await checkCall(server, number, RIGHT);
  },
});

Deno.test({
  name:
    "calls that a spawn failed for are answered, and the next one finds a sandbox",
  async fn() {
    await using server = await startFaulty(
      [1, 2, 3, 4].map((process) => ({ process, at: "spawn" })),
    );
    // Three have failed that nobody waited for: the call is the fourth's.
    await untilIdle(server.pid);
    assertMatch(
      await ask(server, 1),
      /^crashed: Python cannot start: .*no process/,
    );
    await checkCall(server, 2, RIGHT);
  },
});

Deno.test({
  name: "a sandbox that has ended leaves nothing open in launcher and server",
  // Over HTTP, connections of the client stay open, too.
  ignore: Boolean(NO_PROC) || VIA === "http",
  async fn() {
    await using server = await startServer(["--max-concurrency", "1"]);
    await checkCall(server, 0, RIGHT);
    await untilIdle(server.pid);
    const before = lookAt(server.pid);
    for (let round = 1; round <= 5; round++) {
      for (const pid of await sandboxesOf(server)) Deno.kill(pid, "SIGKILL");
      await untilIdle(server.pid);
      await checkCall(server, round, RIGHT);
    }
    await untilIdle(server.pid);
    assertEquals(lookAt(server.pid).handles, before.handles);
  },
});

for (const name of ["launcher", "server"] as const) {
  Deno.test({
    name:
      `calls are answered right by a ${name} that was stopped until all else had come to rest`,
    ignore: Boolean(NO_PROC),
    async fn() {
      await using server = await startServer(["--max-concurrency", "2"]);
      await checkCall(server, 0, RIGHT);
      const pid = name === "launcher"
        ? server.pid
        : await processOf(server, "server");
      const calls = [1, 2, 3, 4].map((number) => ask(server, number));
      await server.client.ping();
      Deno.kill(pid, "SIGSTOP");
      await untilIdle(server.pid);
      Deno.kill(pid, "SIGCONT");
      assertEquals(new Set(await Promise.all(calls)), new Set(["right"]));
      await checkCall(server, 5, RIGHT);
    },
  });
}

Deno.test({
  name: "a call is answered right by a sandbox that was stopped for a moment",
  ignore: Boolean(NO_PROC),
  async fn() {
    await using server = await startServer(["--max-concurrency", "1"]);
    await checkCall(server, 0, RIGHT);
    const calls = [1, 2].map((number) => ask(server, number));
    for (const pid of await sandboxesOf(server)) {
      Deno.kill(pid, "SIGSTOP");
      await server.client.ping();
      Deno.kill(pid, "SIGCONT");
    }
    assertEquals(await Promise.all(calls), ["right", "right"]);
  },
});

Deno.test({
  name: "an installer that is stopped is ended, and its name is not in use",
  ignore: Boolean(NO_PROC),
  async fn() {
    await using cache = await makeCache();
    await using index = startIndex([wheel({ name: "mrp-fixture-slow" })]);
    const order = await orderOf("mrp-fixture-slow", cache.folder, index.url);
    const stopped: number[] = [];
    const options = { ...DEFAULTS, silenceMs: 6000 };
    const install = runInstaller(order, options, () => {
      for (const pid of installersOf(Deno.pid, cache.folder)) {
        stopped.push(pid);
        Deno.kill(pid, "SIGSTOP");
      }
    });
    await assertRejects(() => install, SILENT);
    assert(stopped.length > 0);
    assertEquals(await whichOutlive(stopped), []);
    const { code, stderr } = await cache.command([
      ...["--index-url", index.url, "--deps", "mrp-fixture-slow", "install"],
    ]);
    assertEquals(code, 0, stderr);
  },
});

Deno.test("a package that is imported without end is left out, and the installer that waits for it is not silent", async () => {
  await using cache = await makeCache();
  const files = { "mrp_fixture_endless/__init__.py": "while True: pass" };
  await using index = startIndex([
    wheel({ name: "mrp-fixture-endless", files }),
  ]);
  const order = await orderOf("mrp-fixture-endless", cache.folder, index.url);
  const told: string[] = [];
  const install = (silenceMs: number) => {
    const options = { ...DEFAULTS, silenceMs, preloadMs: silenceMs * 1.5 };
    return runInstaller(order, options, (event) => {
      if ("text" in event) told.push(event.text);
    });
  };
  // A slow machine may need more time for what goes before and after.
  await install(2000).catch(() => install(8000)).catch(() => install(32_000));
  assertMatch(
    told.join("\n"),
    /^mrp_fixture_endless is installed, and cannot be imported: The process that imports packages ended \(it took more than \d+ s\)\.$/m,
  );
});

const SILENT = /the installer said nothing for \d+ s and ended \(SIGKILL\)/;

/** An order for one package. */
function orderOf(
  name: string,
  cacheDir: string,
  indexUrl: string,
): Promise<GrantedOrder> {
  return toInstallOrder("install", {
    ...{ ...DEFAULTS, cacheDir, indexUrl },
    dependencies: [name],
    constraints: [],
    findLinks: [],
    extraIndexUrls: [],
  });
}

Deno.test({
  name:
    "a call whose installer is killed is told so, and the next one installs",
  ignore: Boolean(NO_PROC),
  async fn() {
    await using cache = await makeCache();
    const asked = Promise.withResolvers<void>();
    const killed = Promise.withResolvers<undefined>();
    await using index = startIndex([wheel({ name: "mrp-fixture-late" })], {
      answers: {
        "/simple/mrp-fixture-late/": () => {
          asked.resolve();
          return killed.promise;
        },
      },
    });
    await using server = await startServer([
      ...["--cache-dir", cache.folder, "--index-url", index.url],
      ...["--allow-install", "mrp-fixture-late"],
    ]);
    const code =
      '# /// script\n# dependencies = ["mrp-fixture-late"]\n# ///\nimport mrp_fixture_late\nmrp_fixture_late.version';
    const first = server.call(code);
    const other = ask(server, 1);
    await asked.promise;
    for (const pid of installersOf(server.pid, "")) Deno.kill(pid, "SIGKILL");
    killed.resolve(undefined);
    const { status, error } = await first;
    assertEquals(status, "install-error");
    assertMatch(String(error), /the installer ended \(SIGKILL\)/);
    assertEquals(await other, "right");
    assertEquals((await server.call(code)).returnValue, "1.0");
  },
});

async function checkCall(
  server: TestServer,
  number: number,
  expected: Expected,
): Promise<void> {
  const timeout = expected.source.includes(STOPPED.source) ? 1 : PATIENCE_S;
  const answer = await ask(server, number, timeout);
  assertMatch(answer, expected, `call ${number}: ${answer}`);
}

/** Makes a call whose answer no other can have; says how it was answered. */
async function ask(
  server: TestServer,
  number: number,
  timeout = PATIENCE_S,
): Promise<string> {
  const nonce = crypto.randomUUID();
  const { status, error, output, returnValue, text } = await server.call(
    `print(nonce, flush=True)
for _ in range(500_000): pass
sum(range(${number} + 1)), nonce`,
    { global_variables: { nonce }, timeout },
  );
  if (status !== "success") return `${status}: ${error}`;
  const right = [number * (number + 1) / 2, nonce];
  return JSON.stringify([output, returnValue]) ===
      JSON.stringify([[nonce], right])
    ? "right"
    : `wrong: ${text}`;
}

/** Ids of the sandbox processes of a server. */
async function sandboxesOf(server: TestServer): Promise<number[]> {
  // What it was told before has been done when it answers.
  await server.client.ping();
  return processesNamed("sandbox", server.pid);
}

async function processOf(server: TestServer, name: string): Promise<number> {
  await server.client.ping();
  const [pid] = processesNamed(name, server.pid);
  assert(pid, `no process ${name}`);
  return pid;
}

/** Ids of installers below a process that are told of a folder in their flags. */
function installersOf(parent: number, folder: string): number[] {
  return descendants(parent).filter((pid) => {
    const line = commandLine(pid);
    return line.includes("/installer/main.ts") && line.includes(folder);
  });
}
