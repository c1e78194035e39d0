import { maybeMedian } from "../statistics.ts";

/** What one repetition took. */
export interface Sample {
  wallMs: number;
  /** CPU time of all its processes; undefined where the system does not tell. */
  cpuMs: number | undefined;
}

/** Undefined without samples. */
export function medianWall(samples: Sample[]): number | undefined {
  return maybeMedian(samples.map(({ wallMs }) => wallMs));
}

/** Undefined without samples, or where the system does not tell. */
export function medianCpu(samples: Sample[]): number | undefined {
  return maybeMedian(samples.flatMap(({ cpuMs }) => cpuMs ?? []));
}
