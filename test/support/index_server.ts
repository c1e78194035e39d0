import { hash, type IndexFile } from "./wheel.ts";

/** A package index on loopback. */
export interface TestIndex extends AsyncDisposable {
  /** For `--index-url`. */
  url: string;
  /** The same without the path. */
  origin: string;
  /** Paths that were asked for, in order; with the method, if it is not GET. */
  requests: string[];
  /** Credentials that came with each, null without. */
  credentials: (string | null)[];
}

type Answer = Response | undefined;

/** How an index is, beside what it holds. */
export interface IndexOptions {
  /** Form of its pages: JSON (PEP 691) or HTML (PEP 503). */
  form?: "json" | "html";
  /** Whether it says that metadata can be had alone, and whether that is true. */
  metadata?: "served" | "only announced";
  /** What it answers in place of a page or a file, if anything, by path. */
  answers?: Record<string, () => Answer | Promise<Answer>>;
  /** Without them it answers nothing: `name:password`. */
  wants?: string;
  /** To speak HTTPS. */
  tls?: { cert: string; key: string };
}

/** Serves files as a package index does. */
export function startIndex(
  files: IndexFile[],
  { form = "json", metadata, answers = {}, wants, tls }: IndexOptions = {},
): TestIndex {
  // The proxies of this machine do not lead to it.
  Deno.env.set("NO_PROXY", "127.0.0.1,localhost");
  Deno.env.set("no_proxy", "127.0.0.1,localhost");
  const requests: string[] = [];
  const credentials: (string | null)[] = [];
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {}, ...tls },
    async (request) => {
      const { method } = request;
      const { origin, pathname } = new URL(request.url);
      const given = toCredentials(request.headers.get("authorization"));
      requests.push(method === "GET" ? pathname : `${method} ${pathname}`);
      credentials.push(given);
      if (wants !== undefined && given !== wants) {
        return new Response("Who are you?", { status: 401 });
      }
      const answer = await answers[pathname]?.();
      if (answer) return answer;
      const [, folder, name = ""] = pathname.split("/");
      const file = files.find(({ filename }) => filename === name);
      if (folder === "files" && file) return new Response(file.bytes);
      const alone = files.find(({ filename }) =>
        `${filename}.metadata` === name
      );
      if (folder === "files" && alone?.metadata && metadata === "served") {
        return new Response(alone.metadata);
      }
      const own = files.filter(({ project }) => project === name);
      if (folder !== "simple" || own.length === 0) return notFound();
      return form === "json"
        ? jsonPage(own, metadata, origin)
        : htmlPage(own, metadata);
    },
  );
  const origin = `${tls ? "https" : "http"}://127.0.0.1:${server.addr.port}`;
  return {
    url: `${origin}/simple`,
    origin,
    requests,
    credentials,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

function toCredentials(authorization: string | null): string | null {
  const [, basic] = /^Basic (.*)$/.exec(authorization ?? "") ?? [];
  return basic === undefined
    ? authorization
    : new TextDecoder().decode(Uint8Array.fromBase64(basic));
}

function jsonPage(
  files: IndexFile[],
  metadata: IndexOptions["metadata"],
  origin: string,
): Response {
  const page = {
    meta: { "api-version": "1.1" },
    name: files[0]?.project,
    versions: files.map(({ version }) => version),
    files: files.map((file) => ({
      filename: file.filename,
      url: `${origin}/files/${file.filename}`,
      hashes: { sha256: saidHash(file) },
      size: file.bytes.length,
      ...(metadata ? { "core-metadata": toMetadataHash(file) } : {}),
      ...file.says,
    })),
  };
  return new Response(JSON.stringify(page), {
    headers: { "content-type": "application/vnd.pypi.simple.v1+json" },
  });
}

function htmlPage(
  files: IndexFile[],
  metadata: IndexOptions["metadata"],
): Response {
  const links = files.map((file) => {
    const href = `../../files/${file.filename}#sha256=${saidHash(file)}`;
    const { sha256 } = toMetadataHash(file);
    const extra = metadata ? ` data-core-metadata="sha256=${sha256}"` : "";
    return `<a href="${href}"${extra}>${file.filename}</a>`;
  });
  return html(`<!DOCTYPE html><body>${links.join("<br>")}</body>`);
}

function toMetadataHash({ metadata = "" }: IndexFile): { sha256: string } {
  return { sha256: hash(metadata) };
}

function saidHash({ sha256, bytes }: IndexFile): string {
  return sha256 ?? hash(bytes);
}

/** A web page. */
export function html(text: string, status = 200): Response {
  return new Response(text, {
    status,
    headers: { "content-type": "text/html; charset=utf-8" },
  });
}

/** Sends the client elsewhere. */
export function redirect(location: string): Response {
  return new Response(null, { status: 302, headers: { location } });
}

/** An answer whose connection breaks before its end. */
export function brokenOff(bytes: Uint8Array): Response {
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(bytes.slice(0, 100)),
    // Deno prints this.
    pull: (controller) => controller.error("(broken off on purpose)"),
  });
  return new Response(body);
}

function notFound(): Response {
  return new Response("Not found", { status: 404 });
}
