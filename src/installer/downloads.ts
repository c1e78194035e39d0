import { MIB } from "../units.ts";
import {
  type Credential,
  withoutCredentials,
} from "../requirements/credentials.ts";
import type { Fetched } from "../environments/phase_1/messages.ts";
import { reasonOf } from "../errors.ts";
import { CacheError } from "../environments/in_cache.ts";

/** Longest silence of a server before its download fails. */
const PATIENCE_MS = 60_000;
const LARGEST_PAGE = 256 * MIB;

/** An answer whose body comes in pieces; disposing of it ends the connection. */
export interface Answer extends AsyncDisposable {
  status: number;
  /** The address that answered, after redirects. */
  url: string;
  contentType: string;
  /** Bytes of the body, as far as they are known before it is read. */
  size?: number | undefined;
  body: AsyncIterable<Uint8Array<ArrayBuffer>>;
}

/** Opens an address; throws errors that `troubleOf()` puts into words. */
export type Open = (
  url: string,
  headers?: Record<string, string>,
  method?: "GET" | "HEAD",
) => Promise<Answer>;

/** Opens files of this machine, and addresses of the web unless `credentials` is null. */
export function openDownloads(credentials: Credential[] | null): Open {
  return async (url, headers = {}, method = "GET") => {
    // Lock files and pages of others may have them, and errors show the address.
    const { url: shown, credential } = withoutCredentials(url);
    const address = new URL(shown);
    if (address.protocol === "file:") return await openFile(address);
    if (!credentials) throw new Error("--offline forbids it");
    if (!/^https?:$/.test(address.protocol)) {
      throw new TypeError("it is not a web address");
    }
    const { host, hostname } = address;
    const own = credential ?? credentials.find((one) => one.host === host) ??
      credentials.find((one) => one.host === hostname);
    const { authorization } = own ?? {};
    const all = authorization ? { ...headers, authorization } : headers;
    return await openWeb(address, { headers: all, method });
  };
}

/** Fetches a page for the resolver; a failure is an answer, and not thrown. */
export async function fetchPage(
  open: Open,
  url: string,
  headers: Record<string, string>,
  most = LARGEST_PAGE,
): Promise<Fetched> {
  try {
    return await withRetries(async () => {
      await using answer = await open(url, headers);
      const { status, url: from, contentType } = answer;
      const body = await readAll(answer.body, Math.min(most, LARGEST_PAGE));
      return { status, url: from, contentType, body };
    });
  } catch (error) {
    return { error: troubleOf(error) };
  }
}

/** The size of a file; undefined if its server does not tell it without the file. */
export async function sizeOf(
  open: Open,
  url: string,
): Promise<number | undefined> {
  try {
    await using answer = await open(url, {}, "HEAD");
    return answer.status === 200 ? answer.size : undefined;
  } catch {
    return undefined;
  }
}

async function readAll(
  body: Answer["body"],
  most: number,
): Promise<Uint8Array> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for await (const piece of body) {
    size += piece.length;
    if (size > most) {
      throw new RangeError(`its page is larger than ${most / MIB} MiB`);
    }
    pieces.push(piece);
  }
  return await new Blob(pieces).bytes();
}

async function openFile(address: URL): Promise<Answer> {
  const { size } = await Deno.stat(address);
  const { readable: body } = await Deno.open(address);
  return {
    status: 200,
    url: address.href,
    contentType: "",
    size,
    body,
    [Symbol.asyncDispose]: () => cancel(body),
  };
}

async function openWeb(
  address: URL,
  request: { headers: Record<string, string>; method: string },
): Promise<Answer> {
  const patience = new Patience();
  try {
    const response = await fetch(address, {
      ...request,
      signal: patience.signal,
    });
    const body = response.body ?? new Blob().stream();
    if (address.protocol === "https:" && !/^https:/.test(response.url)) {
      // Any machine on the way could write the hashes of such a page.
      await cancel(body);
      throw new TypeError("it redirects from https to http");
    }
    return {
      status: response.status,
      url: response.url,
      contentType: response.headers.get("content-type") ?? "",
      size: Number(response.headers.get("content-length")) || undefined,
      body: patience.watch(body),
      [Symbol.asyncDispose]: async () => {
        patience.end();
        await cancel(body);
      },
    };
  } catch (error) {
    patience.end();
    throw error;
  }
}

/** Ends a body that may have ended, or broken off, before. */
function cancel(body: ReadableStream<unknown>): Promise<void> {
  return body.cancel().catch(() => {});
}

/** Aborts a download whose server is silent for too long. */
class Patience {
  #controller = new AbortController();
  #timer = this.#start();

  readonly signal = this.#controller.signal;

  async *watch(
    body: ReadableStream<Uint8Array<ArrayBuffer>>,
  ): Answer["body"] {
    for await (const piece of body) {
      clearTimeout(this.#timer);
      this.#timer = this.#start();
      yield piece;
    }
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  #start() {
    const seconds = PATIENCE_MS / 1000;
    const error = new Error(`no answer for ${seconds} seconds`);
    return setTimeout(() => this.#controller.abort(error), PATIENCE_MS);
  }
}

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
    ? `${trouble} (no authority that Deno knows has signed it: take those of the system, or a file of your own, by DENO_TLS_CA_STORE=system or SSL_CERT_FILE=/path/to/authority.pem; in a client's configuration by "env": {"DENO_TLS_CA_STORE": "system"} or "env": {"SSL_CERT_FILE": "/path/to/authority.pem"})`
    : trouble;
}
