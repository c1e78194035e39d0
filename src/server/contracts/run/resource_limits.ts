import { z } from "../../../../deps/zod.ts";
import type { MontyTerms } from "../../../engines/monty/terms.ts";
import type { ServerSettings } from "../../../protocol/server_settings.ts";
import { MIB } from "../../../units.ts";
import { show } from "../arguments.ts";

/** Deeper recursion could overflow the stack of WebAssembly. */
const MOST_RECURSION = 1000;

/** Reads the argument `resource_limits`. */
export const RESOURCE_LIMITS = z.strictObject({
  max_allocations: limit("max_allocations").optional(),
  max_duration: z.strictObject({
    secs: limit("max_duration.secs", { least: 0 }),
    nanos: limit("max_duration.nanos", { least: 0, most: 999_999_999 }),
  }).refine(({ secs, nanos }) => secs + nanos > 0, {
    error:
      "resource_limits.max_duration is 0, and must be above 0: send secs or nanos above 0",
  }).optional().describe(
    "Time of Python; waiting for http_request and files does not count.",
  ),
  max_memory: limit("max_memory").optional().describe("Bytes."),
  gc_interval: limit("gc_interval").optional()
    .describe("Allocations between two collections of garbage."),
  max_recursion_depth: limit("max_recursion_depth", { most: MOST_RECURSION })
    .optional(),
});

/** Makes the terms of a run: the limits of its call, within those of the server. */
export function toTerms(
  limits: z.output<typeof RESOURCE_LIMITS>,
  { memoryMiB, timeoutSeconds }: Pick<
    ServerSettings,
    "memoryMiB" | "timeoutSeconds"
  >,
): { [Name in keyof MontyTerms]: MontyTerms[Name] | undefined } {
  const { max_duration: duration, max_memory: bytes } = limits;
  return {
    maxAllocations: limits.max_allocations,
    maxDurationMs: duration && Math.min(
      duration.secs * 1000 + duration.nanos / 1e6,
      timeoutSeconds * 1000,
    ),
    maxMemoryBytes: bytes && Math.min(bytes, memoryMiB * MIB),
    gcInterval: limits.gc_interval,
    maxRecursionDepth: limits.max_recursion_depth,
  };
}

function limit(
  name: string,
  { least = 1, most = Number.MAX_SAFE_INTEGER } = {},
) {
  const error = ({ input }: { input?: unknown }) =>
    `resource_limits.${name} is ${
      show(input)
    }, and must be a whole number from ${least} to ${most}`;
  return z.int({ error }).min(least, { error }).max(most, { error });
}
