export interface Example {
  name: string;
  code: string;
}

/** Code to start from; none needs a package. */
export const EXAMPLES: readonly [Example, ...Example[]] = [
  {
    name: "Hello",
    code: `import sys

print("Hello from", sys.version.split()[0])
sum(n * n for n in range(10))
`,
  },
  {
    name: "Output as it comes",
    code: `import asyncio, sys

for step in range(1, 6):
    print(f"step {step} of 5")
    await asyncio.sleep(0.4)
print("a warning goes to stderr", file=sys.stderr)
`,
  },
  {
    name: "Table",
    code: `import math

[
    {"n": n, "square": n * n, "root": round(math.sqrt(n), 4)}
    for n in range(1, 13)
]
`,
  },
  {
    name: "Picture",
    code: `import math

class Rose:
    def __init__(self, petals):
        self.petals = petals

    def _repr_svg_(self):
        points = []
        for step in range(721):
            angle = math.radians(step / 2)
            radius = 100 * math.cos(self.petals * angle)
            x, y = radius * math.cos(angle), radius * math.sin(angle)
            points.append(f"{x:.1f},{y:.1f}")
        return (
            '<svg xmlns="http://www.w3.org/2000/svg" width="260" height="260"'
            ' viewBox="-110 -110 220 220"><polygon fill="#fde7b0"'
            f' stroke="#c2571a" points="{" ".join(points)}"/></svg>'
        )

display(Rose(5))
`,
  },
  {
    name: "Files",
    code: `import csv, pathlib

print("given:", [str(path) for path in pathlib.Path().iterdir()])
with open("squares.csv", "w", newline="") as file:
    rows = csv.writer(file)
    rows.writerow(["n", "square"])
    rows.writerows((n, n * n) for n in range(1000))
`,
  },
  {
    name: "Session",
    code: `# Choose "New session" above: the next run goes on with these names.
notes = globals().get("notes", [])
notes.append(f"note {len(notes) + 1}")
notes
`,
  },
  {
    name: "Error",
    code: `def ratio(part, whole):
    return part / whole

ratio(1, 0)
`,
  },
];
