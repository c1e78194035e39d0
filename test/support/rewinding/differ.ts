const MOST_LINES = 12;

/** Shows the lines that are not the same. */
export function differ(
  what: string,
  heard: readonly string[],
  fresh: readonly string[],
): string[] {
  if (heard.every((text, at) => text === fresh[at])) return [];
  const lines = heard.join("\n").split("\n");
  const others = fresh.join("\n").split("\n");
  const gone = others.filter((line) => !lines.includes(line)).map((it) =>
    `- ${it}`
  );
  const come = lines.filter((line) => !others.includes(line)).map((it) =>
    `+ ${it}`
  );
  return [
    [what, ...gone.slice(0, MOST_LINES), ...come.slice(0, MOST_LINES)]
      .map((line) => line.slice(0, 400)).join("\n"),
  ];
}
