import { startBalancer } from "../../support/balancer.ts";
import { type HttpServer, startHttp } from "../../support/http_server.ts";
import { tempFolder } from "../../support/folder.ts";
import { Clients } from "../http/clients.ts";
import type { SpeedRow } from "../report_speed.ts";
import { mean, median } from "../statistics.ts";
import { toRatioAtLeast, toTime } from "../units.ts";

const CLIENTS = 8;
const WARM_UP_MS = 3000;
const ROUND_MS = 4000;
const ROUNDS = 3;
const MOVES = 9;
/** Of what one server gives on the same cores. */
const AIM = 0.95;

/** Fresh runs of two servers behind nginx beside those of one, in turns; and moves. */
export async function measureScale(): Promise<SpeedRow[]> {
  await using folder = await tempFolder();
  const [one, two] = await Promise.all(
    ["one", "two"].map((name) =>
      startHttp(["--server-name", name, "--session-store", folder.path])
    ),
  );
  if (!one || !two) throw new RangeError("Two servers were wanted");
  await using _one = one;
  await using _two = two;
  const balancer = await startBalancer("nginx", [one.url, two.url]);
  if ("reason" in balancer) throw new Error(balancer.reason);
  await using _nginx = balancer;
  const [alone, both]: number[][] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    alone?.push(await perSecond(one.url));
    both?.push(await perSecond(balancer.bySession));
  }
  const [ours, baseline] = [mean(both ?? []), mean(alone ?? [])];
  const moves = await measureMoves(one, two);
  return [
    [
      `fresh runs a second, two servers behind nginx, clients: ${CLIENTS}`,
      ours.toFixed(0),
      `${baseline.toFixed(0)} (one server, same cores)`,
      toRatioAtLeast(ours, baseline, AIM),
    ],
    [
      "a call that moves a session to its server",
      toTime(median(moves)),
      "",
      "",
    ],
  ];
}

async function perSecond(url: URL): Promise<number> {
  await using clients = new Clients({
    ...{ url: url.href, era: "2026-07-28", clients: CLIENTS, kind: "fresh" },
  });
  await clients.call(WARM_UP_MS);
  const started = performance.now();
  const calls = await clients.call(ROUND_MS);
  return calls.length * 1000 / (performance.now() - started);
}

/** Times of calls of a session that rests in the other server. */
async function measureMoves(
  ...servers: [HttpServer, HttpServer]
): Promise<number[]> {
  await using first = await servers[0].connect("2026-07-28");
  await using second = await servers[1].connect("2026-07-28");
  const { structured: { session } } = await first.call("x = 0", {
    session: "new",
  });
  const times: number[] = [];
  for (let x = 1; x <= MOVES; x++) {
    const started = performance.now();
    const client = x % 2 === 0 ? first : second;
    const { returnValue, text } = await client.call("x += 1\nx", { session });
    if (returnValue !== x) throw new Error(`A wrong answer: ${text}`);
    times.push(performance.now() - started);
  }
  return times;
}
