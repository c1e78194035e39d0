/** What a process behind the second wall has. */
export interface View {
  /** Files and folders that it sees, read-only and at their own paths; absolute. */
  paths: readonly string[];
  /** The same, that it may write to. */
  writable?: readonly string[];
  /** Folders of its own, empty and in memory; absolute. */
  folders: readonly string[];
  /** Symbolic links that it sees, by path. */
  links: Readonly<Record<string, string>>;
  /** All of its environment. */
  variables: Readonly<Record<string, string>>;
  /** Whether it is in the network of the host; else it has its own loopback. */
  network?: boolean;
}

/**
 * Turns what a process is to see into arguments of bubblewrap: namespaces of its
 * own for all that Linux has, and a file system that holds nothing else.
 *
 * @param view What the process has.
 * @returns Arguments, the last of which says that the command follows.
 */
export function toBwrapFlags(
  {
    paths,
    writable = [],
    folders,
    links,
    variables,
    network = false,
  }: View,
): string[] {
  return [
    // As far as this implies users and cgroups, it would do without them.
    ...["--unshare-all", "--unshare-user", "--unshare-cgroup"],
    ...(network ? ["--share-net"] : []),
    ...["--hostname", "sandbox"],
    ...["--die-with-parent", "--new-session"],
    ...["--cap-drop", "ALL"],
    "--clearenv",
    ...Object.entries(variables).flatMap((pair) => ["--setenv", ...pair]),
    // Before the paths, as some of them may be below.
    ...["--proc", "/proc", "--dev", "/dev"],
    ...Object.entries(links).flatMap(([path, to]) => ["--symlink", to, path]),
    // Outermost first, or what is around would cover what is within.
    ...[
      ...folders.map((path) => ["--tmpfs", path]),
      ...paths.map((path) => ["--ro-bind", path, path]),
      ...writable.map((path) => ["--bind", path, path]),
    ].sort(([, one = ""], [, other = ""]) => depthOf(one) - depthOf(other))
      .flat(),
    ...["--remount-ro", "/", "--chdir", "/"],
    "--",
  ];
}

function depthOf(path: string): number {
  return path.split("/").length;
}
