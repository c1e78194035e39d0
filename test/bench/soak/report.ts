import { median } from "../statistics.ts";
import { toTable } from "../table.ts";
import { toMemory } from "../units.ts";
import type { Soaked } from "./soak.ts";
import { FLOOR } from "./soak.ts";
import { COLUMNS } from "./tally.ts";

/** How much more a process may hold in the last third than in the first. */
export const GROWTH = 1.3;
const NAMES = ["launcher", "server"] as const;

/** What became of runs, and of what they took. */
export function soakReport(soaked: Soaked): string {
  const { tally, faults, outlive, files } = soaked;
  const count = (name: string, counts: typeof tally.all) => [
    name,
    ...COLUMNS.map((column) => String(counts[column])),
  ];
  const runs = toTable(
    ["runs", ...COLUMNS],
    [
      ...[...tally.counts].map(([name, counts]) => count(name, counts)),
      count("**all**", tally.all),
    ],
  );
  const held = toTable(
    ["what is held", "first third", "last third", "ratio"],
    memories(soaked).map(({ name, first, last, ratio }) => [
      name,
      toMemory(first),
      toMemory(last),
      `${ratio.toFixed(2)}x`,
    ]),
  );
  const counts = toTable(
    ["at start and end", "start", "end"],
    soaked.held.flatMap(({ start, end }, at) => [
      ...NAMES.map((name) => [
        `server ${at + 1}: file handles of ${name}`,
        String(start.handles[name]),
        String(end.handles[name]),
      ]),
      [
        `server ${at + 1}: sandbox processes`,
        String(start.sandboxes),
        String(end.sandboxes),
      ],
    ]),
  );
  const rest =
    `faults: ${faults.killed} killed, ${faults.stopped} stopped; processes left: ${outlive.length}; files left: ${files.length}`;
  return [runs, held, counts, rest].join("\n\n");
}

/**
 * What is not as it should be; nothing if all is well.
 *
 * @param options.growth How much more may be held.
 * @param options.sandboxes How many there may be at the end.
 */
export function complaints(
  soaked: Soaked,
  { growth = GROWTH, sandboxes = FLOOR }: {
    growth?: number;
    sandboxes?: number;
  } = {},
): string[] {
  const { tally, faults, held, outlive, files } = soaked;
  const { lost } = tally.all;
  const most = faults.killed + faults.stopped;
  return [
    ...tally.wrong.map((text) => `wrong answer: ${text}`),
    ...(lost > most
      ? [`${lost} runs were lost to ${most} faults`, ...tally.lost]
      : []),
    ...memories(soaked).filter(({ ratio }) => ratio > growth).map((one) =>
      `${one.name} grew to ${one.ratio.toFixed(2)}x, and may to ${growth}x`
    ),
    ...held.flatMap(({ start, end }, at) =>
      NAMES.flatMap((name) => {
        const more = end.handles[name] - start.handles[name];
        const may = HANDLES * Math.max(0, end.processes - start.processes);
        return more > may
          ? [
            `server ${
              at + 1
            }: ${name} has ${more} more file handles (${start.processes} → ${end.processes} processes)`,
          ]
          : [];
      })
    ),
    ...held.flatMap(({ end }, at) =>
      end.sandboxes > sandboxes
        ? [`server ${at + 1}: ${end.sandboxes} sandboxes, and not ${sandboxes}`]
        : []
    ),
    ...outlive.map((pid) => `process ${pid} is left`),
    ...files.map((path) => `${path} is left`),
  ];
}

/** File handles of a launcher for each process. */
const HANDLES = 5;

function memories({ held }: Soaked) {
  return held.flatMap(({ samples }, at) =>
    // Of a short run on a busy machine there may be no sample.
    samples.length === 0 ? [] : NAMES.map((name) => {
      const values = samples.map(({ memory }) => memory[name]);
      const third = Math.ceil(values.length / 3);
      const first = median(values.slice(0, third));
      const last = median(values.slice(-third));
      return {
        name: `server ${at + 1}: memory of ${name}`,
        first,
        last,
        ratio: last / first,
      };
    })
  );
}
