/**
 * Every figure by the name that it is asked for: measures, gives tables, and
 * adds its rows to the table of aims.
 *
 * @module
 */
import type { Bench } from "./bench.ts";
import { repeat } from "./bench.ts";
import { measureApp } from "./figures/app.ts";
import { measureBareWorker } from "./figures/bare_worker.ts";
import { measureBare } from "./figures/bare.ts";
import { measureCodeMode } from "./figures/code_mode.ts";
import { measureCold } from "./figures/cold.ts";
import { measureComponents } from "./figures/components.ts";
import { measureFiles } from "./figures/files.ts";
import { measureFirstResult } from "./figures/first_result.ts";
import { measureFurther } from "./figures/further.ts";
import { LOOP, measureHeavy } from "./figures/heavy.ts";
import { measureLongRuns } from "./figures/long_runs.ts";
import { measureHttp } from "./figures/http.ts";
import { measureInitialize } from "./figures/initialize.ts";
import { measureInstalls } from "./figures/installs.ts";
import { measureLibrary } from "./figures/library.ts";
import { measureMonty } from "./figures/monty.ts";
import { measurePydantic } from "./figures/pydantic.ts";
import { measurePlot } from "./figures/plot.ts";
import { findPython, measurePlainPython } from "./figures/plain_python.ts";
import { measureResolve } from "./figures/resolve.ts";
import {
  measureIdleSessions,
  measureSessionCalls,
} from "./figures/sessions.ts";
import { measureSaving } from "./figures/saving.ts";
import { measureDuringSave } from "./figures/during_save.ts";
import { measureStoring } from "./figures/storing.ts";
import { measureScale } from "./figures/scale.ts";
import { measureToolSearch, toolSearchReport } from "./figures/tool_search.ts";
import { measureSustained } from "./figures/sustained.ts";
import { McpPeer } from "./mcp_peer.ts";
import { measurePeers } from "./peers/measure.ts";
import { peersReport } from "./peers/report.ts";
import {
  callsReport,
  heavyReport,
  installsReport,
  kindsReport,
  memoryReport,
  rewindingReport,
  sessionsReport,
  startsReport,
} from "./report.ts";
import { longRunsReport } from "./report_long_runs.ts";
import { appReport } from "./report_app.ts";
import { componentsReport } from "./report_components.ts";
import { montyReport } from "./report_monty.ts";
import { httpReport, httpRows } from "./report_http.ts";
import { baselinesReport, rows } from "./report_speed.ts";

const ROUNDS = 12;
const INSTALL_ROUNDS = 8;
const RESOLVE_ROUNDS = 12;
const BASELINE_ROUNDS = 12;
const SUSTAINED_RUNS = 80;
const COLD_RUNS = 8;
const FURTHER_ROUNDS = 3;
const FILES_ROUNDS = 7;
const SESSION_CALLS = 40;
const SAVING_ROUNDS = 5;
const STORED_SESSIONS = 64;
const CODE_MODE_ROUNDS = 6;
const SEARCH_ROUNDS = 200;
const LIBRARY_ROUNDS = 8;
const LIBRARY_CALLS = 40;
const HEAVY_ROUNDS = 5;
const PEER_ROUNDS = 5;
const APP_ROUNDS = 8;

/** In the order in which they are measured. */
export const FIGURES: Record<string, (bench: Bench) => Promise<string[]>> = {
  async starts(bench) {
    // One that does not count; then in rounds, so that noise meets all alike.
    await measureRound();
    const rounds = await repeat(ROUNDS, measureRound);
    const starts = {
      bare: rounds.map(({ bare }) => bare),
      noop: rounds.map(({ noop }) => noop),
      initialize: rounds.map(({ initialize }) => initialize),
      cold: rounds.map(({ cold }) => cold),
      firstResult: rounds.map(({ firstResult }) => firstResult),
    };
    bench.useCold(starts.cold);
    bench.speed.push(rows.firstResult(starts.firstResult, starts.cold));
    return [startsReport(starts)];
  },

  async installs(bench) {
    const resolve = await measureResolve(RESOLVE_ROUNDS);
    bench.speed.push(rows.resolve(resolve, await bench.cold()));
    return [installsReport(await measureInstalls(INSTALL_ROUNDS))];
  },

  // deno-lint-ignore camelcase
  async warm_calls(bench) {
    const calls = await bench.warmCalls();
    bench.speed.push(...rows.warmCalls(calls));
    return [
      callsReport(calls),
      memoryReport(calls.memory, await bench.cold()),
    ];
  },

  async preparing(bench) {
    const cold = await bench.cold();
    bench.speed.push(rows.preparing(await bench.preparing(), cold));
    return [];
  },

  async rewinding(bench) {
    const calls = await bench.warmCalls();
    const rewound = { calls, preparing: await bench.preparing() };
    return [rewindingReport(rewound, await bench.unrewound())];
  },

  // deno-lint-ignore camelcase
  async preparing_pydantic(bench) {
    bench.speed.push(rows.pydantic(await measurePydantic()));
    return [];
  },

  async sustained(bench) {
    bench.speed.push(
      rows.sustained(await measureSustained(SUSTAINED_RUNS, COLD_RUNS)),
    );
    return [];
  },

  // deno-lint-ignore camelcase
  async ready_memory(bench) {
    const rounds = await repeat(FURTHER_ROUNDS, measureFurther);
    const known = rounds.flatMap((one) => one ?? []);
    bench.speed.push(...rows.further(known));
    return [kindsReport(known)];
  },

  async sessions(bench) {
    bench.speed.push(
      ...rows.sessionCalls(await measureSessionCalls(SESSION_CALLS)),
      ...rows.saving(await measureSaving(SAVING_ROUNDS)),
    );
    return [sessionsReport(await measureIdleSessions())];
  },

  async storing(bench) {
    bench.speed.push(
      ...rows.duringSave(await measureDuringSave()),
      ...rows.storing(await measureStoring(STORED_SESSIONS)),
    );
    return [];
  },

  async library(bench) {
    bench.speed.push(
      ...rows.library(await measureLibrary(LIBRARY_ROUNDS, LIBRARY_CALLS)),
    );
    return [];
  },

  // deno-lint-ignore camelcase
  async code_mode(bench) {
    bench.speed.push(...rows.codeMode(await measureCodeMode(CODE_MODE_ROUNDS)));
    return [];
  },

  // deno-lint-ignore camelcase
  async long_runs() {
    return longRunsReport(await measureLongRuns());
  },

  async search() {
    return [toolSearchReport(await measureToolSearch(SEARCH_ROUNDS))];
  },

  async http(bench) {
    const calls = await measureHttp();
    bench.speed.push(...httpRows(calls));
    return [httpReport(calls)];
  },

  async scale(bench) {
    bench.speed.push(...await measureScale());
    return [];
  },

  async files() {
    return [await measureFiles(FILES_ROUNDS, await findPython())];
  },

  async heavy(bench) {
    const programs = await measureHeavy(HEAVY_ROUNDS);
    const loop = programs.find(({ name }) => name === LOOP);
    if (loop && !("reason" in loop)) bench.speed.push(rows.loop(loop));
    return [heavyReport(programs)];
  },

  async plot(bench) {
    bench.speed.push(rows.plot(await measurePlot()));
    return [];
  },

  async baselines(bench) {
    const path = await findPython();
    const python = path === undefined
      ? []
      : await repeat(BASELINE_ROUNDS, () => measurePlainPython(path));
    const worker = await repeat(BASELINE_ROUNDS, measureBareWorker);
    return [
      baselinesReport({
        cold: await bench.cold(),
        python,
        worker,
        ours: await bench.warmCalls(),
        preparing: await bench.preparing(),
      }),
    ];
  },

  async monty() {
    return montyReport(await measureMonty());
  },

  async components() {
    return componentsReport(await measureComponents());
  },

  async app() {
    const rounds = await repeat(APP_ROUNDS, measureApp);
    const known = rounds.flatMap((one) => one ?? []);
    return known.length > 0 ? [appReport(known)] : [];
  },

  async peers() {
    return peersReport(await measurePeers(PEER_ROUNDS));
  },
};

async function measureRound() {
  return {
    bare: await measureBare(),
    noop: await measureInitialize(McpPeer.startNoop),
    initialize: await measureInitialize(McpPeer.startOurs),
    cold: await measureCold(),
    firstResult: await measureFirstResult(),
  };
}
