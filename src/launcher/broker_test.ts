import {
  assert,
  assertEquals,
  assertMatch,
  assertRejects,
} from "../../deps/assert.ts";
import { encodeFrame, type Frame } from "../protocol/frames.ts";
import { log } from "../log.ts";
import { kill } from "./kill.ts";
import { type LibrarySide, runBroker } from "./broker.ts";

const NO_SHELL = Deno.build.os === "windows" && "needs a shell";
if (NO_SHELL) log(`skipped: the broker beside real processes: ${NO_SHELL}`);

function sh(script: string): Deno.ChildProcess {
  return new Deno.Command("/bin/sh", {
    args: ["-c", script],
    ...{ stdin: "piped", stdout: "piped", stderr: "null" },
  }).spawn();
}

/** What a shell prints so that the broker reads frames. */
function says(...frames: Uint8Array[]): string {
  const text = frames.map((frame) => new TextDecoder().decode(frame)).join("");
  return `printf '%s' '${text}'`;
}

const spawn = (id: number, environment = 0) =>
  encodeFrame("spawn", id, environment);
const taking = (take: (frame: Frame) => void): LibrarySide => ({
  open() {},
  take,
});
const textOf = ({ payload }: Frame) => new TextDecoder().decode(payload);

Deno.test({
  name: "runBroker() starts no more processes than there may be",
  ignore: Boolean(NO_SHELL),
  async fn() {
    const started: Deno.ChildProcess[] = [];
    const server = sh(
      `${says(spawn(1), spawn(1), spawn(2), spawn(2), spawn(3))}; exec cat`,
    );
    let refused = "";
    await runBroker({
      server,
      settings: {},
      mostSandboxes: 2,
      startSandbox() {
        const process = sh("exec cat >/dev/null");
        started.push(process);
        return process;
      },
      library: taking((frame) => {
        if (frame.kind !== "ended") return;
        refused ||= `${frame.id} ${textOf(frame)}`;
        kill(server);
      }),
    });
    assertMatch(refused, /^3 "RangeError: there are 2 sandbox processes/);
    assertEquals(started.length, 2);
  },
});

Deno.test({
  name: "runBroker() tells the server why a process does not start",
  ignore: Boolean(NO_SHELL),
  async fn() {
    const server = sh(`${says(spawn(1, 7))}; exec cat`);
    let told = "";
    await runBroker({
      ...{ server, settings: {}, mostSandboxes: 2 },
      startSandbox(environment) {
        throw new RangeError(`there is not an environment ${environment}`);
      },
      library: taking((frame) => {
        if (frame.kind !== "ended") return;
        told = textOf(frame);
        kill(server);
      }),
    });
    assertMatch(told, /there is not an environment 7/);
  },
});

Deno.test({
  name: "runBroker() ends all processes when the server breaks the protocol",
  ignore: Boolean(NO_SHELL),
  async fn() {
    const sandbox = sh("exec cat");
    const server = sh(
      `${says(spawn(1))}; printf '\\036bad 0 {}\\n'; exec cat >&2`,
    );
    const ended = runBroker({
      ...{ server, settings: {}, mostSandboxes: 2 },
      startSandbox: () => sandbox,
    });
    await assertRejects(ended, /Cannot read frame header "bad/);
    assertEquals((await sandbox.status).signal, "SIGKILL");
    assertEquals((await server.status).signal, "SIGKILL");
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
      ...{ server, settings: {}, mostSandboxes: 2 },
      startSandbox: () => sh("true"),
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
    const server = sh(`${says(spawn(1), spawn(2))}; exec cat`);
    await runBroker({
      ...{ server, settings: {}, mostSandboxes: 2 },
      startSandbox: () =>
        sh('read token; echo "$token$token"; exec cat >/dev/null'),
      library: taking((frame) => {
        if (frame.kind === "from") tokens.push(textOf(frame));
        if (tokens.length === 2) kill(server);
      }),
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
    ];
    for (const line of lines) {
      const server = sh(`${says(spawn(1))}; exec cat`);
      const kinds: string[] = [];
      await runBroker({
        ...{ server, settings: {}, mostSandboxes: 2 },
        startSandbox: () =>
          sh(`read token; ${line}; echo "$token{}"; exec cat >/dev/null`),
        library: taking((frame) => {
          kinds.push(frame.kind);
          if (frame.kind === "ended") kill(server);
        }),
      });
      assertEquals(kinds, ["settings", "ended"], line);
    }
  },
});
