import { assert, assertEquals, assertThrows } from "../../deps/assert.ts";
import { UserError } from "../errors.ts";
import { machine } from "../../test/support/machine.ts";
import type { CliContext } from "./context.ts";
import { refuseOverlaps, toMount } from "./mount_options.ts";

const LINUX = machine({
  "/data/in/a.csv": "",
  "/data/in/b/c": "",
  "/srv/app/out/x": "",
  "/home/ada/a,b/x": "",
  "/proc/1/x": "",
});
const WINDOWS = machine({ "C:\\data\\x": "" }, {
  ...{ os: "windows" as const, cwd: "C:\\app", home: "C:\\ada" },
});

const toMounts = (texts: string[], context: CliContext) =>
  texts.map((text) => toMount(text, context));

/** Asserts that a step throws an error of the user's that says this. */
function assertRefused(step: () => unknown, says: string): void {
  assertThrows(step, (error: unknown) => {
    assert(error instanceof UserError, String(error));
    assert(error.message.includes(says), error.message);
    return true;
  });
}

const READ: [string, [host: string, guest: string, isWritable: boolean]][] = [
  ["/data/in", ["/data/in", "/mnt/in", false]],
  ["/data/in/", ["/data/in", "/mnt/in", false]],
  ["out:rw", ["/srv/app/out", "/mnt/out", true]],
  ["out:/files", ["/srv/app/out", "/files", false]],
  ["out:/mnt/x/y:ro", ["/srv/app/out", "/mnt/x/y", false]],
  ["out:/mnt/x:rw", ["/srv/app/out", "/mnt/x", true]],
];
for (const [text, [host, guest, isWritable]] of READ) {
  Deno.test(`toMount() reads ${text}`, () => {
    assertEquals(toMount(text, LINUX), { host, guest, isWritable });
  });
}

Deno.test("toMount() takes a drive of Windows for part of the path", () => {
  const host = "C:\\data";
  for (
    const [text, guest, isWritable] of [
      ["C:\\data", "/mnt/data", false],
      ["C:\\data:rw", "/mnt/data", true],
      ["C:/data:/mnt/x:ro", "/mnt/x", false],
    ] as const
  ) {
    assertEquals(toMount(text, WINDOWS), { host, guest, isWritable });
  }
  assertRefused(() => toMount("C:\\", WINDOWS), "all of this");
});

const REFUSED: [string, string][] = [
  ["/none", '"/none" does not exist'],
  ["/data/in/a.csv", "not a folder: mount the folder that it is in"],
  ["/", "all of this machine"],
  ["/proc/1", "the system itself"],
  ["/home/ada/a,b", "comma"],
  ["out:/workspace", "Python's own"],
  ["out:/workspace/x", "Python's own"],
  ["out:/lib", "Python's own"],
  ["out:/tmp/x", "Python's own"],
  ["out:/mnt", "Python's own"],
  ["out:/", 'cannot have it at "/"'],
  ["out:mnt", 'cannot have it at "mnt"'],
  ["out:/mnt/../etc", "cannot have it"],
  ["out:", "cannot have it"],
  ["out:/mnt/a:rx", "no path may have a colon"],
  ["a:b:c:d", "no path may have a colon"],
  [":/mnt/x", "names no folder"],
];
for (const [text, message] of REFUSED) {
  Deno.test(`toMount() refuses ${text}`, () => {
    assertRefused(() => toMount(text, LINUX), message);
  });
}

Deno.test("refuseOverlaps() refuses two mounts of which one is in the other's place", () => {
  for (const guest of ["/mnt/in", "/mnt/in/x"]) {
    assertRefused(
      () =>
        refuseOverlaps(toMounts(["/data/in", `out:${guest}`], LINUX), LINUX),
      "another mount",
    );
  }
});

Deno.test("refuseOverlaps() refuses a read-only mount of what another one can write", () => {
  const links = { "/data/link": "/data/in/b", "/data/same": "/data/in" };
  const linked = {
    ...LINUX,
    isFolder: (path: string) => path in links || LINUX.isFolder(path),
    realPath: (path: string) =>
      Object.entries(links).find(([name]) => name === path)?.[1] ?? path,
  };
  for (const inner of ["/data/in/b", "/data/in", "/data/link", "/data/same"]) {
    const texts = ["/data/in:/mnt/outer:rw", `${inner}:/mnt/inner:ro`];
    for (const given of [texts, texts.toReversed()]) {
      assertRefused(
        () => refuseOverlaps(toMounts(given, linked), linked),
        "could change",
      );
    }
  }
  for (
    const texts of [
      ["/data/in:/mnt/outer:ro", "/data/in/b:/mnt/inner:rw"],
      ["/data/in:/mnt/outer:rw", "/data/in/b:/mnt/inner:rw"],
      ["/data/in:/mnt/outer:ro", "/data/in:/mnt/inner:ro"],
      ["/data/in/b:/mnt/b:rw", "out:/mnt/out:ro"],
    ]
  ) refuseOverlaps(toMounts(texts, linked), linked);
});
