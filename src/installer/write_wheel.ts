import { startSha256, writeAll } from "../disk.ts";
import { UserError } from "../errors.ts";
import type { InstallEvent } from "../environments/install_events.ts";
import { inCache } from "../environments/in_cache.ts";
import type { WheelAddress } from "../environments/installer_messages.ts";
import type { Answer } from "./downloads.ts";

const LARGEST_WHEEL = 2 ** 31;
const REPORT_MS = 100;

/** Writes a download to a new file of the cache; throws if its hash differs, or it is too large. */
export async function writeWheel(
  { body, size: told }: Pick<Answer, "body" | "size">,
  { file, size: total, sha256: expected }: WheelAddress,
  { cacheDir, path, report }: {
    cacheDir: string;
    path: string;
    report: (event: InstallEvent) => void;
  },
): Promise<{ size: number; sha256: string }> {
  const intoCache = <T>(work: () => Promise<T>) => inCache({ cacheDir }, work);
  using draft = await intoCache(() =>
    Deno.open(path, { write: true, createNew: true })
  );
  // The size that an index names may lower the bound, and never raises it.
  const most = Math.min(total ?? LARGEST_WHEEL, LARGEST_WHEEL);
  const hash = startSha256();
  let received = 0;
  let reported = 0;
  for await (const piece of body) {
    received += piece.length;
    if (received > most) {
      throw new RangeError(`it is larger than ${most} bytes`);
    }
    hash.update(piece);
    await intoCache(() => writeAll(draft, piece));
    if (performance.now() - reported < REPORT_MS) continue;
    reported = performance.now();
    const known = total ?? told;
    report({
      ...{ type: "download", file, received },
      ...(known ? { total: known } : {}),
    });
  }
  const sha256 = hash.digest("hex");
  if (expected && sha256 !== expected) {
    throw new UserError(
      `Cannot trust ${file}: its sha256 is ${sha256}, and should be ${expected}. Try again, or name another source.`,
    );
  }
  return { size: received, sha256 };
}
