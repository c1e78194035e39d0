/**
 * Two real servers with one store of sessions behind a real nginx and a real Caddy,
 * with the files of `deploy/scale/`, and official clients of both eras.
 *
 * @module
 */
import { join } from "node:path";
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { StreamableHTTPClientTransport } from "../deps/mcp_client.ts";
import { log } from "../src/log.ts";
import {
  type Balancer,
  type BalancerKind,
  BALANCERS,
  startBalancer,
} from "./support/balancer.ts";
import { ALL_ROUNDS } from "./support/rounds.ts";
import {
  type Called,
  type CallOptions,
  connectBy,
  type Era,
  ERAS,
  type TestClient,
  toCalled,
} from "./support/client.ts";
import { namesIn, tempFolder } from "./support/folder.ts";
import { startHttp } from "./support/http_server.ts";
import { killFamily } from "./support/processes.ts";

const TOKEN = crypto.randomUUID();
const NEXT = "x += 1\nx";

Deno.test("equal servers behind nginx and Caddy answer callers and sessions, and one that is killed takes none with it", async (test) => {
  await using pair = await startPair();
  const use = async (
    kind: BalancerKind,
    act: (balancer: Balancer) => Promise<void>,
    options = {},
  ) => {
    const balancer = await startBalancer(kind, pair.urls, options);
    if ("reason" in balancer) {
      return log(`skipped: servers behind ${kind}: ${balancer.reason}`);
    }
    await using _ = balancer;
    await act(balancer);
  };
  for (const kind of BALANCERS) {
    await test.step(`${kind} by caller: each call is right, no session moves`, async () => {
      await use(kind, (balancer) => byCaller(balancer, pair));
    });
    await test.step(`${kind} by session: each call is right, a session moves once at most`, async () => {
      await use(kind, (balancer) => bySession(balancer, pair));
    });
    await test.step(`${kind} in turns: each call is right or busy, and right in the end`, async () => {
      await use(kind, inTurns, { inTurns: true });
    });
  }
  await test.step("one is killed", async () => {
    const kind = ALL_ROUNDS ? "caddy" : "nginx";
    await use(kind, (balancer) => killed(balancer, pair));
  });
});

type Pair = Awaited<ReturnType<typeof startPair>>;

async function startPair() {
  const stack = new AsyncDisposableStack();
  const folder = stack.use(await tempFolder());
  const [store, logs] = await folder.make("store", "logs");
  const servers = await Promise.all(["one", "two"].map((name) =>
    startHttp([
      ...["--server-name", name, "--session-store", store],
      ...["--caller-header", "X-User", "--max-concurrency", "2"],
      ...["--log-file", join(logs, name), "--long-runs"],
    ], { env: { MCP_RUN_PYTHON_TOKEN: TOKEN } })
  ));
  for (const server of servers) stack.use(server);
  return {
    servers,
    urls: servers.map(({ url }) => url),
    /** Counts lines of both logs that have the facts, by the key of their session. */
    async count(...facts: string[]): Promise<Map<string, number>> {
      const found = new Map<string, number>();
      for (const name of ["one", "two"]) {
        const text = await Deno.readTextFile(join(logs, name));
        for (const line of text.split("\n")) {
          if (!facts.every((fact) => line.includes(fact))) continue;
          const [, key = name] = / key=(\w+)/.exec(line) ?? [];
          found.set(key, (found.get(key) ?? 0) + 1);
        }
      }
      return found;
    },
    /** How often each session's next run was in another server. */
    async moves(): Promise<Map<string, number>> {
      const runs = (await Promise.all(["one", "two"].map(async (name) => {
        const text = await Deno.readTextFile(join(logs, name));
        return text.split("\n").filter((line) => / session=\w/.test(line))
          .map((line) => ({ line, name }));
      }))).flat().sort((a, b) => a.line < b.line ? -1 : 1);
      const [last, moves] = [
        new Map<string, string>(),
        new Map<string, number>(),
      ];
      for (const { line, name } of runs) {
        const [, key = ""] = / session=(\w+)/.exec(line) ?? [];
        const hasMoved = (last.get(key) ?? name) !== name;
        moves.set(key, (moves.get(key) ?? 0) + Number(hasMoved));
        last.set(key, name);
      }
      return moves;
    },
    async stored(): Promise<number> {
      const names = await namesIn(store);
      return names.filter((name) => /\.sessions\..*\.value$/.test(name)).length;
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

async function connect(
  url: URL,
  era: Era,
  user: string,
): Promise<TestClient> {
  const headers = { authorization: `Bearer ${TOKEN}`, "x-user": user };
  const requestInit = { headers };
  const client = await connectBy(
    new StreamableHTTPClientTransport(url, { requestInit }),
    era,
  );
  // It repeats the argument session in a header from now on.
  await client.client.listTools();
  return client;
}

/** Calls until the session is not busy. */
async function calm(
  client: TestClient,
  session: unknown,
  options: CallOptions = {},
): Promise<Called & { tries: number }> {
  for (let tries = 1;; tries++) {
    const called = await client.call(NEXT, { session }, options);
    if (called.status !== "busy") return { ...called, tries };
  }
}

/** Sessions that were opened. */
let opened = 0;

async function open(client: TestClient): Promise<unknown> {
  opened++;
  const { returnValue, structured, text } = await client.call("x = 0\nx", {
    session: "new",
  });
  assertEquals(returnValue, 0, text);
  return structured.session;
}

/** A fresh run, whose file and whole result are read by their addresses. */
async function runAndRead(client: TestClient, word: string): Promise<void> {
  const code =
    `open("word.txt", "w").write("${word}" * 3000)\nprint("${word}" * 30000)`;
  const { structured, text } = await client.call(code);
  const [{ uri = "" } = {}] = structured.files as { uri?: string }[];
  const read = async (uri: string) => {
    const { contents: [first] } = await client.client.readResource({ uri });
    return String(Object(first).text);
  };
  assertEquals(await read(uri), word.repeat(3000), text);
  const { uri: rest } = Object(structured.truncated);
  assertMatch(await read(String(rest)), new RegExp(word.repeat(10)));
  await runLong(client, word);
}

/** A run that goes on after its call, and is found by the server's name. */
async function runLong(client: TestClient, word: string): Promise<void> {
  const { structured, text } = await client.call(`"${word}"`, { wait: 0 });
  const { run } = structured;
  assert(run, text);
  for (let at = 0; at < 3; at++) {
    const told = await client.client.callTool({
      ...{ name: "get_run", arguments: { run, wait: 600 } },
    });
    assertEquals(toCalled(told).returnValue, word, JSON.stringify(told));
  }
}

async function byCaller(balancer: Balancer, pair: Pair): Promise<void> {
  const before = await pair.moves();
  const users = Array.from({ length: 4 }, (_, at) => `user${at}`);
  await Promise.all(users.map(async (user, at) => {
    const era = ERAS[at % ERAS.length] ?? ERAS[0];
    await using client = await connect(balancer.byCaller, era, user);
    const session = await open(client);
    for (let x = 1; x <= 5; x++) {
      const { returnValue, text } = await client.call(NEXT, { session });
      assertEquals(returnValue, x, text);
    }
    await runAndRead(client, user);
    const listed = await client.client.callTool({
      ...{ name: "list_sessions", arguments: {} },
    });
    assert(JSON.stringify(listed).includes(String(session)));
  }));
  for (const [key, count] of await pair.moves()) {
    assertEquals(count, before.get(key) ?? 0);
  }
  await assertBothRan(pair, "caller=");
}

async function bySession(balancer: Balancer, pair: Pair): Promise<void> {
  const before = await pair.moves();
  let calls = 0;
  let tries = 0;
  await Promise.all(
    ERAS.map(async (era, at) => {
      // One caller, which needs more than a machine.
      await using client = await connect(balancer.bySession, era, "large");
      // Half of those of 2026 move; a 2025 client stays at the server it has.
      const sessions = era === ERAS[1] ? 5 : 1;
      for (let count = 0; count < sessions; count++) {
        const session = await open(client);
        for (let x = 1; x <= 4; x++) {
          const called = await calm(client, session);
          assertEquals(called.returnValue, x, called.text);
          calls++;
          tries += called.tries;
        }
        const uri = `run-python://sessions/${session}`;
        const { contents } = await client.client.readResource({ uri });
        assertMatch(JSON.stringify(contents), /\\"name\\": \\"x\\"/);
        await runAndRead(client, `word${at}`);
      }
    }),
  );
  const after = await pair.moves();
  const moves = [...after].map(([key, count]) => count - (before.get(key) ?? 0))
    .filter(Boolean);
  log(
    `${calls} calls of sessions, ${
      tries - calls
    } busy once; sessions moved: ${moves.length}`,
  );
  assert(moves.every((count) => count === 1), `${moves}`);
  await assertBothRan(pair, "caller=token-1/large");
}

async function inTurns(balancer: Balancer): Promise<void> {
  await using client = await connect(balancer.bySession, ERAS[1], "turns");
  const sessions = [await open(client), await open(client)];
  await Promise.all(sessions.map(async (session) => {
    for (let x = 1; x <= 4; x++) {
      const called = await calm(client, session);
      assertEquals(called.returnValue, x, called.text);
      assertEquals(called.structured.resumed, undefined);
    }
  }));
}

/** Clients of both eras call on while a server is killed. */
async function killed(balancer: Balancer, pair: Pair): Promise<void> {
  const clients = await Promise.all(
    ERAS.flatMap((era) => [era, era]).map(async (era) => {
      const client = await connect(balancer.bySession, era, "survivor");
      const session = await open(client);
      return { era, client, session, last: 0 };
    }),
  );
  while (await pair.stored() < opened) await pause();
  const [, two] = pair.servers;
  let isKilled = false;
  const done = Promise.all(clients.map(async (one) => {
    for (let after = 0; after < 3;) {
      if (isKilled) after++;
      const { returnValue, structured, text } = await insist(balancer, one);
      const { resumed } = structured;
      // A run whose answer was lost may have run, and been stored.
      const isNext = Number(returnValue) > one.last;
      assert(isNext || resumed !== undefined, `${one.last}: ${text}`);
      one.last = Number(returnValue);
    }
  }));
  await clients[0]?.client.call("1");
  killFamily(two?.pid ?? 0);
  isKilled = true;
  await done;
  for (const { client } of clients) await close(client);
}

/** Calls until there is a result; connects again where an MCP session is gone. */
async function insist(
  balancer: Balancer,
  one: { era: Era; client: TestClient; session: unknown },
): Promise<Called> {
  for (;;) {
    try {
      // A 2025 client waits for the stream of its call until its time is over.
      const gone = new AbortController();
      one.client.client.onerror = () => gone.abort(new Error("It is gone"));
      const called = await calm(one.client, one.session, {
        signal: gone.signal,
      });
      assertEquals(called.status, "success", called.text);
      return called;
    } catch (error) {
      if (!isOfHttp(error)) throw error;
      await close(one.client);
      one.client = await connect(balancer.bySession, one.era, "survivor");
    }
  }
}

/** Whether an error is of the way to the server, or of an MCP session that is gone. */
function isOfHttp(error: unknown): boolean {
  return error instanceof Error && !("generatedMessage" in error);
}

async function close(client: TestClient): Promise<void> {
  try {
    await client[Symbol.asyncDispose]();
  } catch {
    // Its server is gone.
  }
}

async function assertBothRan(pair: Pair, fact: string): Promise<void> {
  const ran = await pair.count("status=success", fact);
  assertEquals([...ran.keys()].sort(), ["one", "two"]);
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 20));
}
