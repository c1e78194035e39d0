import { fileURLToPath } from "node:url";
import { CLI, withConstants } from "../../support/command.ts";
import { type Calling, Clients } from "../http/clients.ts";
import { McpPeer } from "../mcp_peer.ts";
import { Peer } from "../peer.ts";
import { install } from "../peers/install.ts";
import { maybeMean, mean } from "../statistics.ts";
import { cpuMsOf } from "../usage.ts";

/** How many clients call at the same time. */
const CLIENTS = [1, 8, 32];
/** Each session has a process of its own, whose V8 compiles the same code. */
const WARM_UP_MS = { noop: 1000, raw: 1000, fresh: 1000, session: 10_000 };
const ROUND_MS = 2500;
const ROUNDS = 2;

const NOOP = fileURLToPath(import.meta.resolve("../http/noop_server.ts"));
const FASTMCP = fileURLToPath(
  import.meta.resolve("../http/fastmcp_server.py"),
);

/** What is called, in the order of the table. */
export const HTTP_CALLS = {
  sessions: "**no-op**, 2025, MCP sessions",
  fastmcp: "baseline: FastMCP no-op, MCP sessions",
  raw: "**no-op**, 2025, raw client",
  fastmcpRaw: "baseline: FastMCP no-op, raw client",
  stateless: "**no-op**, 2025, stateless",
  fastmcpStateless: "baseline: FastMCP no-op, stateless",
  modern: "**no-op**, 2026",
  kept: "**1 + 1**, a session a client",
  fresh: "**1 + 1**, clean interpreters",
} as const;

export type HttpCall = keyof typeof HTTP_CALLS;

/** Calls of one kind, by so many clients. */
export interface HttpCalls {
  call: HttpCall;
  clients: number;
  perSecond: number;
  wallMs: number[];
  /** Of all processes of the server, for each call. */
  cpuMs: number | undefined;
}

/** A server that is up, and what its clients call. */
interface Target extends Pick<Calling, "url" | "era" | "kind"> {
  call: HttpCall;
  pid: number;
}

/** Calls over HTTP by the official client: ours and the baseline's in turns. */
export async function measureHttp(): Promise<HttpCalls[]> {
  await using stack = new AsyncDisposableStack();
  const targets = await openTargets(stack);
  const all: HttpCalls[] = [];
  for (const clients of CLIENTS) {
    const rounds: HttpCalls[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      for (const target of targets) rounds.push(await measure(target, clients));
    }
    all.push(
      ...targets.map(({ call }) =>
        merge(rounds.filter((one) => one.call === call))
      ),
    );
  }
  return all;
}

async function openTargets(stack: AsyncDisposableStack): Promise<Target[]> {
  const { python, folder } = await install("fastmcp", stack);
  const endSignal = "SIGTERM";
  const open = async (server: Peer) => {
    stack.use(server);
    const url = (await server.receive()).split(" ").at(-1) ?? "";
    return { pid: server.pid, url };
  };
  const openNoop = (mode: string) =>
    open(new Peer(["-A", NOOP, mode], { endSignal }));
  const openFastMcp = (mode: string) =>
    open(
      new Peer([FASTMCP, mode], {
        ...{ command: [python], env: { PYTHONPATH: folder }, endSignal },
      }),
    );
  const most = String(Math.max(...CLIENTS));
  const product = await open(
    new Peer(
      withConstants([
        ...["-A", CLI, ...McpPeer.CACHE_ARGS, "--port", "0"],
        ...["--allowed-origin", "none"],
        ...[`+maxSessions=${most}`, "--max-sessions-memory", String(1 << 20)],
        "streamable-http",
      ]),
      { endSignal },
    ),
  );
  const noop = await openNoop("sessions");
  const fastMcp = await openFastMcp("sessions");
  const calling = { kind: "noop", era: "2025-11-25" } as const;
  return [
    { call: "sessions", ...calling, ...noop },
    { call: "fastmcp", ...calling, ...fastMcp },
    { call: "raw", ...calling, kind: "raw", ...noop },
    { call: "fastmcpRaw", ...calling, kind: "raw", ...fastMcp },
    { call: "stateless", ...calling, ...await openNoop("stateless") },
    { call: "fastmcpStateless", ...calling, ...await openFastMcp("stateless") },
    { call: "modern", ...calling, era: "2026-07-28", ...noop },
    { call: "kept", ...calling, kind: "session", ...product },
    { call: "fresh", ...calling, kind: "fresh", ...product },
  ];
}

async function measure(target: Target, clients: number): Promise<HttpCalls> {
  await using all = new Clients({ ...target, clients });
  await all.call(WARM_UP_MS[target.kind]);
  const cpuBefore = cpuMsOf(target.pid);
  const started = performance.now();
  const wallMs = await all.call(ROUND_MS);
  const seconds = (performance.now() - started) / 1000;
  const cpuAfter = cpuMsOf(target.pid);
  return {
    ...{ call: target.call, clients, wallMs },
    perSecond: wallMs.length / seconds,
    cpuMs: cpuBefore === undefined || cpuAfter === undefined
      ? undefined
      : (cpuAfter - cpuBefore) / wallMs.length,
  };
}

function merge(rounds: HttpCalls[]): HttpCalls {
  const [first] = rounds;
  if (!first) throw new RangeError("Nothing was measured");
  return {
    ...first,
    perSecond: mean(rounds.map(({ perSecond }) => perSecond)),
    wallMs: rounds.flatMap(({ wallMs }) => wallMs),
    cpuMs: maybeMean(rounds.map(({ cpuMs }) => cpuMs)),
  };
}
