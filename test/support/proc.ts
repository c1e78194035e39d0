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
