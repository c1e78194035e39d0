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
        engine: plan.engine,
        requirements: plan.requirements,
        // PEP 751 has no place for files that are not wheels.
        ...(libraries.length > 0
          ? { libraries: libraries.map(toLibrary) }
          : {}),
      },
    },
  });
}

function toLibrary(
  { name, version, file, url, sha256 = "", place }: PlannedPackage,
) {
  return { name, version, file, url, sha256, place };
}

function toWheel({ file, url, size, sha256 }: PlannedPackage) {
  return {
    name: file,
    // A whole path would hold on this machine only: users name the folder anew.
    ...(url.startsWith("file:") ? { path: file } : { url }),
    ...(size === undefined ? {} : { size }),
    hashes: { sha256: sha256 ?? "" },
  };
}
