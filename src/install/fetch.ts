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
  const host = URL.canParse(url) ? new URL(url).host : url;
  try {
    if (!/^https?:\/\//.test(url)) return { error: "not a web address", host };
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(url, { headers, signal });
    return {
      status: response.status,
      contentType: response.headers.get("content-type") ?? "",
      body: new Uint8Array(await response.arrayBuffer()),
    };
  } catch (error) {
    return { error: reason(error), host };
  }
}

/** The innermost cause, as the outer ones only repeat the address. */
function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : reason(error.cause);
}
