import type { AppStart, AppStarts } from "./figures/app.ts";
import { median } from "./statistics.ts";
import { toTable } from "./table.ts";
import { toTime } from "./units.ts";

/** Milliseconds of script before a user sees the app. */
const AIM_MS = 100;

export function appReport(rounds: readonly AppStarts[]): string {
  const of = (kind: keyof AppStarts, what: keyof AppStart) =>
    median(rounds.map((round) => round[kind][what]));
  const [plain, app] = [of("plain", "workMs"), of("app", "workMs")];
  const script = app - plain;
  const isMet = script <= AIM_MS ? "met" : "not met";
  return toTable(
    [
      `the MCP App opens, ${rounds.length} rounds`,
      "CPU",
      "of the script",
      "first paint",
    ],
    [
      [
        "baseline: its page without the script",
        ...[toTime(plain), "", toTime(of("plain", "paintMs"))],
      ],
      [
        "**the app**",
        toTime(app),
        `${toTime(script)} (aim ≤ ${AIM_MS} ms: ${isMet})`,
        toTime(of("app", "paintMs")),
      ],
    ],
  );
}
