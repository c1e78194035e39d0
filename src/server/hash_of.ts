import type { createHash } from "node:crypto";

let create: typeof createHash | undefined;

/**
 * SHA-256, as hexadecimal digits. A digest of `crypto.subtle` is another thread's,
 * which costs more than it; Node's module is loaded at the first use only, as it
 * would delay the start by milliseconds.
 */
export function hashOf(data: string | Uint8Array): string {
  create ??= process.getBuiltinModule("node:crypto").createHash;
  return create("sha256").update(data).digest("hex");
}
