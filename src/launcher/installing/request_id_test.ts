import { dirname, join } from "node:path";
import { assert, assertEquals, assertNotEquals } from "../../../deps/assert.ts";
import { tempFolder } from "../../../test/support/folder.ts";
import { ENGINE } from "../../engines/index.ts";
import { NPM_PYODIDE, toRuntime } from "../../engines/pyodide/runtime.ts";
import type { PackageSettings, Settings } from "../../settings.ts";
import { ID } from "../../environments/environment.ts";
import { requestBeside, toWantedEnvironment } from "./request_id.ts";
import { toInstallOrder } from "./install_order.ts";

type Wanted =
  & PackageSettings
  & Pick<Settings, "cacheDir" | "otherCacheDir" | "offline">;

const WANTED: Wanted = {
  engine: ENGINE,
  cacheDir: "/cache",
  dependencies: ["a", "b>=1"],
  constraints: ["c<2", "d<3"],
  findLinks: [],
  extraIndexUrls: [],
  offline: false,
};
const pyodide = toRuntime(NPM_PYODIDE);
const wanted = (changes: Partial<Wanted>, its = pyodide) =>
  toWantedEnvironment({ ...WANTED, ...changes }, its);
const request = (changes: Partial<Wanted>) => wanted(changes).request;

/** An order's sources, each with these credentials. */
const sources = (secret: string): Partial<Wanted> => ({
  dependencies: [`x @ https://${secret}h.example/x-1-py3-none-any.whl`],
  indexUrl: `https://${secret}index.example/simple`,
  extraIndexUrls: [`https://${secret}extra.example/simple`],
  dist: `https://${secret}dist.example/`,
});

Deno.test("a request is the same whatever the credentials are", () => {
  assertEquals(request(sources("ada:pw@")), request(sources("")));
  assertEquals(request(sources("ada:pw@")), request(sources("bob:no@")));
});

Deno.test("a request is another one for whatever else may choose other packages", () => {
  const own = request({});
  assert(ID.test(own ?? ""));
  for (const dependencies of [["b>=1", "a"], ["A", "B >= 1"]]) {
    assertEquals(request({ dependencies }), own);
  }
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
  ];
  const requests = [own, ...changes.map(request)];
  assertEquals(new Set(requests).size, requests.length);
  const other = toRuntime({ ...NPM_PYODIDE, build: "x" });
  assertNotEquals(wanted({}, other).request, own);
  assertNotEquals(wanted({}, other).baseId, wanted({}).baseId);
  const beside = [["a"], ["a", "b"]].map((list) =>
    requestBeside(wanted({}), list)
  );
  assertEquals(new Set([own, ...beside]).size, 3);
});

Deno.test("a request is another one for a wheel of this machine that was built anew", async () => {
  await using links = await tempFolder();
  const path = join(links.path, "x-1-py3-none-any.whl");
  await Deno.writeTextFile(path, "");

  const dependencies = [`x @ file://${path}`];
  const before = request({ dependencies });
  assertEquals(request({ dependencies }), before);
  await Deno.utime(path, 1, 1);
  const touched = request({ dependencies });
  const findLinks = [dirname(path)];
  const offered = request({ findLinks });
  await Deno.writeTextFile(path, "anew");
  await Deno.utime(path, 1, 1);
  const requests = [before, touched, request({ dependencies })];
  assertEquals(new Set(requests).size, 3);
  assertNotEquals(request({ findLinks }), offered);
});

Deno.test("a request for no packages is for the environment that all are made from", () => {
  const { baseId, request } = wanted({ dependencies: [], constraints: [] });
  assert(ID.test(baseId));
  assertEquals(request, undefined);
});

Deno.test("toWantedEnvironment() leaves out a cache that cannot be read", async () => {
  await using other = await tempFolder();
  const otherCacheDir = other.path;
  assertEquals(wanted({ otherCacheDir }).otherCacheDir, otherCacheDir);
  const absent = join(otherCacheDir, "absent");
  assertEquals(wanted({ otherCacheDir: absent }).otherCacheDir, undefined);
});

Deno.test("toInstallOrder() has credentials beside the addresses, and in none of them", async () => {
  const { order, places } = await toInstallOrder("install", {
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
