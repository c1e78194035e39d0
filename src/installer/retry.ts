import { reasonOf } from "../errors.ts";
import { CacheError } from "../environments/in_cache.ts";

const TRIES = 3;
const PAUSE_MS = 500;
/** Statuses that may pass until the next try. */
const PASSING = [429, 502, 503, 504];
/** Troubles that last: another try is of no use. */
const LASTING =
  /refused|no such file|denied|certificate|redirect|dns|resolve|is not|larger|status (4(?!29)|500)/i;

/** Does work with the network, and tries again after a pause if that may help. */
export async function withRetries<T extends object>(
  work: () => Promise<T>,
): Promise<T> {
  for (let left = TRIES - 1;; left--) {
    try {
      const answer = await work();
      const status = "status" in answer ? Number(answer.status) : 0;
      if (left === 0 || !PASSING.includes(status)) return answer;
    } catch (error) {
      const isLasting = error instanceof CacheError ||
        LASTING.test(troubleOf(error));
      if (left === 0 || isLasting) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

/** The innermost cause of an error of the network: errors around it only repeat the address. */
export function troubleOf(error: unknown): string {
  if (error instanceof Error && error.cause) return troubleOf(error.cause);
  const trouble = reasonOf(error)
    .replace(/^error sending request .*?\(http[^)]*\): /, "")
    .replace(/^client error \(\w+\): (tcp connect error: )?/, "")
    // The text becomes part of a sentence.
    .replace(/\.+$/, "");
  // Deno's error for a missing file names neither the file nor the variable.
  if (/CA file/i.test(trouble)) {
    return `${trouble} (DENO_CERT or SSL_CERT_FILE names a file that cannot be read)`;
  }
  return /certificate/i.test(trouble)
    ? `${trouble} (name the file of your authority's certificate with SSL_CERT_FILE)`
    : trouble;
}
