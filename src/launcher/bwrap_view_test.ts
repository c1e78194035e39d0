import { assertEquals } from "../../deps/assert.ts";
import { type CommonView, toView } from "./bwrap_flags.ts";

const COMMON: CommonView = {
  ...{ paths: ["/usr/lib"], folders: ["/tmp"], links: { "/lib": "usr/lib" } },
  variables: { NO_COLOR: "1" },
  network: { paths: ["/etc/hosts"], variables: { DENO_CERT: "/ca.pem" } },
};
const PLACES = {
  ...{ cache: ["/c"], environment: ["/c/e"], runtime: ["/p"] },
  ...{ program: ["/s", "/d"], sources: ["/w"], hosts: [] },
};

Deno.test("toView() shows the environment, the engine and the program, and nothing else of the cache", () => {
  assertEquals(toView(COMMON, PLACES), {
    paths: ["/usr/lib", "/c/e", "/p", "/s", "/d"],
    ...{ writable: [], folders: ["/tmp"], links: { "/lib": "usr/lib" } },
    ...{ variables: { NO_COLOR: "1" }, network: false },
  });
});

Deno.test("toView() shares the network, and what it takes, only if a host is granted", () => {
  assertEquals(toView(COMMON, { ...PLACES, hosts: ["example.com"] }), {
    paths: ["/usr/lib", "/c/e", "/p", "/s", "/d", "/etc/hosts"],
    ...{ writable: [], folders: ["/tmp"], links: { "/lib": "usr/lib" } },
    variables: { NO_COLOR: "1", DENO_CERT: "/ca.pem" },
    network: true,
  });
});

Deno.test("toView() lets mounts be written only if they are writable", () => {
  const mounts = { mounts: ["/ro", "/rw"], writableMounts: ["/rw"] };
  const { paths, writable } = toView(COMMON, { ...PLACES, ...mounts });
  assertEquals(paths.slice(-1), ["/ro"]);
  assertEquals(paths.length, 6);
  assertEquals(writable, ["/rw"]);
});

Deno.test("toView() covers what is denied", () => {
  const covers = [{ path: "/m/a", isFolder: true, isHidden: true }];
  assertEquals(toView(COMMON, { ...PLACES, covers }).covers, covers);
});
