import {
  assert,
  assertEquals,
  assertMatch,
  assertRejects,
} from "../../deps/assert.ts";
import { log } from "../log.ts";
import type { ListedServer } from "../protocol/downstream.ts";
import { fields } from "../protocol/fields.ts";
import { encodeForward, encodeFrame } from "../protocol/frames.ts";
import { HeldBody } from "../protocol/held_body.ts";
import type { Written } from "../protocol/packets.ts";
import { readLines } from "../protocol/lines.ts";
import { type BrokerOptions, runBroker } from "./broker.ts";
import { bridgeKind, keeperKind, type Kind, sandboxKind } from "./kinds.ts";

const NO_SHELL = Deno.build.os === "windows" && "needs a shell";
if (NO_SHELL) log(`skipped: the broker beside real processes: ${NO_SHELL}`);

function sh(script: string, { detached = false } = {}): Deno.ChildProcess {
  return new Deno.Command("/bin/sh", {
    args: ["-c", script],
    ...{ stdin: "piped", stdout: "piped", stderr: "null", detached },
  }).spawn();
}

/** What a shell prints so that the broker reads frames. */
function says(...frames: Written[]): string {
  const text = frames.flat().map((frame) => new TextDecoder().decode(frame))
    .join("");
  return `printf '%s' '${text}'`;
}

/** Tells its client all frames that it gets, without their marks. */
const TELL = `while read -r line; do ${tellLine()}; done`;
const TELL_ONE = `read -r line; ${tellLine()}; `;

function tellLine(): string {
  return `printf '%s\\n' "\${line#?}"`;
}

const spawn = (id: number, kind = "sandbox", spec: object = {}) =>
  encodeFrame("spawn", id, { kind, spec });
const sandboxes = (start: () => Deno.ChildProcess, most = 2) => ({
  sandbox: sandboxKind(most, start),
});

/**
 * Runs a broker beside a server that is a script.
 *
 * @param isLast Whether the server has told enough; it then ends.
 * @returns All that it has told.
 */
async function run(
  frames: Written[],
  isLast: (told: string) => boolean,
  { next, ...options }: Pick<BrokerOptions, "kinds"> & {
    /** What the server says when it has heard so many frames. */
    next?: { heard: number; says: Written };
  } & Partial<BrokerOptions>,
): Promise<string[]> {
  const then = next ? `${TELL_ONE.repeat(next.heard)}${says(next.says)}; ` : "";
  const told: string[] = [];
  const stop = new AbortController();
  const output = new TransformStream<
    Uint8Array<ArrayBuffer>,
    Uint8Array<ArrayBuffer>
  >();
  const ended = runBroker({
    server: sh(`${says(...frames)}; ${then}${TELL}`),
    settings: { a: 1 },
    client: { input: new ReadableStream(), output: output.writable },
    stop: stop.signal,
    ...options,
  });
  for await (const line of readLines(output.readable, 1 << 20)) {
    told.push(new TextDecoder().decode(line));
    if (isLast(told.at(-1) ?? "")) break;
  }
  stop.abort();
  await ended;
  return told;
}

const SETTINGS = 'from 0 {"kind":"settings","settings":{"a":1}}';

Deno.test({
  name:
    "runBroker() starts no more processes of a kind than there may be, and none under a number that is taken",
  ignore: Boolean(NO_SHELL),
  async fn() {
    let started = 0;
    const frames = [0, 1, 1, 2, 2, 3].map((id) => spawn(id));
    const told = await run(frames, (said) => said.startsWith("ended"), {
      kinds: sandboxes(() => {
        started++;
        return sh("exec cat >/dev/null");
      }),
    });
    assertEquals(told[0], SETTINGS);
    assertMatch(
      `${told[1]}`,
      /^ended 3 .*"there are 2 sandbox processes, which/,
    );
    assertEquals([started, told.length], [2, 2]);
  },
});

Deno.test({
  name: "runBroker() tells the server why a process does not start",
  ignore: Boolean(NO_SHELL),
  async fn() {
    const frames = [
      ...[spawn(1, "sandbox", { environment: "e7" }), spawn(2, "shell")],
      ...[spawn(3, "toString"), spawn(4, "keeper", { folder: "valueOf" })],
      spawn(5, "bridge", { server: "none", revision: "r" }),
    ];
    const told = await run(frames, (said) => said.startsWith("ended 5"), {
      kinds: {
        sandbox: sandboxKind(1, (_, environment) => {
          throw new RangeError(`there is not an environment ${environment}`);
        }),
        keeper: keeperKind({ state: () => sh("exec cat") }),
        bridge: bridgeKind({
          start(server, revision) {
            throw new Error(`no server ${server} of ${revision}`);
          },
        }),
      },
    });
    assertEquals(told.slice(1), [
      'ended 1 {"reason":"there is not an environment e7"}',
      'ended 2 {"reason":"there is no kind of process \\"shell\\""}',
      'ended 3 {"reason":"there is no kind of process \\"toString\\""}',
      'ended 4 {"reason":"there is no folder of valueOf"}',
      'ended 5 {"reason":"no server none of r"}',
    ]);
  },
});

Deno.test({
  name:
    "runBroker() serves a kind that is a row of this test alone: its first line, messages, bytes, bounds and end",
  ignore: Boolean(NO_SHELL),
  async fn() {
    const script =
      `read first; echo "$first"; read a; echo "$a"; read b; echo "$b"; dd bs=1 count=4 2>/dev/null; exit 3`;
    const echo: Kind = {
      ...{ plural: "echoes", most: 1, leaveMs: 1000 },
      longest: { line: 100, body: 4 },
      start: (spec) => ({ process: sh(script), first: { spec } }),
    };
    const body = new TextEncoder().encode("\x1e12\n");
    const frames = [
      spawn(7, "echo", { count: 1 }),
      encodeFrame("to", 7, { one: 1 }),
      encodeFrame("to", 7, { two: 2 }, body),
    ];
    const told = await run(frames, (said) => said.startsWith("ended 7"), {
      kinds: { echo },
    });
    assertEquals(told, [
      ...[SETTINGS, 'from 7 {"spec":{"count":1}}', 'from 7 {"one":1}'],
      ...[
        'from 7 +4 {"two":2}',
        "12",
        'ended 7 {"reason":"code 3","code":3,"signal":null}',
      ],
    ]);
  },
});

Deno.test({
  name:
    "runBroker() holds a process's bytes while it is told to, and passes each on once",
  ignore: Boolean(NO_SHELL),
  async fn() {
    const say = `printf '+4 {"n":1}\\nabc\\n'`;
    const script = (name: string) =>
      name === "source" ? `read a; ${say}; read b; ${say}; read c` : "exec cat";
    const kind: Kind = {
      ...{ plural: "processes", most: 2 },
      longest: { line: 100, body: 4 },
      start: (spec) => ({ process: sh(script(String(fields(spec).name))) }),
    };
    const held = new HeldBody(1, 1, 4);
    const frames = [
      ...[spawn(1, "kind", { name: "source" }), encodeFrame("hold", 1)],
      ...[spawn(2, "kind", { name: "echo" }), encodeFrame("to", 1, {})],
    ];
    // The settings, and what the source has said.
    const more: Written = [
      ...encodeForward(2, { first: true }, held),
      ...encodeForward(2, { first: false }, held),
      ...encodeFrame("pass", 1),
      ...encodeFrame("to", 1, {}),
    ];
    let left = 6;
    const told = await run(frames, () => left-- === 0, {
      ...{ kinds: { kind }, next: { heard: 2, says: more } },
    });
    assertEquals(told.slice(0, 2), [SETTINGS, 'held 1 1:1:4 {"n":1}']);
    const lines = told.slice(2).sort();
    assertEquals(
      lines,
      [
        // The script drops the first byte of each line.
        ...["bc", "bc", 'from 1 +4 {"n":1}', 'from 2 +4 {"first":true}'],
        'from 2 {"first":false}',
      ].sort(),
    );
  },
});

Deno.test({
  name:
    "runBroker() passes the held bytes of a process on that has ended meanwhile",
  ignore: Boolean(NO_SHELL),
  async fn() {
    const script = (name: string) =>
      name === "source" ? `read a; printf '+4 {"n":1}\\nabc\\n'` : "exec cat";
    const kind: Kind = {
      ...{ plural: "processes", most: 2 },
      longest: { line: 100, body: 4 },
      start: (spec) => ({ process: sh(script(String(fields(spec).name))) }),
    };
    const frames = [
      ...[spawn(1, "kind", { name: "source" }), encodeFrame("hold", 1)],
      ...[spawn(2, "kind", { name: "echo" }), encodeFrame("to", 1, {})],
    ];
    const forward = encodeForward(2, {}, new HeldBody(1, 1, 4));
    const more: Written = [...forward, ...encodeFrame("pass", 1)];
    // The settings, what the source has said, and its end.
    const told = await run(frames, (said) => said === "bc", {
      ...{ kinds: { kind }, next: { heard: 3, says: more } },
    });
    assertEquals(told.slice(0, 2), [SETTINGS, 'held 1 1:1:4 {"n":1}']);
    assertMatch(`${told[2]}`, /^ended 1 /);
    assertEquals(told.slice(3), ["from 2 +4 {}", "bc"]);
  },
});

Deno.test({
  name:
    "runBroker() ends a process that sends more bytes than the server takes on",
  ignore: Boolean(NO_SHELL),
  async fn() {
    const liar: Kind = {
      ...{ plural: "liars", most: 1 },
      longest: { line: 100, body: 4 },
      start: () => ({
        process: sh(
          "read a; while true; do printf '+4 {}\\nabc\\n' || exit; done",
        ),
      }),
    };
    const frames = [
      ...[spawn(1, "liar"), encodeFrame("hold", 1), encodeFrame("to", 1, {})],
    ];
    const told = await run(frames, (said) => said.startsWith("ended"), {
      kinds: { liar },
    });
    assertEquals(told.filter((said) => said.startsWith("held")).length, 16);
    assertMatch(`${told.at(-1)}`, /^ended 1 .*"signal":"SIG(KILL|PIPE)"/);
  },
});

Deno.test({
  name:
    "runBroker() ends a process whose line or bytes are longer than its kind may say",
  ignore: Boolean(NO_SHELL),
  async fn() {
    const scripts = [
      ...[
        "printf '%0101d\\n' 1",
        "printf '+5 {}\\n12345'",
        "printf '+x {}\\n'",
      ],
    ];
    for (const script of scripts) {
      const liar: Kind = {
        ...{ plural: "liars", most: 1, leaveMs: 10 },
        longest: { line: 100, body: 4 },
        start: () => ({ process: sh(`${script}; exec sleep 1000`) }),
      };
      const told = await run([spawn(1, "liar")], (said) => said !== SETTINGS, {
        kinds: { liar },
      });
      assertMatch(`${told[1]}`, /^ended 1 .*"signal":"SIGKILL"/, script);
    }
  },
});

Deno.test({
  name:
    "runBroker() ends a process that does not end with its input, and all that it has started",
  ignore: Boolean(NO_SHELL),
  async fn() {
    const stubborn: Kind = {
      ...{ plural: "stubborn processes", most: 1, leaveMs: 10 },
      longest: { line: 100, body: 0 },
      start: () => ({
        process: sh("sleep 1000 & echo $!; trap '' TERM; sleep 1000", {
          detached: true,
        }),
      }),
    };
    const told = await run(
      [spawn(1, "stubborn")],
      (said) => said.startsWith("ended"),
      {
        kinds: { stubborn },
        // The settings, and what the process has started.
        next: { heard: 2, says: encodeFrame("kill", 1) },
      },
    );
    assertMatch(`${told[2]}`, /"reason":"SIGKILL"/);
    const pid = told[1]?.replace("from 1 ", "");
    const stat = await Deno.readTextFile(`/proc/${pid}/stat`).catch(() => "Z");
    assertMatch(stat, /Z/);
  },
});

Deno.test({
  name: "runBroker() ends all processes when the server breaks the protocol",
  ignore: Boolean(NO_SHELL),
  async fn() {
    const bad = {
      "bad 0 {}": /Cannot read frame header "bad/,
      // The broker alone says so.
      'ended 1 {"reason":"a lie"}': /Cannot read frame header "ended/,
      'to 0 {"kind":"toString"}': /Cannot do "toString" for the server/,
      "spawn 2 {": /JSON/,
      "forward 1 {}": /Cannot read .* as bytes that are held/,
    };
    for (const [line, expected] of Object.entries(bad)) {
      const sandbox = sh("exec cat");
      const server = sh(
        `${says(spawn(1))}; printf '\\036%s\\n' '${line}'; exec cat >&2`,
      );
      const ended = runBroker({
        ...{ server, settings: {}, kinds: sandboxes(() => sandbox) },
      });
      await assertRejects(ended, expected);
      assertEquals((await sandbox.status).signal, "SIGKILL");
      assertEquals((await server.status).signal, "SIGKILL");
    }
  },
});

Deno.test({
  name: "runBroker() takes no more for a client than a window and a line",
  ignore: Boolean(NO_SHELL),
  async fn() {
    const server = sh(
      "head -c 200000000 /dev/zero | tr '\\0' x | fold -w 1000000; exec cat",
    );
    const output = new WritableStream<Uint8Array<ArrayBuffer>>({
      write: () => new Promise(() => {}),
    });
    const ended = runBroker({
      ...{ server, settings: {}, kinds: {} },
      client: { input: new ReadableStream(), output },
    });
    await assertRejects(ended, /the server must wait for it/);
  },
});

Deno.test({
  name: "runBroker() gives each sandbox process a token of its own",
  ignore: Boolean(NO_SHELL),
  async fn() {
    const tokens: string[] = [];
    const isLast = (said: string) => {
      const token = /^from [12] (.*)/.exec(said)?.[1];
      return token !== undefined && tokens.push(token) === 2;
    };
    await run([spawn(1), spawn(2)], isLast, {
      kinds: sandboxes(() =>
        sh('read token; echo "$token$token"; exec cat >/dev/null')
      ),
    });
    const [one = "", other = ""] = tokens;
    assert(one.length >= 36 && one !== other, tokens.join());
  },
});

Deno.test({
  name: "runBroker() hands on no line without its token, and none after it",
  ignore: Boolean(NO_SHELL),
  async fn() {
    const lines = [
      'echo "forged"',
      'echo "${token%?}x{}"',
      `printf "$token"; head -c 70000000 /dev/zero | tr '\\0' x; echo`,
      `printf '\\036ended 1 {}\\n'`,
      'echo "+2 $token{}"; echo "$token{}"',
    ];
    for (const line of lines) {
      const told = await run([spawn(1)], (said) => said.startsWith("ended"), {
        kinds: sandboxes(() =>
          sh(`read token; ${line}; echo "$token{}"; exec cat >/dev/null`)
        ),
      });
      assertEquals(
        told.map((said) => said.split(" ")[0]),
        ["from", "ended"],
        line,
      );
    }
  },
});

Deno.test({
  name:
    "runBroker() does the launcher's own tasks, and tells their steps and failures",
  ignore: Boolean(NO_SHELL),
  async fn() {
    const logged: string[] = [];
    const decode = (line: Uint8Array) =>
      logged.push(new TextDecoder().decode(line)) > 0;
    const body = new TextEncoder().encode("a line");
    const frames = [
      encodeFrame("to", 0, { kind: "log" }, body),
      encodeFrame("to", 0, { kind: "audit" }, body),
      encodeFrame("to", 0, { ask: 1, kind: "servers" }),
      encodeFrame("to", 0, { ask: 2, kind: "install", requirements: ["a"] }),
    ];
    const servers: ListedServer[] = [];
    const told = await run(frames, (said) => said.includes('"answer":2'), {
      kinds: {},
      ...{ log: decode, audit: decode },
      services: {
        servers: () => servers,
        install({ requirements }, onStep) {
          onStep({ message: `installing ${requirements}` });
          return Promise.reject(new Error("no network"));
        },
      },
    });
    assertEquals(logged, ["a line", "a line"]);
    assertEquals(told.slice(1).sort(), [
      'from 0 {"answer":1,"value":[]}',
      'from 0 {"answer":2,"error":"no network"}',
      'from 0 {"step":2,"message":"installing a"}',
    ]);
  },
});

Deno.test({
  name: "runBroker() tells the server of each line that could not be written",
  ignore: Boolean(NO_SHELL),
  async fn() {
    const body = new TextEncoder().encode("a line");
    const frames = (["log", "audit", "log"] as const)
      .map((kind) => encodeFrame("to", 0, { kind }, body));
    let lines = 0;
    const told = await run(
      frames,
      (said) => said.includes("unwritten"),
      { kinds: {}, log: () => ++lines > 1, audit: () => true },
    );
    assertEquals(told.slice(1), ['from 0 {"kind":"unwritten","lines":"log"}']);
  },
});
