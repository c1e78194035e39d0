/** A span, as OpenTelemetry's JSON has it. */
export interface ExportedSpan {
  name: string;
  traceId: string;
  parentSpanId?: string;
  attributes: Record<string, unknown>;
}

/** A receiver of OpenTelemetry on loopback. */
export interface Receiver extends AsyncDisposable {
  /** Variables by which a program exports to it. */
  env: Record<string, string>;
  /** All that has come, as text. */
  bodies: string[];
  /** Credentials that have come. */
  headers: Set<string | null>;
  /** Spans with this name. */
  spans(name: string): ExportedSpan[];
}

export function startReceiver(): Receiver {
  const bodies: string[] = [];
  const headers = new Set<string | null>();
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    async (request) => {
      headers.add(request.headers.get("x-key"));
      bodies.push(await request.text());
      return Response.json({});
    },
  );
  return {
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${server.addr.port}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_EXPORTER_OTLP_HEADERS: "x-key=credential",
    },
    ...{ bodies, headers },
    spans: (name) =>
      bodies.flatMap((body) => JSON.parse(body).resourceSpans ?? [])
        .flatMap(({ scopeSpans }) => scopeSpans)
        .flatMap(({ spans }) => spans)
        .filter((span) => span.name === name)
        .map((span) => ({ ...span, attributes: toRecord(span.attributes) })),
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

function toRecord(
  attributes: { key: string; value: Record<string, unknown> }[],
): Record<string, unknown> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, Object.values(value)[0]]),
  );
}
