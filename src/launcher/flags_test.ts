import { assertEquals, assertThrows } from "../../deps/assert.ts";
import {
  PERMISSIONS,
  type Scope,
  type ScopePaths,
} from "../grants/permissions.ts";
import { toDenoFlags } from "./flags.ts";

const PLACES: ScopePaths = {
  cache: ["/cache"],
  environment: ["/cache/one"],
  runtime: ["/runtime"],
  program: ["/src", "/deps"],
  sources: [],
};

Deno.test("toDenoFlags() opens nothing when nothing is named", () => {
  assertEquals(toDenoFlags({}, PLACES), ["--no-prompt"]);
  assertEquals(toDenoFlags({ read: [] }, PLACES), ["--no-prompt"]);
});

Deno.test("toDenoFlags() opens all of a kind for no scope but any", () => {
  const open = (scope: Scope) =>
    toDenoFlags({ read: [scope] }, {
      ...{ ...PLACES, sources: ["/w"], hosts: ["h"] },
      ...{ mounts: ["/m"], writableMounts: ["/m"] },
    }).includes("--allow-read");
  const scopes: Scope[] = [
    ...["cache", "environment", "runtime", "program", "sources"] as const,
    ...["hosts", "mounts", "writableMounts", "any"] as const,
  ];
  assertEquals(scopes.filter(open), ["any"]);
});

Deno.test("toDenoFlags() names every path of a scope", () => {
  assertEquals(
    toDenoFlags({ write: ["cache"], read: ["cache", "program"] }, PLACES),
    ["--no-prompt", "--allow-read=/cache,/src,/deps", "--allow-write=/cache"],
  );
});

Deno.test("toDenoFlags() refuses a path that would open a second path", () => {
  const places = { ...PLACES, cache: ["/data/a,/etc"] };
  assertThrows(() => toDenoFlags({ read: ["cache"] }, places), RangeError);
});

Deno.test("toDenoFlags() refuses a scope without a place, which would open all", () => {
  assertThrows(() => toDenoFlags({ read: ["cache"] }), RangeError);
});

Deno.test("toDenoFlags() grants mounts to the sandbox, and nothing where there are none", () => {
  const places = {
    ...{ cache: [], environment: ["/e"], runtime: ["/p"], sources: [] },
    program: ["/s"],
  };
  const flags = (more: Partial<ScopePaths>) =>
    toDenoFlags(PERMISSIONS.sandbox, { ...places, ...more }).slice(1);
  assertEquals(flags({}), ["--allow-read=/e,/p,/s"]);
  assertEquals(flags({ mounts: ["/m"], writableMounts: [] }), [
    "--allow-read=/e,/p,/s,/m",
  ]);
  assertEquals(flags({ mounts: ["/m", "/w"], writableMounts: ["/w"] }), [
    ...["--allow-read=/e,/p,/s,/m,/w", "--allow-write=/w"],
  ]);
  assertThrows(
    () => flags({ mounts: ["/m,/etc"] }),
    { name: "RangeError", message: /must have no comma/ },
  );
});

Deno.test("toDenoFlags() closes this machine's addresses to a sandbox's hosts", () => {
  const places = {
    ...PLACES,
    hosts: ["example.com"],
    ownAddresses: ["203.0.114.7"],
  };
  const flags = toDenoFlags(PERMISSIONS.sandbox, places);
  assertEquals(
    flags.filter((flag) => flag.startsWith("--allow-net")),
    ["--allow-net=example.com"],
  );
  const denied = flags.find((flag) => flag.startsWith("--deny-net=")) ?? "";
  assertEquals(denied.split(",").filter((one) => one === "203.0.114.7"), [
    "203.0.114.7",
  ]);
  assertEquals(toDenoFlags({ net: ["hosts"] }, { ...places, hosts: [] }), [
    "--no-prompt",
  ]);
});
