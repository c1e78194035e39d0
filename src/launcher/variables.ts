// The variables that other processes get from this one. They are read when this
// file is loaded, as the broker gives up `env` later.
import { BASE_VARIABLES } from "../protocol/downstream.ts";
import { MIB } from "../units.ts";

/**
 * From this size on, glibc gives freed memory back to the system. By itself it raises
 * the bounds up to 32 and 64 MiB, and keeps 20 MiB of each sandbox process.
 */
const GIVEN_BACK = String(MIB);

/**
 * The stack of a worker's thread, which is else 2 MiB: an engine's flags let WebAssembly
 * have nearly half of it. A thread reserves it, and touches only as much as it uses.
 */
const THREAD_STACK = String(16 * MIB);

/**
 * glibc keeps small pieces of freed memory for each thread, and they hold the memory
 * around them: that in which V8 compiled CPython's loop, 20 MiB of each sandbox process.
 */
const NONE_KEPT = "glibc.malloc.tcache_count=0";

/** Variables that every process has. */
export const USUAL = {
  NO_COLOR: "1",
  DENO_NO_UPDATE_CHECK: "1",
  MALLOC_MMAP_THRESHOLD_: GIVEN_BACK,
  MALLOC_TRIM_THRESHOLD_: GIVEN_BACK,
  RUST_MIN_STACK: THREAD_STACK,
  GLIBC_TUNABLES: NONE_KEPT,
} as const;

/**
 * Deno's folders of npm packages are named after their registry; its credentials
 * stay with this process.
 */
export const REGISTRY_URL: Record<string, string> = maybeRegistry();

/** These, and those that Deno needs to find its cache. */
export const VARIABLES: Record<string, string> = {
  ...pick(["DENO_DIR", "HOME", "XDG_CACHE_HOME"]),
  ...pick(["LOCALAPPDATA", "USERPROFILE", "SYSTEMROOT"]),
  ...REGISTRY_URL,
  ...USUAL,
};

export const CERTIFICATES: Record<string, string> = {
  ...pick(["DENO_TLS_CA_STORE", "NODE_EXTRA_CA_CERTS"]),
  ...maybeCertificate(),
};

export const NETWORK: Record<string, string> = {
  ...pick(["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"]),
  ...pick(["http_proxy", "https_proxy", "no_proxy"]),
  ...CERTIFICATES,
};

/** Those of a downstream server, beside the variables of its entry. */
export const DOWNSTREAM: Record<string, string> = {
  ...pick([...BASE_VARIABLES]),
  ...NETWORK,
  ...pick(["SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE"]),
};

const ENDPOINTS = [
  "OTEL_EXPORTER_OTLP_ENDPOINT",
  "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
  "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT",
];

/**
 * Those of OpenTelemetry, if they ask for it. They are for the server alone, as
 * headers may hold credentials; Deno exports without a permission of a process.
 */
export const TELEMETRY: Record<string, string> = wantsTelemetry()
  ? {
    OTEL_SERVICE_NAME: "mcp-run-python",
    ...pick([...ENDPOINTS, "OTEL_SERVICE_NAME", "OTEL_RESOURCE_ATTRIBUTES"]),
    ...pick(["OTEL_TRACES_SAMPLER", "OTEL_TRACES_SAMPLER_ARG"]),
    ...pick(["OTEL_METRIC_EXPORT_INTERVAL", "OTEL_EXPORTER_OTLP_TIMEOUT"]),
    ...pick(["OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_EXPORTER_OTLP_HEADERS"]),
    ...pick(["OTEL_EXPORTER_OTLP_CERTIFICATE"]),
    ...pick(["OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE"]),
    ...pick(["OTEL_EXPORTER_OTLP_CLIENT_KEY"]),
    OTEL_DENO: "true",
    // Logs go where the user has them go.
    OTEL_DENO_CONSOLE: "ignore",
  }
  : {};

function wantsTelemetry(): boolean {
  if (Deno.env.get("OTEL_SDK_DISABLED") === "true") return false;
  return ["1", "true"].includes(Deno.env.get("OTEL_DENO") ?? "") ||
    ENDPOINTS.some((name) => Deno.env.get(name));
}

export function certificateFiles(): string[] {
  return [CERTIFICATES.DENO_CERT, CERTIFICATES.NODE_EXTRA_CA_CERTS]
    .flatMap((path) => path ?? []);
}

/** Sets `DENO_CERT` from `SSL_CERT_FILE`, the name that other programs use. */
function maybeCertificate(): Record<string, string> {
  const file = Deno.env.get("DENO_CERT") || Deno.env.get("SSL_CERT_FILE");
  return file ? { DENO_CERT: file } : {};
}

function maybeRegistry(): Record<string, string> {
  const url = URL.parse(Deno.env.get("NPM_CONFIG_REGISTRY") ?? "");
  return url ? { NPM_CONFIG_REGISTRY: url.origin + url.pathname } : {};
}

function pick(names: string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = Deno.env.get(name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
