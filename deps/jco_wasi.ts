// WASI for browsers, of jco: no thread, no native code. scripts/build_jco.ts makes it.
// deno-lint-ignore-file no-explicit-any -- the bundle has no types
import * as bundle from "./jco/wasi.js";

interface Io {
  [key: string]: any;
  inputStreamCreate(handler: object): object;
  outputStreamCreate(handler: object): object;
  pollableCreate(source?: object): object;
}

export const io: Io = (bundle as any).io;
export const createCli: (config: object) => Record<string, any> =
  (bundle as any).createCli;
export const clocks: Record<string, any> = (bundle as any).clocks;
export const random: Record<string, any> = (bundle as any).random;
export const http: Record<string, any> = (bundle as any).http;
