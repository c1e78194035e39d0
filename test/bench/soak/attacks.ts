// A process that attacks a server until it is killed. Its lines tell of the attacks
// that begin, `+` and a name, and of those that end, `-` and a name.
import { print } from "../../../src/log.ts";
import {
  INITIALIZE,
  type Post,
  postCall,
  postRequest,
} from "../../support/mcp_post.ts";
import { Random } from "./random.ts";
import { connectRaw, type RawConnection } from "../../support/raw_http.ts";

/** A caller that takes all that it can get. */
interface Attacker {
  server: { url: URL; fetch(post: RequestInit): Promise<Response> };
  /** A request with the attacker's token. */
  by(post: Post): Post;
}

export interface AttackOrder {
  url: string;
  token: string;
  seed: number;
  /** The only attack, by name; all by default. */
  only: string | undefined;
}

/** Attacks at a time. */
const AT_A_TIME = 2;

interface Attack {
  name: string;
  weight: number;
  make(attacker: Attacker): Promise<void>;
}

const LARGE = "open('large', 'wb').write(bytes(6_000_000))";
/** Computes between runs, and takes memory. */
const BACKGROUND = `
import asyncio
held = []
async def burn():
    while True:
        held.append(bytearray(1_000_000)) if len(held) < 100 else None
        sum(range(100_000))
        await asyncio.sleep(0)
task = asyncio.ensure_future(burn())`;

/** One for each way of issue 27, part A. */
const ATTACKS: [Attack, ...Attack[]] = [
  {
    name: "calls without an end",
    weight: 3,
    async make(attacker) {
      const code = "import time\nwhile time.sleep(0.01) is None: pass";
      await burst(attacker, 60, () => postCall(code), 5000);
    },
  },
  {
    name: "computing without an end",
    weight: 1,
    make: (attacker) => burst(attacker, 10, () => postCall("while 1: 1"), 5000),
  },
  {
    name: "sessions that compute in the background",
    weight: 2,
    make: (attacker) => burst(attacker, 10, () => callNew(BACKGROUND), 4000),
  },
  {
    name: "many sessions",
    weight: 2,
    make: (attacker) => burst(attacker, 40, () => callNew("x = 1"), 4000),
  },
  {
    name: "answers that are not read",
    weight: 2,
    async make(attacker) {
      const { server, by } = attacker;
      const written = await server.fetch(by(postCall(LARGE)));
      const [, uri = ""] = /"uri":"([^"]+)"/.exec(await written.text()) ?? [];
      const read = by(postRequest("resources/read", uri, { uri }));
      await hold(
        attacker,
        60,
        (connection) => connection.send(write(read, server.url)),
      );
    },
  },
  {
    name: "requests behind a stream",
    weight: 2,
    make: (attacker) =>
      hold(attacker, 5, async (connection) => {
        await listen(attacker, connection);
        const call = write(attacker.by(postCall("1")), attacker.server.url);
        await connection.send(call.repeat(9));
      }),
  },
  {
    name: "MCP sessions with streams",
    weight: 1,
    make: (attacker) =>
      hold(attacker, 150, (connection) => listen(attacker, connection)),
  },
  {
    name: "connections that prove nothing",
    weight: 2,
    make: (attacker) =>
      hold(attacker, 300, async (connection) => {
        const wrong = attacker.by(postCall("1"));
        wrong.headers["authorization"] = `Bearer ${"x".repeat(20)}`;
        await connection.send(write(wrong, attacker.server.url).repeat(5));
      }),
  },
  {
    name: "large bodies that do not end",
    weight: 1,
    make: (attacker) =>
      hold(attacker, 20, async (connection) => {
        const call = attacker.by(postCall("1"));
        const body = " ".repeat(8_000_000);
        const whole = write({ ...call, body }, attacker.server.url);
        await connection.send(whole.slice(0, -1));
      }),
  },
  {
    name: "reads of a session",
    weight: 1,
    async make(attacker) {
      const { server, by } = attacker;
      const opened = await server.fetch(by(callNew("import time")));
      const text = await opened.text();
      const [, handle = ""] = /"session":"([^"]+)"/.exec(text) ?? [];
      const uri = `run-python://sessions/${handle}`;
      await burst(
        attacker,
        100,
        () => postRequest("resources/read", uri, { uri }),
        4000,
      );
    },
  },
  {
    name: "files that fill the store",
    weight: 1,
    make: (attacker) =>
      burst(
        attacker,
        8,
        () => postCall("open('f', 'wb').write(bytes(60_000_000)) and None"),
        8000,
      ),
  },
];

function callNew(code: string): Post {
  const name = "run_python_code";
  const args = { "python_code": code, session: "new" };
  return postRequest("tools/call", name, { name, arguments: args });
}

/** Sends requests at once, and gives up those that take long. */
async function burst(
  { server, by }: Attacker,
  count: number,
  make: () => Post,
  ms: number,
): Promise<void> {
  const given = AbortSignal.timeout(ms);
  await Promise.all(Array.from({ length: count }, async () => {
    const response = await server.fetch({ ...by(make()), signal: given });
    await response.text();
    if (response.ok) return;
    // It is refused, and waits as it is told.
    await new Promise((resolve) => setTimeout(resolve, 1000));
  })).catch(() => {});
}

/** Holds connections on which nothing is read, for 8 s. */
async function hold(
  { server }: Attacker,
  count: number,
  use: (connection: RawConnection) => Promise<void>,
): Promise<void> {
  using connections = new DisposableStack();
  for (let at = 0; at < count; at++) {
    const connection = connections.use(await connectRaw(server.url));
    // A connection may be refused, and a body be no more read.
    void use(connection).catch(() => {});
  }
  const given = AbortSignal.timeout(8000);
  await new Promise<void>((resolve) =>
    given.addEventListener("abort", () => resolve())
  );
}

async function listen(
  { server, by }: Attacker,
  connection: RawConnection,
): Promise<void> {
  const opened = await server.fetch(by(INITIALIZE));
  await opened.body?.cancel();
  const { headers } = by(INITIALIZE);
  const session = opened.headers.get("mcp-session-id") ?? "";
  const own = { ...headers, "mcp-session-id": session };
  const all = { ...own, accept: "text/event-stream" };
  const listen = write({ headers: all, body: "" }, server.url);
  await connection.send(listen.replace("POST", "GET"));
}

/** A request as bytes. */
function write(
  { headers, body }: Pick<Post, "headers" | "body">,
  { host, pathname }: URL,
): string {
  const all = { Host: host, ...headers, "Content-Length": `${body.length}` };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return `POST ${pathname} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n${body}`;
}

if (import.meta.main) {
  const { url, token, seed, only }: AttackOrder = JSON.parse(
    Deno.args[0] ?? "",
  );
  const random = new Random(seed);
  const [first = ATTACKS[0], ...others] = ATTACKS
    .filter(({ name }) => name === (only ?? name));
  const authorization = `Bearer ${token}`;
  const attacker: Attacker = {
    server: {
      url: new URL(url),
      fetch: (init) => fetch(url, { ...init, method: "POST" }),
    },
    by: (post) => ({ ...post, headers: { ...post.headers, authorization } }),
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, async () => {
    while (true) {
      const { name, make } = random.pickByWeight([first, ...others]);
      print(`+${name}\n`);
      // The server may end its connections.
      await make(attacker).catch(() => {});
      print(`-${name}\n`);
    }
  }));
}
