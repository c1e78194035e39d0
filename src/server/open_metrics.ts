/** A metric, and its samples. */
export interface Metric {
  /** Without the suffixes of samples; ends with its unit. */
  name: string;
  type: "counter" | "gauge" | "histogram" | "info";
  unit?: "seconds" | "bytes" | undefined;
  help: string;
  samples: readonly Sample[];
}

export interface Sample {
  suffix?: string;
  labels?: Readonly<Record<string, string>>;
  value: number;
}

export const OPEN_METRICS =
  "application/openmetrics-text; version=1.0.0; charset=utf-8";

/** Writes metrics as OpenMetrics 1.0 has them. */
export function toOpenMetrics(metrics: readonly Metric[]): string {
  const lines = metrics.flatMap(({ name, type, unit, help, samples }) => [
    `# TYPE ${name} ${type}`,
    ...unit ? [`# UNIT ${name} ${unit}`] : [],
    `# HELP ${name} ${escape(help)}`,
    ...samples.map(({ suffix = "", labels = {}, value }) =>
      `${name}${suffix}${toLabels(labels)} ${toNumber(value)}`
    ),
  ]);
  return [...lines, "# EOF", ""].join("\n");
}

/** A bound of a bucket must have a fraction, as `1.0`. */
export function toBound(value: number): string {
  return Number.isInteger(value) ? `${value}.0` : toNumber(value);
}

function toNumber(value: number): string {
  return value === Infinity ? "+Inf" : `${value}`;
}

function toLabels(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels)
    .map(([name, value]) => `${name}="${escape(value)}"`);
  return pairs.length > 0 ? `{${pairs.join(",")}}` : "";
}

function escape(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")
    .replaceAll('"', '\\"');
}
