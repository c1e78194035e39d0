import { assert, assertNotEquals } from "../../../../deps/assert.ts";
import { NOTHING_GRANTED } from "../../../grants/guest_grants.ts";
import { VERSION } from "../../../version.ts";
import { fingerprintOf, revisionOf } from "./transport.ts";
import { ofWasm } from "./wasm.ts";

const ENTRY = {
  ...{ name: "it", source: "a test", transport: "wasm" as const },
  ...{ file: "/it.wasm", sha256: "a", grants: NOTHING_GRANTED },
};

Deno.test("tools of a component are known by its bytes, its grants and this version", () => {
  assert(JSON.stringify(ofWasm(ENTRY).identity).includes(`"${VERSION}"`));
  const others = [
    { ...ENTRY, sha256: "b" },
    { ...ENTRY, grants: { ...NOTHING_GRANTED, hosts: ["a.test"] } },
    { ...ENTRY, grants: { ...NOTHING_GRANTED, variables: { KEY: "a" } } },
  ];
  for (const other of others) {
    assertNotEquals(fingerprintOf(other), fingerprintOf(ENTRY));
    assertNotEquals(revisionOf(other), revisionOf(ENTRY));
  }
});
