import { assertEquals } from "../../deps/assert.ts";
import { type Denied, NOTHING_GRANTED } from "./guest_grants.ts";
import { isGrantable, widen } from "./widen.ts";

Deno.test("widen() adds what the user has agreed to", () => {
  const { hosts, paths } = widen({ ...NOTHING_GRANTED, hosts: ["a.com"] }, [
    { kind: "net", host: "b.com:443" },
    { kind: "read", path: "/data/a.txt" },
    { kind: "write", path: "/out" },
  ]);
  assertEquals(hosts, ["a.com", "b.com:443"]);
  assertEquals(paths, [
    { host: "/data/a.txt", guest: "/data/a.txt", access: ["read"] },
    { host: "/out", guest: "/out", access: ["read", "write"] },
  ]);
});

Deno.test("escape: a component that lies about what it was denied gets nothing that no policy grants", () => {
  const lies: Denied[] = [
    ...["*", "*.com", "*.example.com:443", "a b", "http://a.com/"]
      .map((host) => ({ kind: "net" as const, host })),
    ...["src", "../src", "/tmp/../home", "/a//b", "/a/./b", "/a/", "/a,/etc"]
      .map((path) => ({ kind: "read" as const, path })),
    ...["/", "/a\0b", "/a\nb"].map((path) => ({
      kind: "write" as const,
      path,
    })),
    { kind: "env", name: "PATH" },
  ];
  assertEquals(lies.filter(isGrantable), []);
  assertEquals(widen(NOTHING_GRANTED, lies), NOTHING_GRANTED);
});
