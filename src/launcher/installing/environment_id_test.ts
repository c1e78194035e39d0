import { assert, assertEquals, assertNotEquals } from "../../../deps/assert.ts";
import { findPyodide } from "../find_pyodide.ts";
import type { PackageSettings, Settings } from "../../settings.ts";
import { ID } from "../../environments/environment.ts";
import { folderFor } from "./environment_id.ts";
import { toInstallOrder } from "./install_order.ts";

type Wanted = PackageSettings & Pick<Settings, "cacheDir" | "offline">;

const WANTED: Wanted = {
  cacheDir: "/cache",
  dependencies: ["a", "b>=1"],
  constraints: ["c<2", "d<3"],
  findLinks: [],
  extraIndexUrls: [],
  offline: false,
};
const pyodide = findPyodide(undefined);
const folder = (changes: Partial<Wanted>) =>
  folderFor({ ...WANTED, ...changes }, pyodide);

/** An order's sources, each with these credentials. */
const sources = (secret: string): Partial<Wanted> => ({
  dependencies: [`x @ https://${secret}h.example/x-1-py3-none-any.whl`],
  indexUrl: `https://${secret}index.example/simple`,
  extraIndexUrls: [`https://${secret}extra.example/simple`],
  dist: `https://${secret}dist.example/`,
});

Deno.test("folderFor() is the same whatever the credentials are, and has none in it", () => {
  assertEquals(folder(sources("ada:pw@")), folder(sources("")));
  assertEquals(folder(sources("ada:pw@")), folder(sources("bob:no@")));
});

Deno.test("folderFor() is another one for whatever else makes another environment", () => {
  const own = folder({});
  assert(ID.test(own.split("/").at(-1) ?? ""));
  assertEquals(folder({ dependencies: ["b>=1", "a"] }), own);
  const locked = { path: "/l", text: "1" };
  const changes: Partial<Wanted>[] = [
    { dependencies: ["a"] },
    { dependencies: ["a", "b>=2"] },
    { constraints: [] },
    { findLinks: ["/w"] },
    { findLinks: ["/v"] },
    { dist: "https://dist.example/" },
    { indexUrl: "https://i.example/" },
    { extraIndexUrls: ["https://i.example/"] },
    { indexUrl: "https://i.example/", extraIndexUrls: ["https://j.example/"] },
    { indexUrl: "https://j.example/", extraIndexUrls: ["https://i.example/"] },
    { locked },
    { locked: { ...locked, text: "2" } },
    { dependencies: [], constraints: [] },
  ];
  const folders = [own, ...changes.map(folder)];
  assertEquals(new Set(folders).size, folders.length);
  const other = { ...pyodide, build: `${pyodide.build}x` };
  assertNotEquals(folderFor(WANTED, other), own);
});

Deno.test("folderFor() is another one for a wheel of this machine that was built anew", async () => {
  const path = await Deno.makeTempFile({ suffix: ".whl" });
  try {
    const dependencies = [`x @ file://${path}`];
    const before = folder({ dependencies });
    assertEquals(folder({ dependencies }), before);
    await Deno.utime(path, 1, 1);
    const touched = folder({ dependencies });
    await Deno.writeTextFile(path, "anew");
    await Deno.utime(path, 1, 1);
    const folders = [before, touched, folder({ dependencies })];
    assertEquals(new Set(folders).size, 3);
  } finally {
    await Deno.remove(path);
  }
});

Deno.test("toInstallOrder() has credentials beside the addresses, and in none of them", () => {
  const { order, places } = toInstallOrder("install", {
    ...WANTED,
    ...sources("ada:pw@"),
  });
  const { credentials, ...rest } = order;
  assert(!/ada|pw@/.test(JSON.stringify([rest, places])));
  const hosts = credentials.map(({ host }) => host);
  for (const host of ["h", "index", "extra", "dist"]) {
    assert(hosts.includes(`${host}.example`), host);
  }
});
