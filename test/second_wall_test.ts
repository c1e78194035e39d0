/**
 * Where the second wall is put, on a machine that need not have one.
 *
 * @module
 */
import { assert, assertEquals } from "../deps/assert.ts";
import { toInstallOrder } from "../src/launcher/installing/install_order.ts";
import { runInstaller } from "../src/launcher/installing/run_installer.ts";
import { DEFAULTS } from "../src/settings.ts";
import { makeCache } from "./support/cache.ts";
import { startIndex } from "./support/index_server.ts";
import { wheel } from "./support/wheel.ts";
import type { ScopePaths } from "../src/grants/permissions.ts";

Deno.test("an installer has packages imported behind the second wall, which shows their environment alone", async () => {
  await using cache = await makeCache();
  await using index = startIndex([wheel({ name: "mrp-fixture-walled" })]);
  const order = await toInstallOrder("install", {
    ...{ ...DEFAULTS, cacheDir: cache.folder, indexUrl: index.url },
    dependencies: ["mrp-fixture-walled"],
    ...{ constraints: [], findLinks: [], extraIndexUrls: [] },
  });
  const walled: ScopePaths[] = [];
  const wall = (places: ScopePaths) => {
    walled.push(places);
    return [];
  };
  await runInstaller(order, { ...DEFAULTS, wall }, () => {});
  assertEquals(walled.length, 1);
  const [folder = ""] = walled[0]?.environment ?? [];
  assert(folder.startsWith(`${cache.folder}/environments/`), folder);
});
