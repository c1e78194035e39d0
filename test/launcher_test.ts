/**
 * The real launcher of a server: what it may do once it serves, and how it starts
 * a sandbox process.
 *
 * @module
 */
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { DENO_DIR } from "../src/launcher/program_files.ts";
import { NPM_PYODIDE } from "../src/engines/pyodide/runtime.ts";
import type { Settings } from "../src/settings.ts";
import { fakeBwrap, WITHOUT_WALL } from "./support/bwrap.ts";
import { baseFolder } from "./support/cache.ts";
import { CACHE, CLI } from "./support/command.ts";
import { tempFolder } from "./support/folder.ts";
import { startProbeTarget } from "./support/probe_target.ts";
import type {
  LauncherOrder,
  ProbedLauncher,
} from "./support/probing_launcher.ts";
import { assertAllowed, runDeno } from "./support/run_probe.ts";

const ROOT = dirname(CLI);
const LAUNCHER = fileURLToPath(
  import.meta.resolve("./support/probing_launcher.ts"),
);

Deno.test("the launcher may do nothing but start processes, and hands on no secret", async () => {
  for (const installs of ["first", "late", "in vain"] as const) {
    const { probed, name, options } = await probeLauncher({
      variables: { A: "secret" },
    }, { installs });
    assertAllowed(probed, ["run"]);
    // The system shows to all its users how a process was started.
    assertEquals(name, "sandbox");
    assert(!JSON.stringify(options).includes("secret"));
  }
});

Deno.test("the launcher of downstream servers may also read", async () => {
  await using folder = await tempFolder();
  const { probed } = await probeLauncher({
    codeMode: true,
    stateDir: folder.path,
  });
  assertAllowed(probed, ["read", "run", "node"]);
});

Deno.test({
  name: "the launcher puts the second wall around a sandbox",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using bwrap = await fakeBwrap(WITHOUT_WALL);
    const settings = { isolation: "bwrap" } as const;
    const { options } = await probeLauncher(settings, {
      env: { PATH: bwrap.searchPath, KEY: "secret" },
    });
    // Another wall may be around it.
    const wall = options.wall ?? [];
    assert(wall.includes(bwrap.path));
    const flags = wall.slice(wall.indexOf(bwrap.path) + 1);
    assert(!JSON.stringify(options).includes("secret"));
    assertEquals(flags.slice(0, 3), [
      ...["--unshare-all", "--unshare-user", "--unshare-cgroup"],
    ]);
    const valuesOf = (name: string) =>
      flags.flatMap((flag, at) => flag === name ? [flags[at + 1] ?? ""] : []);
    assertEquals(valuesOf("--setenv"), [
      ...["DENO_DIR", "NO_COLOR", "DENO_NO_UPDATE_CHECK"],
      ...["MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_"],
      "RUST_MIN_STACK",
      "GLIBC_TUNABLES",
    ]);
    assertEquals(valuesOf("--tmpfs"), ["/tmp", DENO_DIR]);
    assertEquals(valuesOf("--bind"), []);
    const seen = valuesOf("--ro-bind").filter((path) =>
      !/^\/(usr\/)?lib(64)?$/.test(path)
    );
    // Of what Deno has cached, packages in one version each.
    const isCached = (path: string) => path.startsWith(join(DENO_DIR, "npm/"));
    const registry = dirname(dirname(NPM_PYODIDE.folder));
    for (const path of seen.filter(isCached)) {
      assertMatch(relative(registry, path), /^(@[^/]+\/)?[^/]+\/\d[^/]*$/);
    }
    assertEquals(
      seen.filter((path) => !isCached(path)).sort(),
      [
        ...[baseFolder(CACHE), Deno.execPath(), `${ROOT}/deno.json`],
        ...[`${ROOT}/deno.lock`, `${ROOT}/deps`, `${ROOT}/src`],
      ].sort(),
    );
  },
});

/** Starts the launcher, and has it try all where it would start a sandbox. */
async function probeLauncher(
  settings: Partial<Settings>,
  { installs = "first", env = {} }: {
    installs?: LauncherOrder["installs"];
    env?: Record<string, string>;
  } = {},
): Promise<ProbedLauncher> {
  await using target = startProbeTarget();
  const order: LauncherOrder = {
    ...{ port: target.port, installs },
    settings: { cacheDir: CACHE, ...settings },
  };
  return await runDeno(["--allow-all", LAUNCHER], order, env);
}
