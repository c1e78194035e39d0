import type { View } from "./bwrap_flags.ts";
import type { ScopePaths } from "../grants/scope_paths.ts";

/** What is the same for all processes behind the second wall. */
export interface CommonView extends Omit<View, "writable" | "network"> {
  /** What a process sees and has beside that, if it is in the host's network. */
  network: Pick<View, "paths" | "variables">;
}

/** Says what a process behind the second wall sees and has, by its places. */
export function toView(
  { network, ...common }: CommonView,
  {
    environment,
    pyodide,
    program,
    hosts = [],
    mounts = [],
    writableMounts = [],
  }: ScopePaths,
): View {
  const isOnline = hosts.length > 0;
  const readable = mounts.filter((path) => !writableMounts.includes(path));
  return {
    ...common,
    network: isOnline,
    paths: [
      ...[...common.paths, ...environment, ...pyodide, ...program],
      ...[...readable, ...(isOnline ? network.paths : [])],
    ],
    writable: writableMounts,
    variables: {
      ...common.variables,
      ...(isOnline ? network.variables : {}),
    },
  };
}
