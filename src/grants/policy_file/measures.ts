// Times and sizes, as policies write them.

const SECONDS: Readonly<Record<string, number>> = {
  ms: 0.001,
  s: 1,
  m: 60,
  h: 3600,
};

/** Milliseconds of a text such as `500ms`, `30s`, `2m`, or of a number of seconds. */
export function maybeTime(value: string | number): number | undefined {
  const [, count, unit = "s"] =
    /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(`${value}`) ??
      [];
  const ms = Math.round(Number(count) * (SECONDS[unit] ?? NaN) * 1000);
  return ms > 0 && ms <= 86_400_000 ? ms : undefined;
}

const BYTES: Readonly<Record<string, number>> = {
  "": 1,
  ...{ k: 1e3, M: 1e6, G: 1e9, T: 1e12 },
  ...{ Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40 },
};

/** Whole MiB of a text such as `512Mi` or `1Gi`, or of a number of bytes. */
export function maybeMemory(value: string | number): number | undefined {
  const [, count, unit = ""] = /^(\d+(?:\.\d+)?)([kMGT]|[KMGT]i)?$/
    .exec(`${value}`) ?? [];
  const mib = Math.floor(Number(count) * (BYTES[unit] ?? NaN) / 2 ** 20);
  return mib >= 1 && mib <= 4096 ? mib : undefined;
}
