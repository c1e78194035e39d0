import type { PolicyInUse } from "../grants/refusal.ts";
import type { Limits, SettingsFor } from "../settings.ts";
import type { EngineProfile } from "./engine_profile.ts";

/** MiB that a run makes a process take beside Python's memory and files. */
export const OVERHEAD_MIB = 512;

export type RunLimits = Pick<
  Limits,
  "cpuSeconds" | "memoryMiB" | "maxFilesMiB"
>;

/** MiB by which a run may make its process grow: Python's own limit does not see all. */
export function largestMiB(
  { memoryMiB, maxFilesMiB }: Pick<RunLimits, "memoryMiB" | "maxFilesMiB">,
): number {
  return memoryMiB + maxFilesMiB + OVERHEAD_MIB;
}

/** The argument of a sandbox process: settings whose rows go to it, and its engine. */
export type SandboxSettings =
  & RunLimits
  & Pick<Limits, "maxFiles">
  & Partial<SettingsFor<"sandbox">>
  & {
    /** The address of its host side. */
    engine: { host: string; rehearsal?: EngineProfile["rehearsal"] };
    /** The `files` of its `FoundRuntime`. */
    runtime: unknown;
    /** Folder of the environment; empty if the engine has none. */
    environment: string;
    /** Stack that code may use, if the engine bounds it. */
    stackKiB?: number;
    /** The policy that code runs under; absent without one. */
    policy?: PolicyInUse;
    /** Paths that its workers give up before code runs. */
    ownReads?: readonly string[];
    /** Whether runs are audited. */
    audits?: boolean;
  };
