/** A fault that may cost calls. */
export interface Fault {
  kind: string;
  /** By `performance.now()`. */
  at: number;
  /** The end of its effect; undefined while it goes on. */
  until?: number;
  /** The only thing that it concerns; undefined for all. */
  of?: object;
}

/** The faults that may cost the runs since a session was stored. */
export class Faults {
  readonly all: Fault[] = [];

  /** Notes a fault at its beginning. */
  begin(kind: string, of?: object): Fault {
    const fault: Fault = { kind, at: performance.now(), ...(of ? { of } : {}) };
    this.all.push(fault);
    return fault;
  }

  /** Faults that had an effect on one of some things in a time, the first one first. */
  between(from: number, to: number, of: readonly object[]): Fault[] {
    return this.all.filter((fault) =>
      (fault.until ?? Infinity) >= from && fault.at <= to &&
      (fault.of === undefined || of.includes(fault.of))
    );
  }
}
