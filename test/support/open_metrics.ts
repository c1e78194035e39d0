import type { HttpServer } from "./http_server.ts";

const FAMILY = /^# (TYPE|UNIT|HELP) ([a-z_:][\w:]*) (.+)$/;
const SAMPLE =
  /^([a-z_:][\w:]*?)((?:_total|_bucket|_count|_sum|_info)?)(\{(?:[a-z_]\w*="(?:[^"\\\n]|\\[\\"n])*",?)*\})? (\+Inf|\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/;

/** Suffixes of samples, by the type of their metric. */
const SUFFIXES: Record<string, string[]> = {
  ...{ counter: ["_total"], gauge: [""], info: ["_info"] },
  histogram: ["_bucket", "_count", "_sum"],
};

/**
 * Reads OpenMetrics; gives the value of each sample, by its name with labels.
 *
 * @throws {SyntaxError} If a line is not what the format asks for.
 */
export function readOpenMetrics(text: string): Map<string, number> {
  const refuse = (line: string) => {
    throw new SyntaxError(`Cannot read this line of metrics: ${line}`);
  };
  const lines = text.split("\n");
  if (lines.pop() !== "" || lines.pop() !== "# EOF") refuse("the last");
  const types = new Map<string, string>();
  const values = new Map<string, number>();
  let family = "";
  for (const line of lines) {
    const [, word, name = "", rest = ""] = FAMILY.exec(line) ?? [];
    if (word === "TYPE") {
      if (types.has(name) || !(rest in SUFFIXES)) refuse(line);
      types.set(name, rest);
      family = name;
    } else if (word !== undefined) {
      const isWrong = word === "UNIT" && !name.endsWith(`_${rest}`);
      if (name !== family || isWrong) refuse(line);
    } else {
      const [, base = "", suffix = "", labels = "", value = ""] =
        SAMPLE.exec(line) ?? [];
      const key = `${base}${suffix}${labels}`;
      const isKnown = SUFFIXES[types.get(family) ?? ""]?.includes(suffix);
      if (base !== family || !isKnown || values.has(key)) refuse(line);
      values.set(key, value === "+Inf" ? Infinity : Number(value));
    }
  }
  return values;
}

/**
 * A figure of a server's metrics, by its name and labels.
 *
 * @throws {RangeError} If it is not there.
 */
export async function figureOf(
  server: Pick<HttpServer, "fetch">,
  token: string,
  name: string,
): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await server.fetch({ headers }, "/metrics");
  const metrics = readOpenMetrics(await answer.text());
  const figure = metrics.get(`mcp_run_python_${name}`);
  if (figure === undefined) throw new RangeError(`There is no figure ${name}`);
  return figure;
}

/** Waits until a figure is what it is to be. */
export async function untilFigure(
  server: Pick<HttpServer, "fetch">,
  token: string,
  name: string,
  isReached: (figure: number) => boolean,
): Promise<void> {
  while (!isReached(await figureOf(server, token, name))) {
    // A client may send so many requests a second.
    await new Promise((go) => setTimeout(go, 5));
  }
}
