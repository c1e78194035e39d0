import { join } from "node:path";
import { makeOnce } from "../../test/support/make_once.ts";
import { run } from "../../src/launcher/bundling/write_program.ts";

/** Builds and installs what pip would, in a tenth of its CPU time. */
const UV = "uv==0.13.9";

/** Runs uv. */
export async function runUv(args: string[]): Promise<void> {
  await run(await findUv(), ["--quiet", ...args], {
    env: {
      UV_PYTHON_DOWNLOADS: "never",
      // Of the authorities that this machine trusts, as pip and Deno do.
      UV_SYSTEM_CERTS: "1",
      MCP_RUN_PYTHON_DENO: Deno.execPath(),
    },
  });
}

/** The path of uv, which pip installs once. */
export async function findUv(): Promise<string> {
  const folder = await makeOnce(`python-${UV}`, async (draft) => {
    await run("python3", [
      ...["-m", "pip", "install", "--quiet", "--no-input", "--no-compile"],
      ...["--disable-pip-version-check", "--root-user-action", "ignore"],
      ...["--only-binary", ":all:", "--target", draft, UV],
    ]);
  });
  return join(folder, "bin/uv");
}
