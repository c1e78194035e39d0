/**
 * `deno task bench`: how fast and how large the server is, beside plain
 * baselines, all measured here and now. `docs/measuring.md` explains it.
 *
 * @module
 */
import { EXIT } from "../../src/errors.ts";
import { log, print } from "../../src/log.ts";
import { command } from "../support/command.ts";
import { measureBare } from "./figures/bare.ts";
import { measureCold } from "./figures/cold.ts";
import { measureFirstResult } from "./figures/first_result.ts";
import { measureInitialize } from "./figures/initialize.ts";
import { measureInstalls } from "./figures/installs.ts";
import { measureWarmCalls } from "./figures/warm_calls.ts";
import { describeMachine } from "./machine.ts";
import { McpPeer } from "./mcp_peer.ts";
import {
  callsReport,
  installsReport,
  memoryReport,
  type Starts,
  startsReport,
} from "./report.ts";

const ROUNDS = 12;
const INSTALL_ROUNDS = 8;
const PACED_CALLS = 60;
const RUSHED_CALLS = 30;
/** Longer than this, and something hangs. */
const LIMIT_MS = 15 * 60_000;

if (import.meta.main) {
  Deno.unrefTimer(setTimeout(giveUp, LIMIT_MS));
  print(`${describeMachine()}\n\n`);
  await prepare();
  const starts = await measureStarts();
  print(`${startsReport(starts)}\n\n`);
  log("Measuring installs …");
  print(`${installsReport(await measureInstalls(INSTALL_ROUNDS))}\n\n`);
  log("Measuring calls …");
  const calls = await measureWarmCalls(PACED_CALLS, RUSHED_CALLS);
  print(`${callsReport(calls)}\n\n`);
  print(`${memoryReport(calls.memory, starts.cold)}\n`);
}

/** What is measured finds its environment in the cache, and its code there. */
async function prepare(): Promise<void> {
  log("Preparing …");
  const { code, stderr } = await command(["install"]);
  if (code !== 0) throw new Error(`Cannot prepare the cache: ${stderr}`);
  await measureRound();
}

/** In rounds, so that noise of the machine meets all alike. */
async function measureStarts(): Promise<Starts> {
  log(`Measuring starts, ${ROUNDS} rounds …`);
  const rounds: Awaited<ReturnType<typeof measureRound>>[] = [];
  while (rounds.length < ROUNDS) rounds.push(await measureRound());
  return {
    bare: rounds.map(({ bare }) => bare),
    noop: rounds.map(({ noop }) => noop),
    initialize: rounds.map(({ initialize }) => initialize),
    cold: rounds.map(({ cold }) => cold),
    firstResult: rounds.map(({ firstResult }) => firstResult),
  };
}

async function measureRound() {
  return {
    bare: await measureBare(),
    noop: await measureInitialize(McpPeer.startNoop),
    initialize: await measureInitialize(McpPeer.startOurs),
    cold: await measureCold(),
    firstResult: await measureFirstResult(),
  };
}

function giveUp(): void {
  log(`error: The bench is not done after ${LIMIT_MS} ms`);
  Deno.exit(EXIT.failure);
}
