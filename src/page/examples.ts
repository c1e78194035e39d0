/** Code to start from, by name; none needs a package. */
export const EXAMPLES: Readonly<Record<string, string>> = {
  "Hello": `import sys

print("Hello from", sys.version.split()[0])
sum(n * n for n in range(10))
`,
  "Output as it comes": `import asyncio, sys

for step in range(1, 6):
    print(f"step {step} of 5")
    await asyncio.sleep(0.4)
print("a warning goes to stderr", file=sys.stderr)
`,
  "Table": `import math

[{"n": n, "square": n * n, "root": math.sqrt(n)} for n in range(1, 101)]
`,
  "Picture": `import cmath, math

class Rose:
    def _repr_svg_(self):
        turns = [math.radians(step / 2) for step in range(721)]
        dots = [cmath.rect(100 * math.cos(5 * t), t) for t in turns]
        line = " ".join(f"{dot.real:.1f},{dot.imag:.1f}" for dot in dots)
        return f"""<svg xmlns="http://www.w3.org/2000/svg"
            width="260" height="260" viewBox="-110 -110 220 220"
            fill="#fde7b0" stroke="#c2571a"
            ><polygon points="{line}"/></svg>"""

display(Rose())
`,
  "Files": `import csv, pathlib

print("given:", [str(path) for path in pathlib.Path().iterdir()])
with open("squares.csv", "w", newline="") as file:
    csv.writer(file).writerows((n, n * n) for n in range(1000))
`,
  "Session": `# Run it twice: the next run goes on with these names.
notes = globals().get("notes", [])
notes.append(f"note {len(notes) + 1}")
notes
`,
  "Error": `def ratio(part, whole):
    return part / whole

ratio(1, 0)
`,
};
