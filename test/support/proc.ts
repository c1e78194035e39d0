/** Whether this system tells about processes in `/proc`. */
export const HAS_PROC: boolean = Deno.build.os === "linux";

/** Reads a file of `/proc`; undefined if its process is gone. */
export function maybeRead(path: string): string | undefined {
  try {
    return Deno.readTextFileSync(path);
  } catch {
    return undefined;
  }
}

/** Folders of a process's threads. */
export function threadsOf(pid: number): string[] {
  const folder = `/proc/${pid}/task`;
  try {
    return [...Deno.readDirSync(folder)].map(({ name }) => `${folder}/${name}`);
  } catch {
    return [];
  }
}

/** Memory that a process has now, in MiB; 0 if the process is gone. */
export function residentMiB(pid: number): number {
  const [, kibibytes = "0"] =
    /^VmRSS:\s+(\d+)/m.exec(maybeRead(`/proc/${pid}/status`) ?? "") ?? [];
  return Math.floor(Number(kibibytes) / 1024);
}
