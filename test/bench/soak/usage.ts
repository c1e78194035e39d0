import { descendants, processesNamed } from "../../support/processes.ts";
import { memoryOf } from "../usage.ts";

/** What a launcher and its server hold, at one moment. */
export interface Held {
  /** Resident, in bytes. */
  memory: { launcher: number; server: number };
  /** Open file handles. */
  handles: { launcher: number; server: number };
  /** Sandbox processes. */
  sandboxes: number;
  /** All processes below the launcher. */
  processes: number;
}

/** Looks at a launcher and all below it. */
export function lookAt(launcher: number): Held {
  const [server = 0] = processesNamed("server", launcher);
  return {
    memory: {
      launcher: memoryOf(launcher)?.resident ?? NaN,
      server: memoryOf(server)?.resident ?? NaN,
    },
    handles: { launcher: handlesOf(launcher), server: handlesOf(server) },
    sandboxes: processesNamed("sandbox", launcher).length,
    processes: descendants(launcher).length,
  };
}

/** Paths of all that is in a folder. */
export function pathsIn(folder: string): string[] {
  return [...Deno.readDirSync(folder)].flatMap(({ name, isDirectory }) => {
    const path = `${folder}/${name}`;
    return isDirectory ? [path, ...pathsIn(path)] : [path];
  }).sort();
}

function handlesOf(pid: number): number {
  try {
    return [...Deno.readDirSync(`/proc/${pid}/fd`)].length;
  } catch {
    return NaN;
  }
}
