import { TZDATA } from "../../deps/tzdata.ts";
import { readPinned } from "./pinned_wheel.ts";
import { unzip } from "./unzip.ts";

const IN_WHEEL = "tzdata/zoneinfo/";
/** Where Python's zoneinfo looks, as do dateutil and pyarrow. */
const FOLDER = "usr/share/zoneinfo/";

/** The files of all time zones, which every environment has. */
export async function readTimeZones(): Promise<
  [path: string, contents: Uint8Array][]
> {
  return unzip(await readPinned(TZDATA))
    .filter(([path]) => path.startsWith(IN_WHEEL) && !path.endsWith(".py"))
    .map(([path, contents]) => [path.replace(IN_WHEEL, FOLDER), contents]);
}
