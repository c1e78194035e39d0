import { assertEquals } from "../../../deps/assert.ts";
import { type GuestGrants, NOTHING_GRANTED } from "../guest_grants.ts";
import { denialRemedy } from "./denial.ts";
import { explainGrants } from "./explain.ts";
import { toGuestPlaces } from "./guest_places.ts";

const GRANTS: GuestGrants = {
  hosts: ["*.a.com", "b.com"],
  deniedHosts: ["x.a.com"],
  paths: [
    { host: "/r", guest: "/r", access: ["read"] },
    { host: "/w", guest: "/out", access: ["read", "write"] },
    { host: "/f", guest: "/f", access: ["read"], isFile: true },
  ],
  deniedPaths: [
    { host: "/r/no", access: ["read", "write"], kind: "folder" },
    { host: "/w/keep", access: ["write"], kind: "file" },
    { host: "/w/later", access: ["read"] },
    { host: "/", access: ["write"], kind: "folder" },
    { host: "/elsewhere", access: ["read"], kind: "folder" },
  ],
  variables: { KEY: "secret" },
  limits: { timeoutMs: 1500, memoryMiB: 256, maxOutput: 9, cpuSeconds: 2 },
  instance: "fresh",
};

Deno.test("toGuestPlaces() opens nothing of nothing", () => {
  assertEquals(toGuestPlaces(NOTHING_GRANTED), {
    ...{ hosts: [], deniedHosts: [], mounts: [], writableMounts: [] },
    ...{ deniedReads: [], deniedWrites: [], covers: [] },
  });
});

Deno.test("toGuestPlaces() denies within what it opens, and the bare domain of a wildcard", () => {
  assertEquals(toGuestPlaces(GRANTS, { os: "linux" }), {
    hosts: ["*.a.com", "b.com"],
    deniedHosts: ["x.a.com", "a.com"],
    mounts: ["/r", "/w", "/f"],
    writableMounts: ["/w"],
    deniedReads: ["/r/no", "/w/later"],
    deniedWrites: ["/w/keep"],
    covers: [
      { path: "/r/no", isFolder: true, isHidden: true },
      { path: "/w/keep", isFolder: false, isHidden: false },
    ],
  });
});

Deno.test("explainGrants() says grants, denials and limits, and no value of a variable", () => {
  assertEquals(explainGrants(GRANTS, "Python"), [
    "Python reaches *.a.com (each host below a.com), b.com.",
    "It never reaches x.a.com.",
    "Addresses outside the internet stay closed unless they are named here, even if a name leads to them.",
    "Python may read the folder /r and all below it.",
    "Python may read and write the folder /w and all below it, as /out.",
    "Python may read the file /f.",
    "It may not read or write /r/no, nor anything below it.",
    "It may not write /w/keep, nor anything below it.",
    "It may not read /w/later, nor anything below it.",
    "It may not write /, nor anything below it.",
    "It may not read /elsewhere, nor anything below it.",
    "Python finds the variables KEY.",
    "It has at most 1.5 s of time, 2 s of CPU time, 256 MiB of memory, 9 characters of output.",
    "A component is started anew for each call.",
  ]);
  assertEquals(explainGrants(NOTHING_GRANTED, "A guest"), [
    "A guest reaches no host.",
    "A guest sees no file of this machine.",
    "A guest finds no variable of this machine.",
    "It has the usual limits.",
  ]);
});

Deno.test("denialRemedy() names the lines that would grant what was refused", () => {
  const line = (text: string) => `permissions.${text} would grant it`;
  assertEquals(
    denialRemedy({ kind: "read", path: "/a/b c" }),
    line('storage.allow: [{ uri: "fs:///a/b c", access: [read] }]'),
  );
  assertEquals(
    denialRemedy({ kind: "write", path: "/a" }),
    line('storage.allow: [{ uri: "fs:///a", access: [read, write] }]'),
  );
  assertEquals(
    denialRemedy({ kind: "net", host: "a.com:81" }),
    line('network.allow: [{ host: "a.com:81" }]'),
  );
  assertEquals(
    denialRemedy({ kind: "env", name: "KEY" }),
    line('environment.allow: [{ key: "KEY" }]'),
  );
});
