import { assertEquals } from "../../deps/assert.ts";
import { type HashedPackage, toEnvironmentId } from "./install_packages.ts";

const PACKAGE: HashedPackage = {
  ...{ name: "x", version: "1.0", sha256: "a".repeat(64), place: "wheel" },
  ...{ file: "x-1.0-py3-none-any.whl", url: "https://h.example/x.whl" },
  ...{ source: "h.example", size: 1, origin: "o", requested: true },
};
const OTHER = { ...PACKAGE, name: "y" };
const toId = (...packages: HashedPackage[]) => toEnvironmentId("0", packages);

Deno.test("toEnvironmentId() is the same wherever the packages are from", () => {
  const elsewhere = {
    ...PACKAGE,
    ...{ url: "file:///x.whl", source: "/wheels", origin: "p", size: 2 },
  };
  assertEquals(toId(elsewhere, OTHER), toId(PACKAGE, OTHER));
});

Deno.test("toEnvironmentId() differs with all that an environment's files depend on", () => {
  const changes: Partial<HashedPackage>[] = [
    ...[{}, { name: "z" }, { version: "1.1" }, { sha256: "b".repeat(64) }],
    ...[{ place: "site" }, { requested: false }],
  ];
  const ids = [
    ...changes.map((change) => toId({ ...PACKAGE, ...change })),
    ...[toId(), toId(PACKAGE, OTHER), toEnvironmentId("1", [PACKAGE])],
  ];
  assertEquals(new Set(ids).size, ids.length);
});
