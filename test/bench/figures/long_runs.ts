import { assert, assertEquals } from "../../../deps/assert.ts";
import { fields } from "../../../src/protocol/fields.ts";
import type { TestClient } from "../../support/client.ts";
import { type HttpServer, startHttp } from "../../support/http_server.ts";
import { callNoop, callPython } from "../calls.ts";
import { McpPeer } from "../mcp_peer.ts";

const ROUNDS = 30;
const WARM_UP = 3;
/** Runs of each of the two callers. */
const RUNS = 100;
const CALLERS = ["ada", "eve"] as const;
/** Longer than any run here takes. */
const PATIENCE_SECONDS = 600;

type Caller = typeof CALLERS[number];

/** Calls that name `wait`, and polls of a run, beside those that do not, and a no-op. */
export interface LongRunsFigures {
  /** Milliseconds of each call. */
  calls: Record<"noop" | "plain" | "within" | "poll", number[]>;
  /** 200 runs of two callers, the second of which comes last. */
  crowd: Record<"plain" | "detached", Crowd>;
}

/** How the runs of two callers ended. */
export interface Crowd {
  /** Of the first half of all ended runs, the share of the caller that came last. */
  shareOfLast: number;
  /** Pairs of neighbours of a caller that began in another order than they were asked for. */
  outOfOrder: number;
  ms: number;
}

/** Measures all in rounds, so that noise of the machine meets all alike. */
export async function measureLongRuns(): Promise<LongRunsFigures> {
  const calls = await measureCalls();
  return {
    calls,
    crowd: {
      plain: await measureCrowd(callPlainly),
      detached: await measureCrowd(callDetached),
    },
  };
}

async function measureCalls(): Promise<LongRunsFigures["calls"]> {
  await using noop = McpPeer.startNoop();
  await using ours = McpPeer.startOurs([
    ...McpPeer.CACHE_ARGS,
    "--long-runs",
  ]);
  await noop.connect();
  await ours.connect();
  const begun = await ours.callTool("run_python_code", {
    ...{ python_code: "import asyncio\nawait asyncio.sleep(3600)", wait: 0 },
    timeout: 600,
  });
  const { run } = fields(begun.structuredContent);
  const kinds = {
    noop: (number: number) => callNoop(noop, number),
    plain: (number: number) => callPython(ours, number),
    within: (number: number) => callWithin(ours, number),
    poll: () => poll(ours, run),
  };
  const calls = {
    ...{
      noop: [],
      plain: [],
      within: [],
      poll: [],
    } as LongRunsFigures["calls"],
  };
  // A call finds what the one before it has left: each kind follows each of its pair.
  const pairs = [["noop", "poll"], ["plain", "within"]] as const;
  for (const [one, other] of pairs) {
    for (let number = 0; number < WARM_UP + ROUNDS; number++) {
      const turns = [one, other, other, one];
      for (const kind of turns) {
        const started = performance.now();
        await kinds[kind](number);
        if (number >= WARM_UP) calls[kind].push(performance.now() - started);
      }
    }
  }
  return calls;
}

async function callWithin(server: McpPeer, number: number): Promise<void> {
  const { structuredContent } = await server.callTool("run_python_code", {
    python_code: `${number} + 1`,
    wait: PATIENCE_SECONDS,
  });
  assertEquals(fields(structuredContent).return_value, number + 1);
}

async function poll(server: McpPeer, run: unknown): Promise<void> {
  const { structuredContent } = await server.callTool("get_run", {
    ...{ run, wait: 0 },
  });
  assertEquals(fields(structuredContent).status, "running");
}

type Asked = (client: TestClient, code: string) => Promise<unknown>;

async function callPlainly({ call }: TestClient, code: string) {
  return await call(code);
}

async function callDetached({ call, client }: TestClient, code: string) {
  const begun = await call(code, { wait: 0 });
  if (begun.status !== "running") return begun;
  const { structuredContent, content } = await client.callTool({
    name: "get_run",
    arguments: { run: begun.structured.run, wait: PATIENCE_SECONDS },
  });
  assert(structuredContent, JSON.stringify(content));
  return structuredContent;
}

/** One caller asks for all its runs, and the other one comes after it. */
async function measureCrowd(ask: Asked): Promise<Crowd> {
  const tokens = CALLERS.map((name) => `${name}:${name.repeat(12)}`);
  await using server = await startHttp(["--long-runs"], {
    env: { MCP_RUN_PYTHON_TOKEN: tokens.join(",") },
  });
  const began: { caller: Caller; number: number; at: number }[] = [];
  const started = performance.now();
  await Promise.all(
    CALLERS.map((caller) => runAll(server, caller, ask, began)),
  );
  const ms = performance.now() - started;
  assertEquals(began.length, 2 * RUNS);
  began.sort((a, b) => a.at - b.at);
  const half = began.slice(0, RUNS);
  const outOfOrder = CALLERS.flatMap((caller) =>
    began.filter((one) => one.caller === caller)
      .filter(({ number }, at, own) => number < (own[at - 1]?.number ?? 0))
  );
  return {
    shareOfLast: half.filter(({ caller }) => caller === "eve").length / RUNS,
    outOfOrder: outOfOrder.length,
    ms,
  };
}

async function runAll(
  server: HttpServer,
  caller: Caller,
  ask: Asked,
  began: { caller: Caller; number: number; at: number }[],
): Promise<void> {
  await using client = await server.connect("2026-07-28", {
    token: caller.repeat(12),
  });
  await client.call("1");
  const code = "import time\ntime.time()";
  const runs: Promise<void>[] = [];
  for (let number = 0; number < RUNS; number++) {
    runs.push((async () => {
      while (true) {
        const told = await ask(client, code).catch((error) => {
          // There is a place later.
          assert(/place|too many/i.test(String(error)), String(error));
        });
        const { return_value: value, returnValue } = fields(told);
        const at = returnValue ?? value;
        if (typeof at === "number") {
          began.push({ caller, number, at });
          return;
        }
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    })());
  }
  await Promise.all(runs);
}
