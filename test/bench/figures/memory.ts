import { commandLine } from "../../support/processes.ts";
import { familyOf, type Memory, memoryOf } from "../usage.ts";

/** Memory of one of our processes. */
export interface ProcessMemory extends Memory {
  name: string;
}

/** Memory of each process of a server, by name. */
export function measureMemory(launcher: number): ProcessMemory[] {
  return familyOf(launcher).flatMap((pid) => {
    const memory = memoryOf(pid);
    const name = pid === launcher ? "launcher" : nameOf(pid);
    return memory ? [{ name, ...memory }] : [];
  });
}

/** Each process is started from the `main.ts` of a folder of its name. */
export function nameOf(pid: number): string {
  return /\/(\w+)\/main\.ts/.exec(commandLine(pid))?.[1] ?? "other";
}
