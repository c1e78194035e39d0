import { assertEquals } from "../../../deps/assert.ts";
import { makeCache, type TestCache } from "../../support/cache.ts";
import { startIndex } from "../../support/index_server.ts";
import { wheel } from "../../support/wheel.ts";
import { callPython } from "../calls.ts";
import { McpPeer } from "../mcp_peer.ts";

const REAL = ["--deps", "pydantic,rich"];
const MANY = Array.from({ length: 30 }, (_, at) => `mrp-bench-${at}`);

/** Installs, and starts with what they installed; times in ms. */
export interface Installs {
  /** From the real index; absent if it cannot be reached, with the reason. */
  cold: { allMs: number; withoutNetworkMs: number } | { reason: string };
  /** Start to first result, alternating. */
  warm: { plain: number[]; real: number[]; many: number[] };
}

/** Measures installs, and what they cost at later starts. */
export async function measureInstalls(rounds: number): Promise<Installs> {
  await using cache = await makeCache();
  await using index = startIndex(
    MANY.map((name) => wheel({ name })),
  );
  const many = ["--index-url", index.url, "--deps", MANY.join(",")];
  await install(cache, many);
  const cold = await measureCold(cache);
  const warm: Installs["warm"] = { plain: [], real: [], many: [] };
  for (let round = 0; round < rounds; round++) {
    warm.plain.push(await start(cache, []));
    warm.many.push(await start(cache, many));
    if ("allMs" in cold) warm.real.push(await start(cache, REAL));
  }
  return { cold, warm };
}

/** With the wheels at hand, the same takes no network. */
async function measureCold(cache: TestCache): Promise<Installs["cold"]> {
  try {
    const allMs = await install(cache, REAL);
    const withoutNetworkMs = await install(cache, [...REAL, "--offline"], [
      "--constraints",
      "pydantic>=2",
    ]);
    return { allMs, withoutNetworkMs };
  } catch (error) {
    return { reason: String(error) };
  }
}

async function install(
  cache: TestCache,
  args: string[],
  more: string[] = [],
): Promise<number> {
  const started = performance.now();
  const { code, stderr } = await cache.command([...args, ...more, "install"]);
  assertEquals(code, 0, stderr);
  return performance.now() - started;
}

async function start(cache: TestCache, args: string[]): Promise<number> {
  await using server = McpPeer.startOurs([
    ...["--cache-dir", cache.folder],
    ...args,
  ]);
  await server.connect();
  await callPython(server, 1);
  return server.ageMs;
}
