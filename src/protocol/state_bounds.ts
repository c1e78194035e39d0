import { MIB } from "../units.ts";
import { LONGEST_TEXT, type Space } from "./state_messages.ts";

/** What may be kept; a file counts with its header. */
export interface StateBounds {
  spaces: Record<Space, {
    /** Of a value. */
    bytes: number;
    /** Of an owner. */
    values: number;
  }>;
  /** Of all values of an owner. */
  ownerBytes: number;
  /** Of all values. */
  totalBytes: number;
  /** Of all owners. */
  totalValues: number;
}

export const STATE_BOUNDS: StateBounds = {
  spaces: {
    tools: { bytes: 256 * 1024, values: 200 },
    memory: { bytes: MIB, values: 1000 },
    artifacts: { bytes: 64 * MIB, values: 200 },
    catalog: { bytes: LONGEST_TEXT, values: 200 },
  },
  ownerBytes: 256 * MIB,
  totalBytes: 1024 * MIB,
  totalValues: 10_000,
};
