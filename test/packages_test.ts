/**
 * The packages of the registries: each is built, installed into an environment
 * that has nothing else, with an empty home, and runs.
 *
 * @module
 */
import { join } from "node:path";
import { assertEquals, assertMatch } from "../deps/assert.ts";
import { buildPython } from "../scripts/build/python.ts";
import { makeVenv } from "../scripts/build/venv.ts";
import { log } from "../src/log.ts";
import { VERSION } from "../src/version.ts";
import { findPython } from "./bench/figures/plain_python.ts";
import { tempFolder } from "./support/folder.ts";

const NO_PYTHON = await findPython() === undefined && "there is no python3";
if (NO_PYTHON) log(`skipped: the package for Python: ${NO_PYTHON}`);

Deno.test({
  name: "the wheel installs into an empty environment, and runs its example",
  ignore: Boolean(NO_PYTHON),
  async fn(test) {
    await using folder = await tempFolder();
    const [built, home] = await folder.make("built", "home");
    const names = await buildPython(built);
    const wheel = names.find((name) => name.endsWith(".whl")) ?? "";
    assertEquals(names.toSorted(), [
      wheel,
      `mcp_run_python-${VERSION}.tar.gz`,
    ]);
    const { bin } = await makeVenv(join(folder.path, "venv"), [
      join(built, wheel),
    ]);
    const run = (args: string[], signal?: AbortSignal) =>
      new Deno.Command(join(bin, "mcp-run-python"), {
        args,
        cwd: home,
        clearEnv: true,
        env: emptyHome(home, bin),
        ...(signal ? { signal } : {}),
      }).output();
    const decoder = new TextDecoder();
    await test.step("the example", async () => {
      const { code, stdout, stderr } = await run([
        ...["--deps", "pydantic", "example"],
      ]);
      assertEquals(code, 0, decoder.decode(stderr));
      assertMatch(decoder.decode(stdout), /pydantic [\d.]+ read City\(name=/);
    });
    await test.step("offline after that, with exit codes passed on", async () => {
      const { code, stdout } = await run([
        ...["--offline", "--deps", "pydantic", "run", "-c"],
        "import pydantic; print(pydantic.__name__); raise SystemExit(7)",
      ]);
      assertEquals([code, decoder.decode(stdout)], [7, "pydantic\n"]);
    });
  },
});

/** Variables of a user without a home, but for those that say how to reach a network. */
function emptyHome(home: string, bin: string): Record<string, string> {
  const kept = Object.entries(Deno.env.toObject()).filter(([name]) =>
    /^(.*_proxy|SSL_.*|DENO_TLS_.*|NODE_EXTRA_CA_CERTS|NPM_CONFIG_REGISTRY)$/i
      .test(name)
  );
  return {
    ...Object.fromEntries(kept),
    ...{ HOME: home, PATH: `${bin}:/usr/bin:/bin`, NO_COLOR: "1" },
  };
}
