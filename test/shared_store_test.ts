/**
 * Servers that share a store of sessions, all of them real: a session is of one of
 * them at a time, and its state goes on in one line.
 *
 * @module
 */
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { lockFolder } from "../src/keeper/folder_lock.ts";
import { log } from "../src/log.ts";
import { namesIn, tempFolder } from "./support/folder.ts";
import { descendants, killFamily } from "./support/processes.ts";
import { startServer, type TestServer } from "./support/server.ts";

const NO_PROC = Deno.build.os !== "linux" && "needs /proc to find processes";
if (NO_PROC) log(`skipped: servers that are killed or stopped: ${NO_PROC}`);

const NEXT = "x += 1\nx";
/** Calls of a busy session, each of which waits for seconds. */
const MOST_TRIES = 100;

/** Two servers with one store, and a session of the first whose `x` is 1. */
async function startPair() {
  const folder = await tempFolder();
  const options = ["--session-store", folder.path];
  const [one, two] = await Promise.all([
    startServer(options),
    startServer(options),
  ]);
  const opened = await one.call("x = 1\nx", { session: "new" });
  const { session } = opened.structured;
  assertEquals(opened.returnValue, 1, opened.text);
  return {
    ...{ one, two, session, folder: folder.path },
    /** Calls until the session is not busy. */
    async calm(server: TestServer, code = NEXT) {
      for (let tries = 1;; tries++) {
        const called = await server.call(code, { session });
        if (called.status !== "busy") return called;
        assert(tries < MOST_TRIES, called.text);
      }
    },
    async stored() {
      const isSession = (name: string) => /\.sessions\..*\.value$/.test(name);
      while (!(await namesIn(folder.path)).some(isSession)) {
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    async [Symbol.asyncDispose]() {
      for (const server of [one, two]) await server[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

function signal(server: TestServer, name: Deno.Signal): void {
  for (const pid of [server.pid, ...descendants(server.pid)]) {
    Deno.kill(pid, name);
  }
}

Deno.test("a session that rests moves to the server that is called, and back", async () => {
  await using pair = await startPair();
  const values = [];
  for (const server of [pair.two, pair.two, pair.one, pair.two]) {
    const { returnValue, structured } = await pair.calm(server);
    assertEquals(structured.resumed, undefined);
    values.push(returnValue);
  }
  assertEquals(values, [2, 3, 4, 5]);
});

Deno.test("calls of a session at two servers at a time make one line of states", async () => {
  await using pair = await startPair();
  const values: unknown[] = [];
  const ask = async (server: TestServer) => {
    for (let round = 0; round < 4; round++) {
      const { returnValue, structured } = await pair.calm(server);
      assertEquals(structured.resumed, undefined);
      values.push(returnValue);
    }
  };
  await Promise.all([ask(pair.one), ask(pair.two)]);
  assertEquals(values.map(Number).sort((a, b) => a - b), [
    ...[2, 3, 4, 5, 6, 7, 8, 9],
  ]);
});

Deno.test({
  name:
    "a session of a server that is killed goes on in another, from its stored state, and says so once",
  ignore: Boolean(NO_PROC),
  async fn() {
    await using pair = await startPair();
    await pair.stored();
    const last = await pair.one.call(NEXT, { session: pair.session });
    assertEquals(last.returnValue, 2, last.text);
    killFamily(pair.one.pid);
    const next = await pair.calm(pair.two);
    const { resumed } = next.structured;
    // It may have been stored between its result and the end.
    assertEquals(next.returnValue, resumed === undefined ? 3 : 2, next.text);
    if (resumed !== undefined) {
      assertMatch(String(resumed), /goes on from its state of \d+ s ago/);
      assertMatch(next.text, /<resumed>/);
    }
    const after = await pair.calm(pair.two);
    assertEquals(after.structured.resumed, undefined);
  },
});

Deno.test({
  name:
    "a server that stood still gives no result of a session that another has gone on with",
  ignore: Boolean(NO_PROC),
  async fn() {
    await using pair = await startPair();
    await pair.stored();
    {
      // A server that stands still with the lock leaves the others without a store.
      using _lock = await lockFolder(pair.folder, 60_000);
      signal(pair.one, "SIGSTOP");
    }
    const late = pair.one.call("x += 100\nx", { session: pair.session });
    late.catch(() => {
      // A failure before it is awaited must not hide that.
    });
    const next = await pair.calm(pair.two);
    assertEquals(next.returnValue, 2, next.text);
    signal(pair.one, "SIGCONT");
    const { status, returnValue } = await late;
    // It has asked the other server for the session, or been told that it has moved.
    assert(
      returnValue === 102 || ["busy", "session-lost"].includes(`${status}`),
      `${status} ${returnValue}`,
    );
    const values = [await pair.calm(pair.two), await pair.calm(pair.one)];
    const first = returnValue === 102 ? 103 : 3;
    assertEquals(values.map(({ returnValue }) => returnValue), [
      ...[first, first + 1],
    ]);
  },
});
