import { stringifyToml } from "../../../deps/toml.ts";
import { VERSION } from "../../version.ts";
import type { Plan, PlannedPackage } from "../../environments/install_plan.ts";

/** Writes a plan as a lock file (PEP 751). */
export function toLockFile(plan: Plan): string {
  const wheels = plan.packages.filter(({ place }) => place === "wheel");
  const libraries = plan.packages.filter(({ place }) => place !== "wheel");
  return stringifyToml({
    "lock-version": "1.0",
    "created-by": `mcp-run-python ${VERSION}`,
    environments: ["sys_platform == 'emscripten'"],
    "requires-python": `~=${plan.python.replace(/\.\d+$/, ".0")}`,
    packages: wheels.map((one) => ({
      name: one.name,
      version: one.version,
      wheels: [toWheel(one)],
    })),
    tool: {
      "mcp-run-python": {
        pyodide: plan.pyodide,
        requirements: plan.requirements,
        // What no wheel is, PEP 751 has no place for.
        ...(libraries.length > 0
          ? {
            libraries: libraries.map((
              { name, version, file, url, sha256, place },
            ) => ({ name, version, file, url, sha256: sha256 ?? "", place })),
          }
          : {}),
      },
    },
  });
}

function toWheel({ file, url, size, sha256 }: PlannedPackage) {
  return {
    name: file,
    // A path would hold for this machine only: its folder is named anew.
    ...(url.startsWith("file:") ? { path: file } : { url }),
    ...(size === undefined ? {} : { size }),
    hashes: { sha256: sha256 ?? "" },
  };
}
