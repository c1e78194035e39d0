/**
 * Phase 1 over real processes, against a package index on loopback.
 *
 * The packages have names that no other source has, so that none is asked.
 *
 * @module
 */
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { makeCache, type TestCache } from "./support/cache.ts";
import {
  brokenOff,
  html,
  type IndexOptions,
  startIndex,
  type TestIndex,
} from "./support/index_server.ts";
import { WITHOUT_NET } from "./support/command.ts";
import { someOf } from "./support/rounds.ts";
import { startServer } from "./support/server.ts";
import { hash, type IndexFile, wheel } from "./support/wheel.ts";

const good = wheel({ name: "mrp-fixture-good" });

/** What to install from where; ORIGIN in a requirement is the index's. */
function options({ url }: TestIndex, ...dependencies: string[]): string[] {
  const list = dependencies.join(",").replace("ORIGIN", new URL(url).origin);
  return ["--index-url", url, "--deps", list];
}

Deno.test("dependencies, extras and ranges are installed, and start again without a network", async () => {
  await using cache = await makeCache();
  let wanted: string[];
  {
    await using index = startIndex([
      wheel({
        name: "mrp-fixture-one",
        requires: [
          "mrp-fixture-two<2",
          'mrp-fixture-four; extra == "more"',
          'mrp-fixture-absent; sys_platform == "win32"',
        ],
        extras: ["more"],
      }),
      wheel({ name: "mrp-fixture-two", version: "1.10" }),
      wheel({
        name: "mrp-fixture-two",
        version: "1.9",
        requires: ["mrp-fixture-absent"],
      }),
      wheel({ name: "mrp-fixture-two", version: "2.0" }),
      wheel({ name: "mrp-fixture-four", requires: ["mrp-fixture-one"] }),
    ]);
    wanted = options(index, "MRP_Fixture.One[more]>=1,<2");
    const installed = await cache.command([...wanted, "install"]);
    assertEquals(installed.code, 0, installed.stderr);
    assertMatch(
      installed.stdout,
      /^Python 3.*\nmrp-fixture-four 1.0\nmrp-fixture-one 1.0\nmrp-fixture-two 1.10\nin .*\n$/,
    );
    assert(installed.stdout.includes(`in ${cache.folder}`));
    assertMatch(installed.stderr, /^Resolving MRP_Fixture.One\[more\]>=1,<2$/m);
  }
  const code = `
from importlib.metadata import version
import mrp_fixture_one, mrp_fixture_two, mrp_fixture_four
print(mrp_fixture_one.__file__, mrp_fixture_two.version, version("mrp-fixture-four"))`;
  const run = await cache.command([...wanted, "--offline", "run", "-c", code], {
    flags: WITHOUT_NET,
  });
  assertEquals(run.stderr, "");
  assertEquals(
    run.stdout,
    "/lib/python3.14/site-packages/mrp_fixture_one/__init__.py 1.10 1.0\n",
  );
});

Deno.test("what is wanted twice is installed once, in a version for all", async () => {
  await using cache = await makeCache();
  await using index = startIndex([
    wheel({ name: "mrp-fixture-new", requires: ["mrp-fixture-shared"] }),
    wheel({ name: "mrp-fixture-old", requires: ["mrp-fixture-shared<2"] }),
    wheel({ name: "mrp-fixture-shared", version: "1.0", extras: ["more"] }),
    wheel({
      name: "mrp-fixture-shared",
      version: "1.5",
      extras: ["more"],
      requires: ['mrp-fixture-good; extra == "more"'],
    }),
    wheel({ name: "mrp-fixture-shared", version: "2.0" }),
    wheel({ name: "mrp-fixture-more", requires: ["mrp-fixture-shared[more]"] }),
    good,
  ]);
  const names = ["new", "old", "more"].map((name) => `mrp-fixture-${name}`);
  const first = await cache.command([...options(index, ...names), "install"]);
  assertEquals(first.code, 0, first.stderr);
  assertEquals(first.stdout.split("\n").slice(1, -2), [
    "mrp-fixture-good 1.0",
    "mrp-fixture-more 1.0",
    "mrp-fixture-new 1.0",
    "mrp-fixture-old 1.0",
    "mrp-fixture-shared 1.5",
  ]);
  const repeated = index.requests.filter((path, at, all) =>
    all.indexOf(path) !== at
  );
  assertEquals(repeated, []);

  // In another order it is the same environment, and nobody is asked.
  index.requests.length = 0;
  const wanted = options(index, ...names.reverse());
  const second = await cache.command([...wanted, "install"]);
  assertEquals(second.stdout, first.stdout);
  assertEquals(index.requests, []);
});

Deno.test("an index may answer in HTML, and not have what it announces", async () => {
  await using cache = await makeCache();
  await using index = startIndex([good], {
    form: "html",
    metadata: "only announced",
  });
  const wanted = options(index, "mrp-fixture-good");
  const run = await cache.command([
    ...wanted,
    "run",
    "-c",
    "import mrp_fixture_good",
  ]);
  assertEquals(run.code, 0, run.stderr);
});

Deno.test("the tool's description lists the packages asked for with their import names, and a resource all", async () => {
  await using cache = await makeCache();
  await using index = startIndex([
    good,
    wheel({
      name: "mrp-fixture-odd",
      version: "2.1",
      requires: ["mrp-fixture-good"],
      files: { "strange/__init__.py": "", "single_file.py": "name = __name__" },
    }),
  ]);
  await using server = await startServer([
    ...["--cache-dir", cache.folder],
    ...options(index, "mrp-fixture-odd"),
  ]);
  const result = await server.call("import single_file\nsingle_file.name");
  assertEquals(result.returnValue, "single_file", result.text);
  const { tools } = await server.client.listTools();
  assertMatch(
    String(tools[0]?.description),
    /library: mrp-fixture-odd 2\.1 \(import mrp_fixture_odd, single_file, strange\)\. So are the .* resource run-python:\/\/packages lists all\.$/,
  );
  const { resources: [listed] } = await server.client.listResources();
  assertEquals(listed?.uri, "run-python://packages");
  const { contents } = await server.client.readResource(listed);
  assertEquals(contents.map((one) => "text" in one && JSON.parse(one.text)), [[
    { name: "mrp-fixture-good", version: "1.0", imports: ["mrp_fixture_good"] },
    {
      ...{ name: "mrp-fixture-odd", version: "2.1" },
      imports: ["mrp_fixture_odd", "single_file", "strange"],
    },
  ]]);
});

Deno.test("phase 1 executes nothing of a package", async () => {
  await using cache = await makeCache();
  const loud = `
import os
os.makedirs("/installed/mark")
open("/installed/mark/left", "w").close()
raise RuntimeError("executed")
`;
  await using index = startIndex([
    wheel({
      name: "mrp-fixture-loud",
      files: {
        "mrp_fixture_loud/__init__.py": loud,
        "mrp_fixture_loud/broken.py": "not Python",
        "sitecustomize.py": loud,
        "zipfile.py": loud,
        "unpack.py": loud,
        "mrp_fixture_loud.pth": "import mrp_fixture_loud\n",
      },
    }),
  ]);
  const wanted = options(index, "mrp-fixture-loud");
  const installed = await cache.command([...wanted, "install"]);
  assertEquals(installed.code, 0, installed.stderr);
  const list = `
import pathlib, site
print(list(pathlib.Path(site.getsitepackages()[0]).rglob("left")))
import mrp_fixture_loud`;
  const run = await cache.command([...wanted, "run", "-c", list]);
  assertEquals(run.stdout, "[]\n");
  assertMatch(run.stderr, /RuntimeError: executed/);
  assertEquals(run.code, 1);
});

/** A command line that cannot be obeyed, with what it should say. */
interface BadCase extends IndexOptions {
  deps: string[];
  files?: IndexFile[];
  says: RegExp;
  code?: number;
}

const bad = wheel({ name: "mrp-fixture-bad" });
const asked = {
  page: "/simple/mrp-fixture-bad/",
  file: `/files/${bad.filename}`,
};
const deps = ["mrp-fixture-bad"];
const sdist: IndexFile = {
  project: "mrp-fixture-bad",
  version: "1.0",
  filename: "mrp_fixture_bad-1.0.tar.gz",
  bytes: new Uint8Array(),
};
const NOT_A_LIST =
  /^Cannot find "mrp-fixture-bad"\. Tried .*the package index at 127\.0\.0\.1:\d+: its answer for "mrp-fixture-bad" is not a list of files .*login page.*--index-url/;

const BAD: Record<string, BadCase> = {
  "a requirement that does not parse": {
    deps: ["mrp-fixture-bad=>1"],
    says:
      /^Cannot read requirement "mrp-fixture-bad=>1": .*\. Write it like "name"/,
    code: 2,
  },
  "a requirement that is a path": {
    deps: ["./mrp_fixture_bad.whl"],
    says: /^Cannot read requirement "\.\/mrp_fixture_bad.whl": /,
    code: 2,
  },
  "a package that does not exist": {
    deps,
    says:
      /^Cannot find a package named "mrp-fixture-bad"\. Tried .*: no such project\. Check its spelling/,
  },
  "a dependency that does not exist": {
    deps,
    files: [
      wheel({ name: "mrp-fixture-bad", requires: ["mrp-fixture-gone"] }),
    ],
    says:
      /^Cannot find a package named "mrp-fixture-gone" \(needed by mrp-fixture-bad 1\.0\)\./,
  },
  "a version that does not exist": {
    deps: ["mrp-fixture-bad>=9"],
    files: [bad],
    says:
      /^Cannot find a version of mrp-fixture-bad that satisfies "mrp-fixture-bad>=9": the newest is 1\.0/,
  },
  "an extra that does not exist": {
    deps: ["mrp-fixture-bad[gone]"],
    files: [bad],
    says:
      /^Cannot install "mrp-fixture-bad\[gone\]" as mrp-fixture-bad 1\.0 has no extra "gone"; it has: none\.$/,
  },
  "a package of Linux wheels": {
    deps,
    files: [
      wheel({
        name: "mrp-fixture-bad",
        tag: "cp314-cp314-manylinux_2_28_x86_64",
      }),
      sdist,
    ],
    says:
      /^Cannot install "mrp-fixture-bad" as no source has a wheel of it that can be used\. Tried .*the package index at 127\.0\.0\.1:\d+: no wheel that runs in WebAssembly \(1\.0\)\. Choose another/,
  },
  "a package of sources alone": {
    deps,
    files: [sdist],
    form: "html",
    says: /^Cannot install "mrp-fixture-bad" .*: only its source \(1\.0\)\./,
  },
  "two requirements that exclude each other": {
    deps: ["mrp-fixture-left", "mrp-fixture-right"],
    files: [
      wheel({ name: "mrp-fixture-left", requires: ["mrp-fixture-bad<2"] }),
      wheel({ name: "mrp-fixture-right", requires: ["mrp-fixture-bad>=2"] }),
      wheel({ name: "mrp-fixture-bad", version: "1.0" }),
      wheel({ name: "mrp-fixture-bad", version: "2.0" }),
    ],
    says:
      /^Cannot find one version of mrp-fixture-bad for all: (?=.*"mrp-fixture-bad<2" by mrp-fixture-left 1\.0)(?=.*"mrp-fixture-bad>=2" by mrp-fixture-right 1\.0).* Change or leave out one/,
  },
  "an index that fails": {
    deps,
    answers: { [asked.page]: () => html("Internal error", 500) },
    says:
      /^Cannot find "mrp-fixture-bad"\. Tried .*the package index at 127\.0\.0\.1:\d+: it answered with status 500\. .*--index-url/,
  },
  "an index that is a web page": {
    deps,
    answers: { [asked.page]: () => html('<a href="#">Log in</a>') },
    says: NOT_A_LIST,
  },
  "an index whose list is none": {
    deps,
    answers: { [asked.page]: () => Response.json({ files: [{}] }) },
    says: NOT_A_LIST,
  },
  "a wheel that is not on the server": {
    deps,
    files: [bad],
    answers: { [asked.file]: () => html("Gone", 404) },
    says:
      /^Cannot download mrp_fixture_bad-1\.0-py3-none-any\.whl from 127\.0\.0\.1:\d+: it answered with status 404\. Try again/,
  },
  "a wheel whose download breaks off": {
    deps,
    files: [bad],
    answers: { [asked.file]: () => brokenOff(bad.bytes) },
    says:
      /^Cannot download mrp_fixture_bad-1\.0-py3-none-any\.whl from 127\.0\.0\.1:\d+: .*\. Try again/,
  },
  "a wheel with a wrong hash": {
    deps,
    files: [{ ...bad, sha256: hash("something else") }],
    says: RegExp(
      `^Cannot trust ${bad.filename}: its sha256 is ${
        hash(bad.bytes)
      }, and should be ${hash("something else")}\\. Try again`,
    ),
  },
  "an address with a wrong hash": {
    deps: [
      `mrp-fixture-bad @ ORIGIN/files/${bad.filename}#sha256=${hash("else")}`,
    ],
    files: [bad],
    says: RegExp(`^Cannot trust ${bad.filename}: .* be ${hash("else")}\\.`),
  },
  "a wheel that is cut short": {
    deps,
    files: [{
      ...bad,
      bytes: bad.bytes.slice(0, -30),
      sha256: hash(bad.bytes),
    }],
    says: /^Cannot trust mrp_fixture_bad-1\.0-py3-none-any\.whl: /,
  },
  "a wheel that was published broken": {
    deps,
    files: [{ ...bad, bytes: bad.bytes.slice(0, -30) }],
    says:
      /^Cannot install mrp-fixture-bad 1\.0 from the package index at .*: File is not a zip file\. Try again, or choose another version or source/,
  },
  "a wheel that would write outside its place": {
    deps,
    files: [wheel({
      name: "mrp-fixture-bad",
      files: { "../../../outside.py": "" },
    })],
    says:
      /^Cannot unpack mrp_fixture_bad-1\.0-py3-none-any\.whl: it would write to "\.\.\/\.\.\/\.\.\/outside\.py", outside its place/,
  },
  "a wheel that is another version inside": {
    deps,
    files: [{
      ...bad,
      version: "2.0",
      filename: "mrp_fixture_bad-2.0-py3-none-any.whl",
    }],
    says:
      /^Cannot trust mrp_fixture_bad-2\.0-py3-none-any\.whl: inside it says that it is mrp-fixture-bad 1\.0\.$/,
  },
  "a wheel that is for another system inside": {
    deps,
    files: [{
      ...wheel({ name: "mrp-fixture-bad", tag: "cp314-cp314-win_amd64" }),
      filename: bad.filename,
    }],
    says:
      /^Cannot trust mrp_fixture_bad-1\.0-py3-none-any\.whl: inside it says that it is for cp314-cp314-win_amd64\.$/,
  },
  "a wheel that says that it is huge inside": {
    deps,
    files: [{ ...bad, bytes: bomb(bad.bytes) }],
    says:
      /^Cannot unpack mrp_fixture_bad-1\.0-py3-none-any\.whl: it holds more than 2 GiB/,
  },
  "a wheel that holds a file and a folder of one name": {
    deps,
    files: [wheel({
      name: "mrp-fixture-bad",
      files: { "thing": "", "thing/part.py": "" },
    })],
    says: /^Cannot unpack mrp_fixture_bad-1\.0-py3-none-any\.whl: .*\. Choose/,
  },
};

/** Of each process that refuses, and of each step. */
const FEW_BAD = [
  ...["a requirement that does not parse", "a dependency that does not exist"],
  ...["a package of Linux wheels", "two requirements that exclude each other"],
  ...["an index that is a web page", "a wheel whose download breaks off"],
  ...["a wheel with a wrong hash", "a wheel that was published broken"],
  "a wheel that would write outside its place",
];

/** Makes an archive's first member one of nearly 4 GiB, in its directory. */
function bomb(archive: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const bytes = archive.slice();
  const view = new DataView(bytes.buffer);
  for (let at = 0; at < bytes.length; at++) {
    if (view.getUint32(at) !== 0x504b0102) continue;
    view.setUint32(at + 24, 0xfffffff0, true);
    return bytes;
  }
  throw new Error("It has no directory");
}

Deno.test("what cannot be installed is said in a sentence, and harms nothing", async (test) => {
  await using cache = await makeCache();
  const untouched = cache.entries();
  for (
    const [name, { deps, files = [], says, code = 1, ...how }] of someOf(
      BAD,
      FEW_BAD,
    )
  ) {
    await test.step(name, async () => {
      await cache.forgetWheels();
      await using index = startIndex(files, how);
      const wanted = options(index, ...deps);
      assertRefused(await cache.command([...wanted, "install"]), says, code);
      assertEquals(cache.entries(), untouched);
    });
  }
  await test.step("no network", async () => {
    const index = startIndex([]);
    await index[Symbol.asyncDispose]();
    const wanted = options(index, ...deps);
    assertRefused(
      await cache.command([...wanted, "install"]),
      /^Cannot find "mrp-fixture-bad"\. Tried .*the package index at 127\.0\.0\.1:\d+: .*refused.*\. Check the network/,
      1,
    );
  });
  await test.step("then a good one", () => installsGood(cache));
});

async function installsGood(cache: TestCache): Promise<void> {
  await using index = startIndex([good]);
  const wanted = options(index, "mrp-fixture-good");
  const { code, stderr } = await cache.command([...wanted, "install"]);
  assertEquals(code, 0, stderr);
}

function assertRefused(
  { code, stdout, stderr }: Awaited<ReturnType<TestCache["command"]>>,
  says: RegExp,
  exitCode: number,
): void {
  const told = stderr.trim().split("\n").filter((line) =>
    !/^(Resolving|Downloaded|Copied|Compiling$|warning:) /.test(line)
  );
  assertEquals(told.length, 1, stderr);
  assertMatch(String(told[0]).replace(/^error: /, ""), says);
  assertEquals([code, stdout], [exitCode, ""]);
}
