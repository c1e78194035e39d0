/** A name, or a path of names. */
const NAME = /^[\p{L}_][\p{L}\p{N}_]*(?:\.[\p{L}_][\p{L}\p{N}_]*)*$/u;

/**
 * Code that writes all rows of a table to a file; undefined if the table has no
 * name, as computing it again may do more than that.
 *
 * @param code That has given the table.
 */
export function maybeCsvCode(code: string): string | undefined {
  const name = code.trimEnd().split("\n").at(-1)?.trim() ?? "";
  if (!NAME.test(name) || name.includes("__")) return undefined;
  const file = JSON.stringify(`${name}.csv`);
  return `import csv

if hasattr(${name}, "to_csv"):
    ${name}.to_csv(${file})
elif hasattr(${name}, "write_csv"):
    ${name}.write_csv(${file})
else:
    with open(${file}, "w", newline="") as file:
        writer = csv.DictWriter(file, {key: 0 for row in ${name} for key in row})
        writer.writeheader()
        writer.writerows(${name})
`;
}
