import { assert, assertEquals, assertMatch } from "../../../deps/assert.ts";
import { archive, type Member } from "../../../test/support/archive.ts";
import { startInstaller } from "../../../test/support/installer_python.ts";
import { wheel, type WheelSpec } from "../../../test/support/wheel.ts";

const NAME = "mrp-fixture-odd";
const FILE = "mrp_fixture_odd-1.0-py3-none-any.whl";
const INFO = "mrp_fixture_odd-1.0.dist-info";
const METADATA = `Metadata-Version: 2.4\nName: ${NAME}\nVersion: 1.0\n`;
const WHEEL = "Wheel-Version: 1.0\nTag: py3-none-any\n";
const SYMBOLIC_LINK = 0o120777;

const { run, module } = await startInstaller();
const installer = module("unpack");

/** What came of a file: names to import, or an error. */
function unpack(bytes: Uint8Array, { file = FILE, place = "wheel" } = {}) {
  return JSON.parse(installer.unpack(file, place, bytes));
}

function odd(spec: Omit<WheelSpec, "name">): Uint8Array {
  return wheel({ name: NAME, ...spec }).bytes;
}

function withMember(member: Member): Uint8Array {
  return odd({ members: [member] });
}

/** Files that were written since, below the one folder where they may be. */
function writtenBy(work: () => void): string[] {
  const before = new Set(listFiles());
  work();
  return listFiles().filter((path) => !before.has(path));
}

/** Paths of all files that there are, but for what is not on a disk. */
function listFiles(): string[] {
  const found = run(`
import os
[os.path.join(folder, name) for folder, _, names in sorted(os.walk("/"))
 if not folder.startswith(("/proc", "/dev")) and "__pycache__" not in folder
 for name in sorted(names)]`);
  return Object(found).toJs();
}

/** A wheel of the names that make it one, and these. */
function raw(members: Member[], metadata = METADATA): Uint8Array {
  return archive([
    { path: `${INFO}/METADATA`, data: metadata },
    { path: `${INFO}/WHEEL`, data: WHEEL },
    ...members,
  ]);
}

/** Paths that lead out of a folder, somewhere. */
const OUTSIDE = [
  ...["/etc/passwd", "//etc/passwd", "../x.py", "a/../../x.py", "a/.."],
  ...["..", "../", "a\\..\\x.py", "\\x.py", "C:\\x.py", "x.py\0.txt", "/"],
  ...["x.data/purelib/../x.py", "x.data/scripts/../../x", "./../x.py"],
];

Deno.test("unpack() writes nothing for a path that leads out of its place", () => {
  for (const path of OUTSIDE) {
    let said: Record<string, unknown> = {};
    const written = writtenBy(() => said = unpack(raw([{ path }])));
    assertMatch(
      String(said.error),
      /it would write to ".*", outside its place/,
    );
    assertEquals(written.filter((it) => !it.includes("dist-info")), [], path);
  }
});

Deno.test("unpack() writes below one folder only, and makes no link", () => {
  const members: Member[] = [
    ...["a.py", "./b.py", "c//d.py", "e/./f.py", "folder/", "site.py"]
      .map((path) => ({ path })),
    { path: "link", data: "/etc", mode: SYMBOLIC_LINK },
    { path: "link2", data: "../../../../../../x", mode: SYMBOLIC_LINK },
    ...["purelib/p.py", "platlib/q.py", "scripts/s", "headers/h", "data/x"]
      .map((path) => ({ path: `odd-1.data/${path}` })),
    { path: "odd-1.data/purelib//etc/y.py" },
  ];
  const written = writtenBy(() =>
    assertEquals(unpack(raw(members)).error, undefined)
  );
  const site = "/installed/lib/python3.14/site-packages/";
  assert(written.every((path) => path.startsWith(site)), `${written}`);
  const names = written.map((path) => path.slice(site.length)).sort();
  assertEquals(names.filter((name) => !name.includes("dist-info")), [
    ...["a.py", "b.py", "c/d.py", "e/f.py", "etc/y.py", "link", "link2"],
    ...["p.py", "q.py", "site.py"],
  ]);
  for (const name of ["link", "link2"]) {
    const code = `import os; os.path.islink("${site}${name}")`;
    assertEquals(run(code), false);
  }
  const other = writtenBy(() => unpack(raw([{ path: "link/z.py" }])));
  assertEquals(other, []);
});

Deno.test("unpack() puts the files of a distribution in their places, and nowhere else", () => {
  const bytes = archive([{ path: "libx.so", data: "x" }]);
  const places = {
    dynlib: "/installed/usr/lib/libx.so",
    stdlib: "/installed/lib/python3.14/libx.so",
    site: "/installed/lib/python3.14/site-packages/libx.so",
  };
  for (const [place, path] of Object.entries(places)) {
    const written = writtenBy(() => unpack(bytes, { file: "x.zip", place }));
    assertEquals(written, [path]);
  }
  for (const place of ["", "/", "../x", "__class__"]) {
    const written = writtenBy(() => {
      const { error } = unpack(bytes, { file: "x.zip", place });
      assertMatch(error, /^Cannot unpack x\.zip: /);
    });
    assertEquals(written, []);
  }
});

/** What is refused, and what is said. */
const REFUSED: Record<string, [bytes: Uint8Array, says: RegExp]> = {
  "another name inside": [
    odd({ spoil: (text) => text.replace(NAME, "else") }),
    /^Cannot trust .*: inside it says that it is else 1\.0/,
  ],
  "no name inside": [
    odd({ spoil: (text) => text.replace(/^Name.*\n/m, "") }),
    /inside it says that it is {2}1\.0/,
  ],
  "another version inside": [
    odd({ spoil: (text) => text.replace("1.0", "1.1") }),
    /inside it says that it is mrp-fixture-odd 1\.1/,
  ],
  "a version inside that is none": [
    odd({ spoil: (text) => text.replace("1.0", "x") }),
    /inside it says that it is mrp-fixture-odd x/,
  ],
  "other tags inside": [
    odd({ tagInside: "cp314-cp314-win_amd64" }),
    /inside it says that it is for cp314-cp314-win_amd64/,
  ],
  "two .dist-info folders": [
    withMember({ path: "else-2.0.dist-info/WHEEL", data: WHEEL }),
    /it has 2 \.dist-info folders/,
  ],
  "METADATA larger than there may be": [
    raw([], METADATA + "\n".repeat(17 << 20)),
    /its mrp_fixture_odd-1\.0\.dist-info\/METADATA is larger than 16 MiB/,
  ],
  "more bytes than there may be": [
    withMember({ path: "zeros", saidSize: 2 ** 31 }),
    /it holds more than 2 GiB/,
  ],
  "more bytes in all than there may be": [
    odd({
      members: ["a", "b"].map((path) => ({ path, saidSize: 2 ** 30 + 1 })),
    }),
    /it holds more than 2 GiB/,
  ],
  "more files than there may be": [
    // The first is refused, too: to write them all would take long.
    raw(["..", ...Array(200_000).keys()].map((path) => ({ path: `${path}` }))),
    /or than 200000 files/,
  ],
  "a name of too many bytes": [
    withMember({ path: `x/${"數".repeat(86)}` }),
    /a file name has more than 255 bytes/,
  ],
  "bytes that become a thousand times as many": [
    withMember({
      path: "zeros",
      data: new Uint8Array(150_000_000),
      deflate: true,
    }),
    /its [\d,]+ bytes would become 150,0[\d,]+, which is a trap/,
  ],
  "more bytes than it says": [
    withMember({
      ...{ path: "zeros", data: new Uint8Array(10_000) },
      ...{ deflate: true, saidSize: 10 },
    }),
    /Bad CRC-32 for file 'zeros'/,
  ],
  "encrypted files": [
    withMember({ path: "x", encrypted: true }),
    /is encrypted/,
  ],
  "what is no archive": [new Uint8Array(100), /not a zip file/],
};

Deno.test("unpack() refuses what is not what its name says, and bombs", async (test) => {
  for (const [name, [bytes, says]] of Object.entries(REFUSED)) {
    await test.step(name, () => {
      const written = writtenBy(() => assertMatch(unpack(bytes).error, says));
      const outside = written.filter((path) => !path.startsWith("/installed/"));
      assertEquals(outside, []);
    });
  }
});

Deno.test("unpack() names what import knows, and collect() gives all that it wrote", () => {
  const { imports } = unpack(raw([
    ...["top.py", "package/__init__.py", "native.so", "data.txt", "not-it.py"]
      .map((path) => ({ path })),
    { path: "again.py", data: "first" },
    { path: "again.py", data: "second" },
  ]));
  assertEquals(imports, ["again", "native", "package", "top"]);
  const files: [string, Uint8Array][] = installer.collect();
  const collected = new Map(files);
  const paths = [...collected.keys()];
  assert(paths.every((path) => !/^\/|\.\./.test(path)));
  const again = collected.get("lib/python3.14/site-packages/again.py");
  assertEquals(new TextDecoder().decode(again), "second");
});
