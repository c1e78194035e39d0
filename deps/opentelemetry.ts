// The API of OpenTelemetry, which Deno itself implements.
export {
  metrics,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
export type { Counter, Histogram, Span, Tracer } from "@opentelemetry/api";
