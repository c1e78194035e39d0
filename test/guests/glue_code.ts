import { readGuest } from "../support/guests.ts";
import { fill } from "./hostile_bytes.ts";

/**
 * A component whose glue runs code of its choice, as jco 0.15.0 does not quote the names of
 * core exports and imports. It has a function `run`, which gives "ok".
 *
 * @param code Statements, at most 1000 bytes; in `inject-export`, `exports0.memory` is the memory.
 */
export async function withCode(
  name: "inject-export" | "inject-import",
  code: string,
): Promise<Uint8Array<ArrayBuffer>> {
  return fill(await readGuest(name), `/*code:${".".repeat(1000)}*/`, code, " ");
}

/**
 * A component of the glue's code: its function `run` gives what an expression gave, at most
 * 1000 bytes, or the error that it threw.
 */
export function telling(expression: string): Promise<Uint8Array<ArrayBuffer>> {
  return withCode(
    "inject-export",
    `{let t;try{t=String(${expression})}catch(e){t=String(e)}` +
      `t=new TextEncoder().encode(t).slice(0,1000);const b=exports0.memory.buffer;` +
      `new Uint8Array(b).set(t,16);new DataView(b).setUint32(12,t.length,true)}`,
  );
}
