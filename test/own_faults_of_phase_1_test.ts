/**
 * Exceptions of ours in the processes of phase 1: their cause reaches the
 * launcher, and the process does not end as one that has done its work.
 *
 * @module
 */
import { assertEquals, assertMatch } from "../deps/assert.ts";
import { type ChildName, spawn } from "../src/launcher/spawn.ts";
import { toScopePaths } from "../src/launcher/find_scope_paths.ts";
import { findPyodide } from "../src/engines/pyodide/runtime.ts";
import { tempFolder } from "./support/folder.ts";
import type { PreloadOrder } from "../src/environments/phase_1/messages.ts";

/** Starts a process of phase 1, and gives what it says until it ends. */
async function hear(
  name: ChildName,
  folder: string,
  { argument, input }: { argument?: unknown; input?: Uint8Array<ArrayBuffer> },
): Promise<{ code: number; said: string }> {
  const { folder: pyodide } = findPyodide();
  const child = spawn(name, {
    places: { ...toScopePaths(folder, [pyodide]), environment: [folder] },
    argument,
    logs: false,
  });
  const writer = child.stdin.getWriter();
  if (input) await writer.write(input).catch(() => {});
  const said = await new Response(child.stdout).text();
  const { code } = await child.status;
  await writer.close().catch(() => {});
  return { code, said };
}

Deno.test("an installer that cannot read its order says why", async () => {
  await using folder = await tempFolder();
  const { code, said } = await hear("offlineInstaller", folder.path, {
    input: new TextEncoder().encode("no JSON\n"),
  });
  assertMatch(said, /^\{"type":"error","message":"Cannot install: .*JSON/);
  assertEquals(code, 1);
});

Deno.test("an installer that is told too much at once says why", async () => {
  await using folder = await tempFolder();
  const { code, said } = await hear("offlineInstaller", folder.path, {
    input: new Uint8Array((1 << 26) + 1).fill(0x61),
  });
  assertMatch(
    said,
    /^\{"type":"error","message":"Cannot install: Cannot read a line of more than \d+ bytes/,
  );
  assertEquals(code, 1);
});

Deno.test("a preloader without its environment says why, of all that it was to import", async () => {
  await using folder = await tempFolder();
  const argument: PreloadOrder = {
    runtime: findPyodide(),
    environment: folder.path,
    modules: ["mrp_fixture_a", "mrp_fixture_b"],
  };
  const { code, said } = await hear("preloader", folder.path, { argument });
  const { preloaded: { broken } } = JSON.parse(said);
  assertEquals(
    broken.map(({ module }: { module: string }) => module),
    argument.modules,
  );
  assertMatch(
    broken[0].reason,
    /^The process that imports packages failed: No such file or directory/,
  );
  assertEquals(code, 1);
});
