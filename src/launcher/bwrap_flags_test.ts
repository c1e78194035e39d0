import { assert, assertEquals } from "../../deps/assert.ts";
import { toBwrapFlags } from "./bwrap_flags.ts";

const NOTHING = { paths: [], folders: [], links: {}, variables: {} };

/** The values behind each flag of a name; each has as many. */
function valuesOf(flags: string[], name: string, count: number): string[][] {
  return flags.flatMap((flag, at) =>
    flag === name ? [flags.slice(at + 1, at + 1 + count)] : []
  );
}

Deno.test("toBwrapFlags() says all this of a process that has nothing", () => {
  assertEquals(toBwrapFlags(NOTHING), [
    ...["--unshare-all", "--unshare-user", "--unshare-cgroup"],
    ...["--hostname", "sandbox", "--die-with-parent", "--new-session"],
    ...["--cap-drop", "ALL", "--clearenv", "--proc", "/proc", "--dev", "/dev"],
    ...["--remount-ro", "/", "--chdir", "/", "--"],
  ]);
});

Deno.test("toBwrapFlags() shares no namespace, capability or variable", () => {
  const flags = toBwrapFlags(NOTHING);
  for (
    const flag of [
      "--unshare-all",
      "--unshare-user",
      "--clearenv",
      "--die-with-parent",
      "--new-session",
    ]
  ) assert(flags.includes(flag), flag);
  assertEquals(flags.filter((flag) => flag.startsWith("--share")), []);
  assertEquals(valuesOf(flags, "--cap-drop", 1), [["ALL"]]);
  assertEquals(valuesOf(flags, "--setenv", 2), []);
});

Deno.test("toBwrapFlags() shares the network only if that is said", () => {
  const flags = toBwrapFlags({ ...NOTHING, network: true });
  assertEquals(
    flags.filter((flag) => flag.startsWith("--share")),
    ["--share-net"],
  );
  assert(flags.indexOf("--unshare-all") < flags.indexOf("--share-net"));
});

Deno.test("toBwrapFlags() shows each path once, read-only and where it is", () => {
  const paths = ["/-x,y", "/a b/c", "/tmp/it's"];
  const flags = toBwrapFlags({ ...NOTHING, paths });
  assertEquals(
    valuesOf(flags, "--ro-bind", 2),
    paths.map((path) => [path, path]),
  );
  assertEquals(flags.filter((flag) => /^--(dev-)?bind/.test(flag)), []);
});

Deno.test("toBwrapFlags() lets be written only what is writable", () => {
  const view = { ...NOTHING, paths: ["/ro"], writable: ["/rw"] };
  const flags = toBwrapFlags(view);
  assertEquals(valuesOf(flags, "--bind", 2), [["/rw", "/rw"]]);
  assertEquals(valuesOf(flags, "--ro-bind", 2), [["/ro", "/ro"]]);
});

Deno.test("toBwrapFlags() makes its own folders before what may be below them, and closes the root last", () => {
  const flags = toBwrapFlags({
    ...NOTHING,
    folders: ["/tmp", "/tmp/a"],
    paths: ["/tmp/a/b"],
  });
  assertEquals(valuesOf(flags, "--tmpfs", 1), [["/tmp"], ["/tmp/a"]]);
  assert(flags.indexOf("--tmpfs") < flags.indexOf("--ro-bind"));
  assert(flags.indexOf("--ro-bind") < flags.indexOf("--remount-ro"));
  assertEquals(flags.at(-1), "--");
});

Deno.test("toBwrapFlags() gives links and variables as they are", () => {
  const flags = toBwrapFlags({
    ...NOTHING,
    links: { "/lib": "usr/lib" },
    variables: { DENO_DIR: "/a b=c" },
  });
  assertEquals(valuesOf(flags, "--symlink", 2), [["usr/lib", "/lib"]]);
  assertEquals(valuesOf(flags, "--setenv", 2), [["DENO_DIR", "/a b=c"]]);
});

Deno.test("toBwrapFlags() covers paths behind what holds them", () => {
  const flags = toBwrapFlags({
    ...NOTHING,
    ...{ paths: ["/ro"], writable: ["/rw"] },
    covers: [
      { path: "/rw/a/secret", isFolder: true, isHidden: true },
      { path: "/ro/key", isFolder: false, isHidden: true },
      { path: "/rw/kept", isFolder: false, isHidden: false },
    ],
  });
  const from = flags.indexOf("/ro") - 1;
  assertEquals(flags.slice(from, -5), [
    ...["--ro-bind", "/ro", "/ro", "--bind", "/rw", "/rw"],
    ...["--ro-bind", "/dev/null", "/ro/key"],
    ...["--ro-bind", "/rw/kept", "/rw/kept"],
    ...["--perms", "0000", "--tmpfs", "/rw/a/secret"],
  ]);
});
