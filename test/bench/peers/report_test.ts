import { assertEquals } from "../../../deps/assert.ts";
import type { Figure, Measured } from "./measure.ts";
import { PROGRAMS } from "./programs.ts";
import { peersReport } from "./report.ts";

const MIB = 1024 ** 2;

Deno.test("peersReport() shows figures, reasons, speed of the loop, and who is missing", () => {
  const times = (...all: number[]): Figure[] =>
    all.map((wallMs) => ({ wallMs, cpuMs: wallMs }));
  const peer = (
    name: string,
    fresh: Figure[],
    kept: Figure[],
    memory: Measured["memory"] = [],
  ): Measured => ({
    ...{ name, fresh, kept },
    walls: "none",
    memory,
  });
  const none = PROGRAMS.map(() => ({ reason: "none" }));
  const tables = peersReport({
    measured: [
      peer("slow to start", times(1000, 1010, 1005), none),
      peer("subset", times(1, 41, 1), [
        ...times(1, 41),
        { reason: "cannot run: no json" },
      ]),
      peer("baseline: python3", times(30, 50, 31), times(0, 20, 1), [
        { resident: 3 * MIB, peak: 4 * MIB, share: 2 * MIB },
        { resident: 1 * MIB, peak: 4 * MIB, share: undefined },
      ]),
    ],
    skipped: [{ name: "other", reason: "no network" }],
  });
  const row = (table: number, name: string) =>
    tables[table]?.split("\n").find((line) => line.includes(name))
      ?.split("|").map((cell) => cell.trim()).slice(2, -1);
  assertEquals(tables.length, PROGRAMS.length + 2);
  assertEquals(row(0, "slow"), ["1.00 s", "1.00 s", "none", ""]);
  assertEquals(row(2, "subset"), [
    ...["1.00 ms", "1.00 ms"],
    ...["cannot run: no json", ""],
  ]);
  assertEquals(row(3, "subset"), ["none", "nothing", "nothing", "2.0x"]);
  assertEquals(row(3, "slow"), ["none", "nothing", "nothing", "n/a"]);
  assertEquals(row(3, "python3"), ["none", "4 MiB", "n/a", "1.0x"]);
  assertEquals(tables.at(-1), "SKIPPED: other: no network");
});
