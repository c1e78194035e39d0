/** What one repetition took. */
export interface Sample {
  wallMs: number;
  /** CPU time of all its processes; undefined where the system does not tell. */
  cpuMs: number | undefined;
}
