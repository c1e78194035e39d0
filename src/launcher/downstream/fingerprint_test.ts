import {
  assert,
  assertEquals,
  assertMatch,
  assertNotEquals,
} from "../../../deps/assert.ts";
import type { ServerEntry } from "../../protocol/downstream.ts";
import { fingerprintOf, revisionOf } from "./fingerprint.ts";

const STDIO: ServerEntry = {
  ...{ name: "a", source: "f", transport: "stdio", command: "x", args: ["1"] },
  env: { KEY: "secret", OTHER: "" },
};
const HTTP: ServerEntry = {
  ...{ name: "a", source: "f", transport: "http" },
  url: "https://x.example/mcp?project=1",
  headers: { Authorization: "Bearer secret" },
};

Deno.test("fingerprintOf() does not depend on values of variables and headers", () => {
  assertMatch(fingerprintOf(STDIO), /^[0-9a-f]{64}$/);
  assertEquals(
    fingerprintOf({ ...STDIO, env: { OTHER: "z", KEY: "another" } }),
    fingerprintOf(STDIO),
  );
  assertEquals(
    fingerprintOf({ ...HTTP, headers: { authorization: "another" } }),
    fingerprintOf(HTTP),
  );
});

Deno.test("fingerprintOf() changes with whatever else makes another server", () => {
  const others: ServerEntry[] = [
    { ...STDIO, command: "y" },
    { ...STDIO, args: ["2"] },
    { ...STDIO, cwd: "/w" },
    { ...STDIO, env: { KEY: "secret" } },
    HTTP,
    { ...HTTP, url: "https://x.example/mcp?project=2" },
    { ...HTTP, headers: {} },
  ];
  const all = [STDIO, ...others].map(fingerprintOf);
  assertEquals(new Set(all).size, all.length);
  assertNotEquals(all[0], all[1]);
});

Deno.test("revisionOf() changes with a secret, and with nothing that leaves a bridge as it is", () => {
  const others: ServerEntry[] = [
    { ...STDIO, command: "y" },
    { ...STDIO, env: { KEY: "another", OTHER: "" } },
    HTTP,
    { ...HTTP, headers: { Authorization: "Bearer another" } },
  ];
  const all = [STDIO, ...others].map(revisionOf);
  assertEquals(new Set(all).size, all.length);
  assertEquals(
    revisionOf({ ...STDIO, source: "g", env: { OTHER: "", KEY: "secret" } }),
    revisionOf(STDIO),
  );
  assert(!all.includes(fingerprintOf(STDIO)));
});
