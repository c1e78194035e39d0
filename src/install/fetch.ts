import { reasonOf } from "../errors.ts";
import type { Fetched } from "./messages.ts";

const TIMEOUT_MS = 120_000;

/**
 * Fetches what the resolver asks for; failing to is an answer, not an error.
 *
 * @param headers What the resolver wants to send.
 */
export async function fetchForResolver(
  url: string,
  headers: Record<string, string>,
): Promise<Fetched> {
  try {
    if (!/^https?:\/\//.test(url)) return { error: "not a web address" };
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(url, { headers, signal });
    return {
      status: response.status,
      contentType: response.headers.get("content-type") ?? "",
      body: new Uint8Array(await response.arrayBuffer()),
    };
  } catch (error) {
    return { error: reason(error) };
  }
}

/** The innermost cause: what is around it only repeats the address. */
function reason(error: unknown): string {
  if (error instanceof Error && error.cause) return reason(error.cause);
  return reasonOf(error).replace(
    /^error sending request .*?\(http[^)]*\): /,
    "",
  );
}
