import { assertEquals } from "../../../deps/assert.ts";
import { renderPlan } from "./install.ts";
import type { PlannedPackage } from "../../environments/phase_1/messages.ts";

const rich: PlannedPackage = {
  name: "rich",
  version: "15.0.0",
  file: "rich-15.0.0-py3-none-any.whl",
  url: "https://index.example/rich-15.0.0-py3-none-any.whl",
  size: 300 * 1024,
  source: "https://ada:secret@index.example",
  place: "wheel",
  cached: false,
  requested: true,
};
const numpy: PlannedPackage = {
  ...rich,
  name: "numpy",
  version: "2",
  size: 5 * 1024 * 1024,
  source: "Pyodide distribution",
};

function render(...packages: PlannedPackage[]): string {
  return renderPlan({ python: "3.14.2", engine: "Pyodide 314.0.7", packages });
}

Deno.test("renderPlan() has a row for each package, and the total", () => {
  assertEquals(
    render(rich, numpy, { ...numpy, name: "x", cached: true }),
    `Python 3.14.2 (Pyodide 314.0.7)
rich   15.0.0  https://***@index.example  300 KiB  to download
numpy  2       Pyodide distribution       5.0 MiB  to download
x      2       Pyodide distribution       5.0 MiB  cached
3 packages, 5.3 MiB to download
`,
  );
});

Deno.test("renderPlan() says when there is nothing to do, or no size known", () => {
  const last = (...packages: PlannedPackage[]) =>
    render(...packages).trim().split("\n").at(-1);
  assertEquals(last(), "0 packages, nothing to download");
  assertEquals(
    last({ ...rich, cached: true }),
    "1 package, nothing to download",
  );
  const { size: _, ...unknown } = numpy;
  assertEquals(
    last(rich, unknown),
    "2 packages, more than 300 KiB to download",
  );
});
