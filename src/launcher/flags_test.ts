import { assert, assertEquals, assertThrows } from "../../deps/assert.ts";
import {
  PERMISSIONS,
  type Scope,
  type ScopePaths,
} from "../grants/permissions.ts";
import { toDenoFlags, toNetFlags } from "./flags.ts";

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

function denied(flags: string[]): string[] {
  const [, list = ""] = /^--deny-net=(.+)$/.exec(flags[1] ?? "") ?? [];
  return list.split(",");
}

Deno.test("toNetFlags() opens nothing when nothing is granted", () => {
  assertEquals(toNetFlags([]), []);
});

Deno.test("toNetFlags() opens granted hosts, and closes addresses outside the internet", () => {
  const flags = toNetFlags(["example.com:443", "*.example.org"], {
    ownAddresses: ["8.8.4.4"],
  });
  assertEquals(flags.length, 2);
  assertEquals(flags[0], "--allow-net=example.com:443,*.example.org");
  const closed = ["127.0.0.0/8", "169.254.0.0/16", "8.8.4.4", "[::1]", "[::]"];
  for (const range of closed) assert(denied(flags).includes(range), range);
});

Deno.test("toNetFlags() opens every host of the internet, and no other", () => {
  const flags = toNetFlags(["*", "10.0.0.5"]);
  assertEquals(flags[0], "--allow-net");
  assert(denied(flags).includes("10.0.0.4"));
  assert(!denied(flags).includes("10.0.0.5"));
});

Deno.test("toNetFlags() opens an address of IPv6 by its own name, and no other", () => {
  const closed = denied(toNetFlags(["[::1]:80"]));
  assert(!closed.includes("[::1]") && closed.includes("[::]"));
  assert(closed.includes("127.0.0.0/8"));
});

Deno.test("toNetFlags() leaves localhost open if it is listed", () => {
  const closed = denied(toNetFlags(["localhost:80"]));
  assert(!closed.includes("127.0.0.1") && !closed.includes("127.0.0.0/8"));
  assert(!closed.includes("[::1]"));
  assert(!closed.includes("[::]"));
  assert(closed.includes("127.0.0.0") && closed.includes("127.0.0.2/31"));
});

Deno.test("toNetFlags() closes the port of the server on all addresses of this machine", () => {
  const own = { ownAddresses: ["192.168.1.5", "fd00::5"], ownPort: 3001 };
  const hosts = ["localhost", "127.0.0.0/8", "0.0.0.0", "192.168.1.5", "[::1]"];
  const closed = denied(toNetFlags(hosts, own));
  const addresses = ["0.0.0.0/8", "127.0.0.0/8", "192.168.1.5"];
  for (const address of [...addresses, "[::1]", "[::]", "[fd00::5]"]) {
    assert(closed.includes(`${address}:3001`), address);
  }
});

Deno.test("toDenoFlags() denies parts of mounts and hosts", () => {
  const places = {
    ...{ environment: ["/e"], runtime: [], program: [] },
    ...{ mounts: ["/m"], writableMounts: ["/m"], hosts: ["*.a.com"] },
    ...{ deniedReads: ["/m/a"], deniedWrites: ["/m/b"] },
    deniedHosts: ["a.com"],
  };
  const flags = toDenoFlags(PERMISSIONS.sandbox, places);
  assertEquals(flags.slice(0, 6), [
    ...["--no-prompt", "--allow-read=/e,/m", "--deny-read=/m/a"],
    ...["--allow-write=/m", "--deny-write=/m/b", "--allow-net=*.a.com"],
  ]);
  assert(flags[6]?.startsWith("--deny-net=a.com,"));
  assertThrows(
    () =>
      toDenoFlags(PERMISSIONS.sandbox, { ...places, deniedReads: ["/a,b"] }),
    RangeError,
  );
});
