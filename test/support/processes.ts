import { maybeRead } from "./proc.ts";

/** Ids of a process's descendants, as far as the system tells (Linux). */
export function descendants(pid: number): number[] {
  const all = allProcesses();
  const below = (pid: number): number[] =>
    all.filter(({ parent }) => parent === pid)
      .flatMap(({ id }) => [id, ...below(id)]);
  return below(pid);
}

/** What a process was started with; nothing if it is gone. */
export function commandLine(pid: number): string {
  return maybeRead(`/proc/${pid}/cmdline`)?.replaceAll("\0", " ") ?? "";
}

/** Ids of our processes of this name (`server`, `sandbox`, …) below a launcher. */
export function processesNamed(name: string, launcher: number): number[] {
  return descendants(launcher).filter((pid) =>
    commandLine(pid).includes(`/${name}/main.ts`)
  );
}

/** Ends a process and its descendants at once, none of them with a last word. */
export function killFamily(pid: number): void {
  for (const id of [pid, ...descendants(pid)]) {
    try {
      Deno.kill(id, "SIGKILL");
    } catch (error) {
      // It may just have ended.
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
}

/**
 * Longer than any process takes to end on a busy machine, and shorter than the time
 * limit of a run, with which a forgotten process ends.
 */
export const NEVER_MS = 50_000;

/**
 * Waits until none of these processes runs; says which never end.
 *
 * @param most How many of them may go on.
 */
export async function whichOutlive(
  pids: number[],
  { most = 0 } = {},
): Promise<number[]> {
  const deadline = Date.now() + NEVER_MS;
  let left = pids.filter(isRunning);
  while (left.length > most && Date.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    left = left.filter(isRunning);
  }
  return left;
}

function isRunning(pid: number): boolean {
  const stat = maybeRead(`/proc/${pid}/stat`);
  return stat !== undefined && !/\) Z /.test(stat);
}

function allProcesses(): { id: number; parent: number }[] {
  return [...Deno.readDirSync("/proc")].flatMap(({ name }) => {
    const stat = /^\d+$/.test(name) && maybeRead(`/proc/${name}/stat`);
    if (!stat) return [];
    const [, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return [{ id: Number(name), parent: Number(parent) }];
  });
}
