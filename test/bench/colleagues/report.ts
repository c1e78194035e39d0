import { toKey } from "../../../src/server/sessions/saved_sessions.ts";
import { percentile } from "../statistics.ts";
import { toTable } from "../table.ts";
import { toMemory, toTime } from "../units.ts";
import type { Count } from "./counts.ts";
import type { Loss, Violation } from "./history.ts";
import type { Outcome } from "./run.ts";

/** A run is in the store so long after its end, at most, and the time of its save. */
const PROMISED_MS = 15_000;
/** A busy machine may take longer: a loss that is older than this is a fault. */
const SLACK_MS = 15_000;
const KILLED = "a sandbox process is killed";

/** What became of calls, disturbances and memory, as Markdown. */
export function colleaguesReport(outcome: Outcome): string {
  const { counts, disturber, fleet, outlive, files } = outcome;
  const kinds = [...counts.kinds];
  const calls = toTable(
    [
      ...["calls", "right", "resumed", "lost, told", "no answer", "wrong"],
      ...["busy, tried again", "p50", "p95"],
    ],
    [
      ...kinds.map(([name, count]) => toCells(name, count)),
      toCells("**all**", sum(kinds.map(([, count]) => count))),
    ],
  );
  const disturbances = toTable(
    ["disturbances", "count", "served again: median", "longest"],
    [...disturber.disturbed].map(([name, { count, servedMs }]) => [
      name,
      String(count),
      ...[0.5, 1].map((share) => toShare(servedMs, share)),
    ]),
  );
  const memory = toTable(
    [
      "servers",
      "looks",
      "memory first",
      "last",
      "most",
      "handles first",
      "last",
    ],
    fleet.terms.filter(({ held }) => held.length > 0).map(
      ({ name, held }, at) => {
        const memories = held.map(({ memory }) => memory.server);
        const handles = held.map(({ handles }) => String(handles.server));
        return [
          `${name}, start ${at + 1}`,
          String(held.length),
          ...[memories[0], memories.at(-1), Math.max(...memories)].map(
            toMemory,
          ),
          ...[handles[0] ?? "", handles.at(-1) ?? ""],
        ];
      },
    ),
  );
  return [
    ...[calls, disturbances, memory, describeLosses(outcome)],
    `processes left: ${outlive.length}, and ${disturber.woken} that stood still when their launcher was killed; files left in the store: ${files.length}`,
  ].join("\n\n");
}

function toCells(name: string, count: Count): string[] {
  const { right, resumed, lost, unknown, wrong, refused, ms } = count;
  return [
    name,
    ...[right, resumed, lost, unknown, wrong, refused].map(String),
    ...[0.5, 0.95].map((share) => toShare(ms, share)),
  ];
}

function toShare(ms: number[], share: number): string {
  return ms.length === 0 ? "" : toTime(percentile(ms, share));
}

function sum(counts: readonly Count[]): Count {
  const add = (name: Exclude<keyof Count, "ms">) =>
    counts.reduce((sum, count) => sum + count[name], 0);
  return {
    ...{ right: add("right"), resumed: add("resumed"), lost: add("lost") },
    ...{ unknown: add("unknown"), wrong: add("wrong") },
    ...{ refused: add("refused"), ms: counts.flatMap(({ ms }) => ms) },
  };
}

function describeLosses({ histories }: Outcome): string {
  const losses = histories.flatMap(({ losses }) => losses);
  const calls = losses.reduce((sum, { calls }) => sum + calls, 0);
  const oldest = losses.reduce((most, { ageMs }) => Math.max(most, ageMs), 0);
  const vain = histories.flatMap(({ toldInVain }) => toldInVain).length;
  const older = losses.filter(({ ageMs }) => ageMs > PROMISED_MS).length;
  return `sessions: ${histories.length}; ${losses.length} went back or were lost, with ${calls} calls, the oldest of them ${
    toTime(oldest)
  } before the fault (${older} older than the promised 15 s); ${vain} told in an answer that did not arrive`;
}

/**
 * What is not as it should be; nothing if all is well.
 *
 * @param judged.ages Whether a loss may be so old as a quiet machine stores sessions.
 */
export function colleaguesComplaints(
  outcome: Outcome,
  { ages } = { ages: true },
): string[] {
  const { counts, disturber, histories, ends, outlive } = outcome;
  const losses = histories.flatMap(({ losses }) => losses);
  return [
    ...counts.wrong.map((text) => `wrong answer: ${text}`),
    ...histories.flatMap(({ violations }) => violations).map(toText),
    ...disturber.wrong,
    ...ages ? tooOld(losses) : [],
    ...tooMany(losses, disturber.disturbed.get(KILLED)?.count ?? 0),
    ...ends.filter((code) => code !== 0)
      .map((code) => `SIGTERM ended a server with code ${code}`),
    ...outlive.map((pid) => `process ${pid} is left`),
  ];
}

/** Losses that were told to calls whose answers did not arrive. */
export function colleaguesNotes({ histories }: Outcome): string[] {
  return histories.flatMap(({ toldInVain }) => toldInVain).map(toText);
}

/** With the name that the log has for a session. */
function toText({ session, what, events }: Violation): string {
  const lines = events.map((one) => `    ${one}`);
  return [`session ${session} (${toKey(session)}): ${what}`, ...lines]
    .join("\n");
}

function tooOld(losses: Loss[]): string[] {
  return losses.filter(({ ageMs }) => ageMs > PROMISED_MS + SLACK_MS)
    .map(({ session = "", ageMs, calls, causes }) =>
      `session ${session} (${
        toKey(session)
      }): ${calls} calls are lost, the oldest ${
        toTime(ageMs)
      } before the fault (${causes})`
    );
}

/** A sandbox process has one session. */
function tooMany(losses: Loss[], killed: number): string[] {
  const lost =
    losses.filter(({ causes }) => causes.every((cause) => cause === KILLED))
      .length;
  return lost > killed
    ? [
      `${lost} sessions are lost to ${killed} sandbox processes that were killed`,
    ]
    : [];
}
