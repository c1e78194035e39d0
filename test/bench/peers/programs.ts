/** A program that each peer runs. */
export interface Program {
  name: string;
  /** Statements, and the expression after them. */
  code: string;
  value: string;
  answer: string;
}

/** Three programs of plain Python, which a subset interpreter can run, too. */
export const PROGRAMS: readonly Program[] = [
  { name: "1 + 1", code: "", value: "1 + 1", answer: "2" },
  {
    name: "loop of 200,000 steps",
    code: `total = 0
for number in range(200_000):
    total = (total + number * number) % 1_000_003
`,
    value: "total",
    answer: "784002",
  },
  {
    name: "JSON, strings, dicts, lists",
    code: `import json
rows = [
    {"id": number, "name": "item-" + str(number % 97), "price": number * 3 % 101}
    for number in range(2_000)
]
totals = {}
for row in json.loads(json.dumps(rows)):
    totals[row["name"]] = totals.get(row["name"], 0) + row["price"]
words = [f"{name.upper()}={totals[name]}" for name in sorted(totals)]
`,
    value: `" ".join(words[:3]) + " " + str(len(", ".join(words)))`,
    answer: "ITEM-0=1116 ITEM-1=1078 ITEM-10=1039 1312",
  },
];

/** The program for a peer that gives the value of the last line. */
export function withValue({ code, value }: Program): string {
  return `${code}${value}`;
}

/** The program for a peer that gives only what is printed. */
export function withPrint({ code, value }: Program): string {
  return `${code}print(${value})`;
}
