import type { View } from "./bwrap_flags.ts";
import type { ScopePaths } from "../grants/scope_paths.ts";

/** The parts of a view that all processes behind the second wall share. */
export interface CommonView extends Omit<View, "writable" | "network"> {
  /** The additional files of a process in the host's network. */
  network: Pick<View, "paths" | "variables">;
}

export function toView(
  { network, ...common }: CommonView,
  places: ScopePaths,
): View {
  const { hosts = [], mounts = [], writableMounts = [] } = places;
  const isOnline = hosts.length > 0;
  const readable = mounts.filter((path) => !writableMounts.includes(path));
  return {
    ...common,
    network: isOnline,
    paths: [
      ...[...common.paths, ...places.environment, ...places.runtime],
      ...[...places.program, ...readable],
      ...(isOnline ? network.paths : []),
    ],
    writable: writableMounts,
    variables: {
      ...common.variables,
      ...(isOnline ? network.variables : {}),
    },
  };
}
