/** A folder of this machine that Python sees. */
export interface Mount {
  /** Where it is on this machine: absolute, without symbolic links. */
  host: string;
  /** Where it is for Python: absolute. */
  guest: string;
  /** Whether Python may change what is in it. */
  isWritable: boolean;
}
