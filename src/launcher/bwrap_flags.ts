import type { Cover, ScopePaths } from "../grants/permissions.ts";

/** The files and variables of a process behind the second wall. */
export interface View {
  /** Files and folders that the process reads, at their own absolute paths. */
  paths: readonly string[];
  writable?: readonly string[];
  /** Paths below these, with nothing in the place of those that are hidden. */
  covers?: readonly Cover[];
  /** Empty folders of its own, in memory; absolute. */
  folders: readonly string[];
  /** Targets of symbolic links, by path. */
  links: Readonly<Record<string, string>>;
  variables: Readonly<Record<string, string>>;
  /** Whether it shares the host's network; it has its own loopback otherwise. */
  network?: boolean;
  /** The folder that the command starts in, empty if it is not in the view; the root if absent. */
  cwd?: string | undefined;
}

/**
 * Converts a view to arguments of bubblewrap: the process gets its own namespace of
 * each kind, and a file system that holds nothing but the view. The command follows.
 */
export function toBwrapFlags(
  { paths, writable = [], covers = [], ...view }: View,
): string[] {
  const { folders, links, variables, network, cwd } = view;
  return [
    // This would go on without namespaces of users and cgroups.
    ...["--unshare-all", "--unshare-user", "--unshare-cgroup"],
    ...(network ? ["--share-net"] : []),
    ...["--hostname", "sandbox"],
    ...["--die-with-parent", "--new-session"],
    ...["--cap-drop", "ALL"],
    "--clearenv",
    ...Object.entries(variables).flatMap((pair) => ["--setenv", ...pair]),
    // These come before the paths, as a path may lie below such a folder.
    ...["--proc", "/proc", "--dev", "/dev"],
    ...Object.entries(links).flatMap(([path, to]) => ["--symlink", to, path]),
    // Outer folders come first: they would cover inner ones otherwise.
    ...[
      ...folders.map((path) => ["--tmpfs", path]),
      ...paths.map((path) => ["--ro-bind", path, path]),
      ...writable.map((path) => ["--bind", path, path]),
      ...covers.map(toCoverFlags),
    ].sort((one, other) => depthOf(one) - depthOf(other))
      .flat(),
    ...(cwd === undefined ? [] : ["--dir", cwd]),
    ...["--remount-ro", "/", "--chdir", cwd ?? "/"],
    "--",
  ];
}

function toCoverFlags({ path, isFolder, isHidden }: Cover): string[] {
  if (!isHidden) return ["--ro-bind", path, path];
  return isFolder
    ? ["--perms", "0000", "--tmpfs", path]
    : ["--ro-bind", "/dev/null", path];
}

/** Of the path that arguments end with. */
function depthOf(args: readonly string[]): number {
  return (args.at(-1) ?? "").split("/").length;
}

/** The parts of a view that all processes behind the second wall share. */
export interface CommonView
  extends Omit<View, "writable" | "covers" | "network"> {
  /** The additional files of a process in the host's network. */
  network: Pick<View, "paths" | "variables">;
}

export function toView(
  { network, ...common }: CommonView,
  places: ScopePaths,
): View {
  const { environment = [], runtime = [], program = [] } = places;
  const { hosts = [], mounts = [], writableMounts = [] } = places;
  const { component = [], slot = [] } = places;
  const isOnline = hosts.length > 0;
  const readable = mounts.filter((path) => !writableMounts.includes(path));
  return {
    ...common,
    network: isOnline,
    paths: [
      ...[...common.paths, ...environment, ...runtime, ...program],
      ...[...component, ...readable],
      ...(isOnline ? network.paths : []),
    ],
    writable: [...writableMounts, ...slot],
    ...(places.covers ? { covers: places.covers } : {}),
    variables: {
      ...common.variables,
      ...(isOnline ? network.variables : {}),
    },
  };
}
