/** Characters of a line of JSON. */
const LINE = 80;

/** JSON with a line for each part that is not short; plain items share lines. */
export function toReadable(value: unknown, indent = ""): string {
  const text = JSON.stringify(value);
  if (typeof value !== "object" || value === null) return text;
  if (indent.length + text.length <= LINE) return toLine(value);
  const inner = `${indent}  `;
  if (!Array.isArray(value)) {
    const members = Object.entries(value).map(([key, one]) =>
      `${inner}${JSON.stringify(key)}: ${toReadable(one, inner)}`
    );
    return `{\n${members.join(",\n")}\n${indent}}`;
  }
  const isPlain = value.every((one) => typeof one !== "object" || one === null);
  const items = value.map((one) => toReadable(one, inner));
  return isPlain
    ? `[${items.join(", ")}]`
    : `[\n${inner}${items.join(`,\n${inner}`)}\n${indent}]`;
}

/** A short value in one line, with spaces between its parts. */
function toLine(value: object): string {
  const isList = Array.isArray(value);
  const parts = isList
    ? value.map((one) => toReadable(one))
    : Object.entries(value).map(([key, one]) =>
      `${JSON.stringify(key)}: ${toReadable(one)}`
    );
  const inner = parts.join(", ");
  return isList ? `[${inner}]` : `{${inner}}`;
}
