/** Bytes of a mebibyte. */
export const MIB: number = 1024 * 1024;
