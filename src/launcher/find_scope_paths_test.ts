import { assert, assertEquals, assertThrows } from "../../deps/assert.ts";
import { saying } from "../../test/support/user_error.ts";
import {
  refuseOwnFolders,
  toNetPlaces,
  toScopePaths,
} from "./find_scope_paths.ts";

Deno.test("toScopePaths() names each place once", () => {
  const places = toScopePaths("/cache", ["/pyodide"]);
  assertEquals(places.cache, ["/cache"]);
  assertEquals(places.environment, []);
  assertEquals(places.runtime, ["/pyodide"]);
  assertEquals(places.program.map((path) => path.split(/[\\/]/).at(-1)), [
    "src",
    "deps",
  ]);
  assertEquals(places.sources, []);
});

Deno.test("toScopePaths() refuses a Pyodide that no flag can name, with the remedy", () => {
  assertThrows(
    () => toScopePaths("/cache", ["/data/a,/etc"]),
    { name: "UserError", message: /"\/data\/a,\/etc".*comma.*DENO_DIR/ },
  );
});

Deno.test("toNetPlaces() closes each address of this machine to what is granted", () => {
  const { ownAddresses } = toNetPlaces(["example.com"]);
  const addresses = Deno.networkInterfaces().map(({ address }) => address);
  assert(addresses.length > 0);
  assertEquals(ownAddresses, addresses);
  assertEquals(toNetPlaces([]), { hosts: [] });
});

Deno.test("a mount shows no folder of this program, and can change none", () => {
  const refuse = (host: string, isWritable: boolean) =>
    refuseOwnFolders(
      [{ host, guest: "/mnt/x", isWritable }],
      ["/home/ada/cache"],
      { os: "linux" },
    );
  assertThrows(() => refuse("/home/ada/cache", false), saying("within"));
  assertThrows(() => refuse("/home/ada/cache/x", false), saying("within"));
  assertThrows(() => refuse("/home/ada", true), saying("could change it"));
  refuse("/home/ada", false);
  refuse("/home/ada/cache2", true);
});
