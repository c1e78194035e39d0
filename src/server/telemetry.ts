import {
  type Counter,
  type Histogram,
  metrics,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from "../../deps/opentelemetry.ts";
import type { RunEnd, RunWatcher, WatchedRun } from "./run_log.ts";

const METHOD = "tools/call";

/** Tells OpenTelemetry of runs; Deno exports it, without a permission of this process. */
export class Telemetry implements RunWatcher {
  #tracer: Tracer;
  #spans = new Map<WatchedRun, Span>();
  #runs: Counter;
  #callSeconds: Histogram;
  #runSeconds: Histogram;

  /** Names by the conventions of OpenTelemetry for MCP. */
  #common: Record<string, string>;
  #name: string;

  constructor({ version, codeMode }: { version: string; codeMode?: boolean }) {
    const tool = codeMode ? "run_python" : "run_python_code";
    this.#common = {
      "mcp.method.name": METHOD,
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": tool,
    };
    this.#name = `${METHOD} ${tool}`;
    this.#tracer = trace.getTracer("mcp-run-python", version);
    const meter = metrics.getMeter("mcp-run-python", version);
    this.#runs = meter.createCounter("mcp_run_python.runs");
    this.#callSeconds = meter.createHistogram("mcp.server.operation.duration", {
      unit: "s",
    });
    this.#runSeconds = meter.createHistogram("mcp_run_python.run.duration", {
      unit: "s",
    });
  }

  onStart(run: WatchedRun): void {
    const { id, client, codeBytes } = run;
    const attributes = {
      ...this.#common,
      "mcp_run_python.run": id,
      "mcp_run_python.client": client.name,
      "mcp_run_python.code_bytes": codeBytes,
    };
    const parent = propagation.extract(ROOT_CONTEXT, client.trace ?? {});
    const options = { kind: SpanKind.SERVER, attributes };
    this.#spans.set(run, this.#tracer.startSpan(this.#name, options, parent));
  }

  onEnd(run: WatchedRun, { status, wallMs, waitedMs, figures }: RunEnd): void {
    const isError = status !== "success";
    const told = {
      "mcp_run_python.status": status,
      ...(isError ? { "error.type": "tool_error" } : {}),
    };
    this.#runs.add(1, { "mcp_run_python.status": status });
    this.#callSeconds.record((wallMs + waitedMs) / 1000, {
      ...this.#common,
      ...told,
    });
    if (figures) this.#runSeconds.record(wallMs / 1000, told);
    const span = this.#spans.get(run);
    this.#spans.delete(run);
    span?.setAttributes({
      ...told,
      "mcp_run_python.wall_ms": Math.round(wallMs),
      "mcp_run_python.waited_ms": Math.round(waitedMs),
      ...(run.session ? { "mcp_run_python.session": run.session } : {}),
    });
    if (isError) span?.setStatus({ code: SpanStatusCode.ERROR });
    span?.end();
  }
}
