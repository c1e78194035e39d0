import { join } from "node:path";
import { tempFolder } from "../../test/support/folder.ts";
import { DESCRIPTION, REGISTRY_NAME, REPOSITORY } from "./identity.ts";
import { writeLibrary } from "./library.ts";
import {
  copyFiles,
  ROOT,
  run,
  writeJson,
} from "../../src/launcher/bundling/write_program.ts";

const TYPESCRIPT = "npm:typescript@5.9.3/tsc";

/**
 * Makes the package for npm: JavaScript and types for Node, which starts Deno.
 *
 * @param folder An empty folder.
 */
export async function buildNpm(folder: string): Promise<void> {
  await using stage = await tempFolder();
  const version = await writeLibrary(stage.path);
  await run(Deno.execPath(), [
    ...["run", "-A", "--no-config", TYPESCRIPT],
    ...["src/mod.ts", "src/library/cli.ts"],
    ...["--outDir", join(folder, "lib"), "--rootDir", "src"],
    ...["--module", "esnext", "--moduleResolution", "bundler"],
    ...["--target", "es2023", "--declaration"],
    // Types were checked where Deno's are known.
    ...["--rewriteRelativeImportExtensions", "--noCheck", "--skipLibCheck"],
  ], { cwd: stage.path });
  await copyFiles([join(ROOT, "LICENSE")], { from: ROOT, to: folder });
  await Deno.writeTextFile(join(folder, "README.md"), await readReadme());
  await writeJson(join(folder, "package.json"), {
    ...{ name: "mcp-run-python", version, license: "MIT", type: "module" },
    ...{ description: DESCRIPTION, mcpName: REGISTRY_NAME },
    bin: { "mcp-run-python": "lib/library/cli.js" },
    exports: { ".": { types: "./lib/mod.d.ts", default: "./lib/mod.js" } },
    repository: { type: "git", url: `git+${REPOSITORY}.git` },
    engines: { node: ">=20" },
    files: ["lib"],
    dependencies: { deno: await readDeno() },
  });
}

/** The version of Deno that README names. */
async function readDeno(): Promise<string> {
  const text = await Deno.readTextFile(join(ROOT, "README.md"));
  const [, version] = /npx -y deno@([\d.]+)/.exec(text) ?? [];
  if (version === undefined) throw new Error("README names no Deno");
  return version;
}

/** README, whose links lead to the repository: the package has no other document. */
async function readReadme(): Promise<string> {
  const text = await Deno.readTextFile(join(ROOT, "README.md"));
  return text
    .replaceAll(/\]\((?![a-z]+:|#)/g, `](${REPOSITORY}/blob/main/`)
    .replaceAll(/src="(?![a-z]+:)/g, `src="${REPOSITORY}/raw/main/`);
}
