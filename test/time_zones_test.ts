/**
 * Time zones, which each environment has without a package.
 *
 * @module
 */
import { assertEquals, assertMatch } from "../deps/assert.ts";
import { onEachPyodide } from "./support/each_pyodide.ts";
import { shareServer } from "./support/shared_server.ts";

const CODE = `
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo, available_timezones
summer = datetime(2026, 7, 1, tzinfo=ZoneInfo("Europe/Amsterdam"))
assert summer.astimezone(ZoneInfo("America/New_York")).hour == 18
assert datetime.now(ZoneInfo("Asia/Kathmandu")).utcoffset() == timedelta(hours=5, minutes=45)
assert {"UTC", "US/Eastern", "Etc/GMT+5"} <= available_timezones()
[summer.isoformat(), len(available_timezones()) > 500]
`;

onEachPyodide(
  "time zones are there, without a package or a network",
  async (options) => {
    const server = await shareServer(["--offline", ...options]);
    const { returnValue, text } = await server.call(CODE);
    assertEquals(returnValue, ["2026-07-01T00:00:00+02:00", true], text);
    for (
      const [zone, near] of [
        ["europe/paris", "Europe/Paris"],
        ["Amsterdam", "Europe/Amsterdam"],
        ["Europ/Paris", "Europe/Paris"],
      ]
    ) {
      const { error } = await server.call(
        `from zoneinfo import ZoneInfo\ntry: ZoneInfo("${zone}")\nexcept Exception as error: print(error)\nZoneInfo("${zone}")`,
      );
      assertMatch(error ?? "", new RegExp(`\nThe nearest are ${near}`));
    }
    const caught = await server.call(
      'from zoneinfo import ZoneInfo\ntry: ZoneInfo("A")\nexcept Exception as error: print(error)',
    );
    assertEquals(caught.output, ["'No time zone found with key A.'"]);
    const { error } = await server.call(
      'from zoneinfo import ZoneInfo\nZoneInfo("Europe/Amsterdm")',
    );
    assertMatch(
      error ?? "",
      /NotFoundError: .*No time zone found with key Europe\/Amsterdm\. *['"]\nThe nearest are Europe\/Amsterdam/,
    );
  },
);
