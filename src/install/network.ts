import { withoutCredentials } from "./credentials.ts";
import type { Credential, Fetched } from "./messages.ts";
import { troubleOf, withRetries } from "./retry.ts";

/** Longest silence of a server. */
const PATIENCE_MS = 60_000;
const LARGEST_PAGE = 256 * 1024 * 1024;

/** An answer, whose body comes in pieces. */
export interface Answer {
  status: number;
  /** Where it came from at last. */
  url: string;
  contentType: string;
  body: AsyncIterable<Uint8Array<ArrayBuffer>>;
}

/** Opens an address; fails with an error that `troubleOf()` puts into words. */
export type Open = (
  url: string,
  headers?: Record<string, string>,
) => Promise<Answer>;

/**
 * The web, with credentials for the hosts that have some, and files of this
 * machine.
 *
 * @param credentials Null to stay offline.
 */
export function openNetwork(credentials: Credential[] | null): Open {
  return async (url, headers = {}) => {
    // Of lock files and pages of others; what is fetched is told in errors.
    const { url: shown, credential } = withoutCredentials(url);
    const address = new URL(shown);
    if (address.protocol === "file:") return await openFile(address);
    if (!credentials) throw new Error("--offline forbids it");
    if (!/^https?:$/.test(address.protocol)) {
      throw new TypeError("it is not a web address");
    }
    const patience = new Patience();
    const response = await fetch(address, {
      headers: { ...headers, ...authorize(credential, address, credentials) },
      signal: patience.signal,
    });
    return {
      status: response.status,
      url: response.url,
      contentType: response.headers.get("content-type") ?? "",
      body: patience.watch(response.body ?? new Blob().stream()),
    };
  };
}

/** Fetches a page for the resolver; failing to is an answer, not an error. */
export async function fetchPage(
  open: Open,
  url: string,
  headers: Record<string, string>,
): Promise<Fetched> {
  try {
    return await withRetries(async () => {
      const answer = await open(url, headers);
      return { ...answer, body: await readAll(answer.body) };
    });
  } catch (error) {
    return { error: troubleOf(error) };
  }
}

async function readAll(body: Answer["body"]): Promise<Uint8Array> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for await (const piece of body) {
    size += piece.length;
    if (size > LARGEST_PAGE) {
      throw new RangeError("its page is larger than any");
    }
    pieces.push(piece);
  }
  return await new Blob(pieces).bytes();
}

async function openFile(address: URL): Promise<Answer> {
  const { readable } = await Deno.open(address);
  return { status: 200, url: address.href, contentType: "", body: readable };
}

function authorize(
  own: Credential | undefined,
  { host, hostname }: URL,
  credentials: Credential[],
): Record<string, string> {
  const credential = own ?? credentials.find((one) => one.host === host) ??
    credentials.find((one) => one.host === hostname);
  return credential ? { authorization: credential.authorization } : {};
}

/** Gives up on a server that is silent for too long. */
class Patience {
  #controller = new AbortController();
  #timer = this.#start();

  readonly signal = this.#controller.signal;

  async *watch(
    body: ReadableStream<Uint8Array<ArrayBuffer>>,
  ): Answer["body"] {
    try {
      for await (const piece of body) {
        clearTimeout(this.#timer);
        this.#timer = this.#start();
        yield piece;
      }
    } finally {
      clearTimeout(this.#timer);
    }
  }

  #start() {
    const seconds = PATIENCE_MS / 1000;
    const error = new Error(`no answer for ${seconds} seconds`);
    return setTimeout(() => this.#controller.abort(error), PATIENCE_MS);
  }
}
