import { monty, type MontyJson } from "./host_call.ts";
import type { Stat } from "./tree.ts";

/** Writes what `Path.stat()` gives. */
export function toStatResult(stat: Stat): MontyJson {
  const { kind, mode, size, accessedMs, modifiedMs } = stat;
  const modified = monty.float(modifiedMs / 1000);
  const fields: [string, MontyJson][] = [
    ["st_mode", monty.int(mode)],
    ["st_ino", monty.int(0)],
    ["st_dev", monty.int(0)],
    ["st_nlink", monty.int(kind === "folder" ? 2 : 1)],
    ["st_uid", monty.int(0)],
    ["st_gid", monty.int(0)],
    ["st_size", monty.int(size)],
    ["st_atime", monty.float(accessedMs / 1000)],
    ["st_mtime", modified],
    ["st_ctime", modified],
  ];
  return {
    NamedTuple: {
      type_name: "StatResult",
      field_names: fields.map(([name]) => name),
      values: fields.map(([, value]) => value),
    },
  };
}
