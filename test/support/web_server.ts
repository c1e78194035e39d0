/** A web server on loopback. */
export interface WebServer extends AsyncDisposable {
  /** Host and port. */
  host: string;
  port: number;
  origin: string;
  /** Paths that were asked for, in order. */
  requests: string[];
  /** How many answers are under way. */
  open(): number;
}

const MIB = 1 << 20;

/**
 * Starts one that answers in the ways that a web server can.
 *
 * @param tls To speak HTTPS.
 */
export function startWebServer(
  hostname = "127.0.0.1",
  tls?: { cert: string; key: string },
): WebServer {
  const requests: string[] = [];
  const ending = new AbortController();
  let open = 0;
  const server = Deno.serve(
    { hostname, port: 0, onListen() {}, signal: ending.signal, ...tls },
    async (request) => {
      const { pathname, search } = new URL(request.url);
      requests.push(pathname);
      open++;
      request.signal.addEventListener("abort", () => open--, { once: true });
      return await answer(request, pathname, search.slice(1), ending.signal);
    },
  );
  const { port } = server.addr;
  const host = `${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}`;
  return {
    host,
    port,
    origin: `${tls ? "https" : "http"}://${host}`,
    requests,
    open: () => open,
    async [Symbol.asyncDispose]() {
      ending.abort();
      await server.finished;
    },
  };
}

async function answer(
  request: Request,
  path: string,
  query: string,
  end: AbortSignal,
): Promise<Response> {
  switch (path) {
    case "/echo":
      return Response.json({
        method: request.method,
        headers: Object.fromEntries(request.headers),
        body: await request.text(),
      });
    case "/redirect":
      return new Response(null, {
        status: 302,
        headers: { location: decodeURIComponent(query) },
      });
    case "/see_other":
      return new Response(null, {
        status: 303,
        headers: { location: decodeURIComponent(query) },
      });
    case "/method":
      return new Response(null, { headers: { "x-method": request.method } });
    case "/around":
      return new Response(null, {
        status: 302,
        headers: { location: "/around" },
      });
    case "/cookies": {
      const headers = new Headers({ "content-type": "text/plain" });
      headers.append("set-cookie", "a=1; Path=/");
      headers.append("set-cookie", "b=2; Path=/");
      return new Response(request.headers.get("cookie"), { headers });
    }
    case "/gzip": {
      const accepted = request.headers.get("accept-encoding") ?? "";
      if (!accepted.includes("gzip")) return new Response("as it is");
      const stream = new Blob(["zipped ".repeat(1000)]).stream();
      return new Response(
        stream.pipeThrough(new CompressionStream("gzip")),
        { headers: { "content-encoding": "gzip" } },
      );
    }
    case "/status":
      return new Response(`status ${query}`, { status: Number(query) });
    case "/bytes":
      return new Response(new Uint8Array(Number(query)).fill(7));
    case "/endless":
      return new Response(endless(end));
    case "/never":
      return await new Promise((resolve) => {
        const late = () => resolve(new Response("late"));
        end.addEventListener("abort", late);
        request.signal.addEventListener("abort", late);
      });
    case "/stuck":
      return new Response(stuck(end));
    default:
      return new Response(`hello ${path}`);
  }
}

/** Bytes for ever, as fast as they are taken. */
function endless(end: AbortSignal): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    pull(controller) {
      if (end.aborted) controller.close();
      else controller.enqueue(new Uint8Array(MIB).fill(7));
    },
  });
}

/** A few bytes, and then nothing. */
function stuck(end: AbortSignal): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    start: (controller) => controller.enqueue(new Uint8Array(10)),
    async pull(controller) {
      const ended = Promise.withResolvers<void>();
      end.addEventListener("abort", () => ended.resolve());
      await ended.promise;
      controller.close();
    },
  });
}
