import hints from "./hints.py" with { type: "text" };
import runner from "./runner.py" with { type: "text" };
import values from "./values.py" with { type: "text" };

/** The Python files that a snapshot holds, by name in their package. */
export const RUNNER: Record<string, string> = {
  "__init__.py": "",
  "hints.py": hints,
  "runner.py": runner,
  "values.py": values,
};
