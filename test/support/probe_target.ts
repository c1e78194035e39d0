/** A listener on loopback, which the probe tries to reach. */
export function startProbeTarget(): { port: number } & AsyncDisposable {
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    // No module, which Deno would keep in its cache.
    () => new Response("", { status: 404 }),
  );
  return {
    port: server.addr.port,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}
