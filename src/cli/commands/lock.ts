import { dirname } from "node:path";
import { EXIT, reasonOf, UserError } from "../../errors.ts";
import { planEnvironment } from "../../launcher/installing/install.ts";
import { print } from "../../log.ts";
import type { Settings } from "../../settings.ts";
import { withProgress } from "../install_progress.ts";
import { toCount } from "../sizes.ts";
import { writeWhole } from "../../disk.ts";
import { stringifyToml } from "../../../deps/toml.ts";
import { VERSION } from "../../version.ts";
import type {
  Plan,
  PlannedPackage,
} from "../../environments/phase_1/messages.ts";

/** Writes a lock file of the packages that these settings would install. */
export async function lock(settings: Settings, path: string): Promise<number> {
  // Before the long work.
  await refuseOther(path);
  const plan = await withProgress((say) => planEnvironment(settings, say));
  await writeLock(path, toLockFile(plan));
  print(`Locked ${toCount(plan.packages.length, "package")} in ${path}\n`);
  return EXIT.ok;
}

/**
 * Writes a lock file, whole or not at all.
 *
 * @throws {UserError} If another file is there, or the file cannot be written.
 */
export async function writeLock(path: string, text: string): Promise<void> {
  await refuseOther(path);
  try {
    await writeWhole(path, text);
  } catch (error) {
    const remedy = "Name a file in a folder that can be written.";
    throw refusal(path, `: ${reasonOf(error)}. ${remedy}`, EXIT.failure);
  }
}

/** Refuses a path of another file, or in a folder that does not exist. */
async function refuseOther(path: string): Promise<void> {
  let text: string;
  try {
    text = await Deno.readTextFile(path);
  } catch (error) {
    const parent = await Deno.stat(dirname(path)).catch(() => undefined);
    if (error instanceof Deno.errors.NotFound && parent?.isDirectory) return;
    const remedy = "Name a file in a folder that is there.";
    throw refusal(path, `: ${reasonOf(error)}. ${remedy}`);
  }
  if (/^[ \t]*lock-version[ \t]*=/m.test(text)) return;
  const remedy = "Name another file, or remove it.";
  throw refusal(path, ` as another file is there. ${remedy}`);
}

function refusal(path: string, why: string, code: number = EXIT.usage) {
  return new UserError(`Cannot write the lock file "${path}"${why}`, code);
}

/** Writes a plan as a lock file (PEP 751). */
function toLockFile(plan: Plan): string {
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
        ...(libraries.length > 0 && { libraries: libraries.map(toLibrary) }),
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
    // A whole path would hold on this machine only: users name the folder again.
    ...(url.startsWith("file:") ? { path: file } : { url }),
    ...(size === undefined ? {} : { size }),
    hashes: { sha256: sha256 ?? "" },
  };
}
