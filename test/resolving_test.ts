/**
 * Which versions are chosen, and why none is: over the real command, with a
 * package index on loopback.
 *
 * @module
 */
import { withEnd } from "./support/with_end.ts";
import { join } from "node:path";
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { findPyodide } from "../src/engines/pyodide/runtime.ts";
import { makeCache } from "./support/cache.ts";
import { startIndex } from "./support/index_server.ts";
import { someOf } from "./support/rounds.ts";
import { told, versions } from "./support/told.ts";
import {
  hash,
  type IndexFile,
  wheel,
  type WheelSpec,
} from "./support/wheel.ts";

/** A wheel of a fixture; `@` in what it requires stands for the common start of all names. */
function fixture(
  name: string,
  version: string,
  requires: string[] = [],
  more: Partial<WheelSpec> = {},
): IndexFile {
  return wheel({
    name: full(name),
    version,
    requires: requires.map(spell),
    ...more,
  });
}

function spell(requirement: string): string {
  return requirement.replace(/@(?=\w)/g, "mrp-fixture-");
}

function full(name: string): string {
  return `mrp-fixture-${name}`;
}

function source(name: string, version: string): IndexFile {
  const file = fixture(name, version);
  return {
    ...file,
    filename: file.filename.replace("-py3-none-any.whl", ".tar.gz"),
  };
}

/** Requirements that have an answer, with the wheels that they need. */
interface GoodCase {
  files: IndexFile[];
  deps: string[];
  constraints?: string[];
  /** Versions, by the end of their name. */
  gives: Record<string, string>;
  warns?: RegExp;
  /** Files that are downloaded, or not. */
  takes?: RegExp;
  leaves?: RegExp;
}

const MANY = Array.from({ length: 200 }, (_, at) => at);
const old = fixture("url", "1.0");

const GOOD: Record<string, GoodCase> = {
  "the newest gives way to an older one where it clashes": {
    deps: ["@back", "@bound"],
    files: [
      fixture("back", "2.0", ["@base>=2"]),
      fixture("back", "1.0", ["@base<2"]),
      fixture("bound", "1.0", ["@base<2"]),
      fixture("base", "1.0"),
      fixture("base", "2.0"),
    ],
    gives: { back: "1.0", bound: "1.0", base: "1.0" },
  },
  "what clashes for a while may be right at last": {
    deps: ["@while", "@while-late", "@while-may"],
    files: [
      fixture("while", "2.0"),
      fixture("while", "1.0"),
      fixture("while-may", "2.0", ["@while>=2"]),
      fixture("while-may", "1.0"),
      fixture("while-late", "1.0", ["@while==1.0"]),
      fixture("while-late", "0.5"),
    ],
    gives: { "while": "1.0", "while-late": "1.0", "while-may": "1.0" },
  },
  "constraints bound what is wanted by others, and want nothing": {
    deps: ["@held"],
    constraints: ["@held-dep<2", "@never==1", '@held<1; sys_platform=="win32"'],
    files: [
      fixture("held", "1.0", ["@held-dep"]),
      fixture("held-dep", "2.0"),
      fixture("held-dep", "1.0"),
    ],
    gives: { held: "1.0", "held-dep": "1.0" },
  },
  "versions before a release count if they are asked for, or nothing else is there":
    {
      deps: ["@pre", "@pre-only", "@pre-asked>=2.0a0"],
      files: [
        fixture("pre", "1.0"),
        fixture("pre", "2.0rc1"),
        fixture("pre-only", "1.0a1"),
        fixture("pre-asked", "1.0"),
        fixture("pre-asked", "2.0b1"),
      ],
      gives: { pre: "1.0", "pre-only": "1.0a1", "pre-asked": "2.0b1" },
    },
  "a yanked version is taken only if exactly it is meant, with a warning": {
    deps: ["@yanked", "@yanked-meant==2.0"],
    files: [
      fixture("yanked", "1.0"),
      { ...fixture("yanked", "2.0"), says: { yanked: true } },
      fixture("yanked-meant", "1.0"),
      {
        ...fixture("yanked-meant", "2.0"),
        says: { yanked: "it was a mistake" },
      },
    ],
    gives: { yanked: "1.0", "yanked-meant": "2.0" },
    warns:
      /^warning: mrp-fixture-yanked-meant 2\.0 was yanked from the package index at \S+: it was a mistake$/m,
  },
  "versions for another Python are skipped, whoever says so": {
    deps: ["@python", "@python-inside", "@python-nonsense"],
    files: [
      fixture("python", "1.0"),
      fixture("python", "2.0", [], { requiresPython: "<3" }),
      fixture("python-inside", "1.0"),
      {
        ...fixture("python-inside", "2.0", [], { requiresPython: "<3" }),
        says: {},
      },
      fixture("python-nonsense", "1.0", [], { requiresPython: "any!" }),
    ],
    gives: { python: "1.0", "python-inside": "1.0", "python-nonsense": "1.0" },
    warns:
      /^warning: Taking mrp-fixture-python-inside 1\.0, as 2\.0 needs Python <3, which cannot be had$/m,
    leaves: /mrp_fixture_python-2\.0/,
  },
  "the latest build counts, as a number": {
    deps: ["@build"],
    files: ["2", "10", ""].map((build) =>
      fixture("build", "1.0", [], build ? { build } : {})
    ),
    gives: { build: "1.0" },
    takes: /build-1\.0-10-py3/,
    leaves: /build-1\.0-(2-)?py3/,
  },
  "the wheel that is closest to this Python counts": {
    deps: ["@tag"],
    files: [
      "py3-none-any",
      "py2.py3-none-any",
      "cp314-cp314-manylinux_2_17_x86_64",
      "cp314-none-any",
      "py2-none-any",
    ].map((tag) => fixture("tag", "1.0", [], { tag })),
    gives: { tag: "1.0" },
    takes: /tag-1\.0-cp314-none-any/,
    leaves: /tag-1\.0-(py|cp314-cp314)/,
  },
  "a version whose dependency cannot be had gives way, with a warning": {
    deps: ["@lacks"],
    files: [
      fixture("lacks", "2.0", ["@lacks-more"]),
      fixture("lacks", "1.0"),
      fixture("lacks-more", "1.0", ["@lacks-source"]),
      source("lacks-source", "1.0"),
    ],
    gives: { lacks: "1.0" },
    warns:
      /^warning: Taking mrp-fixture-lacks 1\.0, as 2\.0 needs mrp-fixture-lacks-more, which cannot be had$/m,
  },
  "an extra that cannot be had harms only who asks for it": {
    deps: ["@plain", "@plain-user"],
    files: [
      fixture("plain", "1.0", ['@gone; extra == "more"'], { extras: ["more"] }),
      fixture("plain-user", "2.0", ["@plain[more]"]),
      fixture("plain-user", "1.0"),
    ],
    gives: { plain: "1.0", "plain-user": "1.0" },
    warns: /^warning: Taking mrp-fixture-plain-user 1\.0, as 2\.0 needs /m,
  },
  "extras ask for extras, of themselves and of others": {
    deps: ["@extras[ALL]"],
    files: [
      fixture("extras", "1.0", [
        '@extras[first,sec-ond]; extra == "all"',
        '@extras-first; extra == "first"',
        '@extras-second[deep]; extra == "sec_ond"',
        '@gone; extra == "other"',
      ], { extras: ["all", "first", "Sec.Ond", "other"] }),
      fixture("extras-first", "1.0", ["@extras[unknown]"]),
      fixture("extras-second", "1.0", ['@extras-deep; extra == "deep"'], {
        extras: ["deep"],
      }),
      fixture("extras-deep", "1.0"),
    ],
    gives: {
      extras: "1.0",
      "extras-first": "1.0",
      "extras-second": "1.0",
      "extras-deep": "1.0",
    },
  },
  "extras of one project are of one version": {
    deps: ["@some-new", "@some-old"],
    files: [
      fixture("some", "1.0", [], { extras: ["x", "y"] }),
      fixture("some", "2.0", [], { extras: ["x", "y"] }),
      fixture("some-new", "1.0", ["@some[x]"]),
      fixture("some-old", "1.0", ["@some[y]<2"]),
    ],
    gives: { some: "1.0", "some-new": "1.0", "some-old": "1.0" },
  },
  "markers are those of this Python": {
    deps: ["@marked", '@gone; python_version < "3.14"'],
    files: [
      fixture("marked", "1.0", [
        '@marked-dep; sys_platform == "emscripten" and python_version >= "3.14"',
        '@gone; sys_platform != "emscripten"',
        '@gone; platform_machine == "x86_64"',
        '@gone; os_name == "nt" or implementation_name != "cpython"',
      ]),
      fixture("marked-dep", "1.0"),
    ],
    gives: { marked: "1.0", "marked-dep": "1.0" },
  },
  "a name is the same in all its spellings": {
    deps: ["MRP_Fixture.Spel--ling"],
    files: [
      fixture("spel-ling", "1.0", ["mrp.FIXTURE_spelt"]),
      fixture("spelt", "1.0", ["mrp_fixture-Spel_Ling (>=1.0)"]),
    ],
    gives: { "spel-ling": "1.0", spelt: "1.0" },
  },
  "an address stands for its version": {
    deps: [
      `@url @ ORIGIN/files/${old.filename}#sha256=${
        hash(old.bytes).toUpperCase()
      }`,
      "@url-user",
    ],
    files: [
      old,
      fixture("url", "2.0"),
      fixture("url-user", "1.0", ["@url[gone]>=0.5"]),
    ],
    gives: { url: "1.0", "url-user": "1.0" },
  },
  "a bare address has a name": {
    deps: ["ORIGIN/files/mrp_fixture_bare-1.0-py3-none-any.whl"],
    files: [fixture("bare", "1.0")],
    gives: { bare: "1.0" },
  },
  "metadata may have an author of another time": {
    deps: ["@latin"],
    files: [
      fixture("latin", "1.0", ["@latin-dep"], {
        spoil: (text) => latin1(`Author: Jos\u00e9\n${text}`),
      }),
      fixture("latin-dep", "1.0"),
    ],
    gives: { latin: "1.0", "latin-dep": "1.0" },
  },
  "two hundred in a circle are two hundred": {
    deps: ["@chain-0"],
    files: MANY.map((at) =>
      fixture(`chain-${at}`, "1.0", [`@chain-${(at + 1) % MANY.length}`])
    ),
    gives: Object.fromEntries(MANY.map((at) => [`chain-${at}`, "1.0"])),
  },
};

function latin1(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text, (letter) => letter.charCodeAt(0));
}

Deno.test(
  "each project is installed in the version that pip would choose",
  withEnd(async (test) => {
    await using cache = await makeCache();
    const cases = Object.entries(GOOD);
    await using index = startIndex(cases.flatMap(([, { files }]) => files));
    const { origin } = new URL(index.url);
    const list = (texts: string[]) =>
      texts.map(spell).join(",").replaceAll("ORIGIN", origin);
    const ended = await cache.command([
      ...["--index-url", index.url, "install", "--dry-run"],
      ...["--deps", list(cases.flatMap(([, { deps }]) => deps))],
      ...[
        "--constraints",
        list(cases.flatMap(([, { constraints = [] }]) => constraints)),
      ],
    ]);
    assertEquals(ended.code, 0, ended.stderr);
    const given = versions(ended);
    const files = index.requests.join("\n");
    for (const [name, { gives, warns, takes, leaves }] of cases) {
      await test.step(name, () => {
        const expected = Object.entries(gives);
        const actual = expected.map(([end]) => [end, given[full(end)]]);
        assertEquals(actual, expected);
        for (const [end] of expected) delete given[full(end)];
        if (warns) assertMatch(ended.stderr, warns);
        if (takes) assertMatch(files, takes);
        if (leaves) assert(!leaves.test(files), files);
      });
    }
    await test.step("and nothing else is installed, or warned of", () => {
      assertEquals(given, {});
      const expected = cases.filter(([, { warns }]) => warns);
      assertEquals(told(ended).length, expected.length, ended.stderr);
    });
    await test.step("nothing is asked for twice", () => {
      assertEquals(new Set(index.requests).size, index.requests.length);
    });
  }),
);

/** Requirements without an answer. */
interface BadCase {
  files?: IndexFile[];
  deps: string[];
  constraints?: string;
  says: RegExp;
  code?: number;
  /** Most that the index may be asked. */
  requests?: number;
}

const python2 = { requiresPython: "<3" };
const ADDRESS = "ORIGIN/files/mrp_fixture_x-1.0-py3-none-any.whl";

const BAD: Record<string, BadCase> = {
  "a clash over two levels names both who clash": {
    deps: ["@a", "@k"],
    files: [
      fixture("a", "1.0", ["@m"]),
      fixture("m", "1.0", ["@x<2"]),
      fixture("k", "1.0", ["@n"]),
      fixture("n", "1.0", ["@x>=2"]),
      fixture("x", "1.0"),
      fixture("x", "2.0"),
    ],
    says:
      /^Cannot find one version of mrp-fixture-x for all: (?=.*"mrp-fixture-x<2" by mrp-fixture-m 1\.0)(?=.*"mrp-fixture-x>=2" by mrp-fixture-n 1\.0)/,
  },
  "a clash of extras names who asks for them": {
    deps: ["@a", "@k"],
    files: [
      fixture("a", "1.0", ["@x[one]>=2"]),
      fixture("k", "1.0", ["@x[two]<2"]),
      fixture("x", "1.0", [], { extras: ["one", "two"] }),
      fixture("x", "2.0", [], { extras: ["one", "two"] }),
    ],
    says:
      /^Cannot find one version of mrp-fixture-x for all: it is wanted as "mrp-fixture-x\[\w+\]\S+" by mrp-fixture-[ak] 1\.0 and "mrp-fixture-x\[\w+\]\S+" by mrp-fixture-[ak] 1\.0\. Change/,
  },
  "a constraint that excludes every version is named": {
    deps: ["@a"],
    constraints: "mrp-fixture-x>2",
    files: [fixture("a", "1.0", ["@x"]), fixture("x", "2.0")],
    says:
      /"mrp-fixture-x" by mrp-fixture-a 1\.0 and "mrp-fixture-x>2" by a constraint\. Change/,
  },
  "of two demands, the one that no version meets is named": {
    deps: ["@a", "@k"],
    files: [
      fixture("a", "1.0", ["@x"]),
      fixture("k", "1.0", ["@x>=9"]),
      fixture("x", "1.0"),
    ],
    says:
      /^Cannot find a version of mrp-fixture-x that satisfies "mrp-fixture-x>=9" \(needed by mrp-fixture-k 1\.0\): the newest is 1\.0\.$/,
  },
  "all versions yanked": {
    deps: ["@x"],
    files: [{ ...fixture("x", "1.0"), says: { yanked: "a leak" } }],
    says: /: 1\.0 was yanked \(a leak\)\. Choose another version/,
  },
  "all versions for another Python, as only they say": {
    deps: ["@a"],
    files: [
      fixture("a", "1.0", ["@x"]),
      { ...fixture("x", "1.0", [], python2), says: {} },
    ],
    says:
      /^Cannot install mrp-fixture-x 1\.0 as it is only for Python <3, and this is 3\.\d+\.\d+\. Choose/,
  },
  "an address of a wheel for another Python": {
    deps: [ADDRESS],
    files: [fixture("x", "1.0", [], python2)],
    says: /^Cannot install mrp-fixture-x 1\.0 as it is only for Python <3,/,
  },
  "no usable version, and no storm of downloads": {
    deps: ["@a"],
    files: [
      ...MANY.map((at) => fixture("a", `${at}.0`, ["@m"])),
      ...MANY.map((at) => fixture("m", `${at}.0`, ["@n"])),
      fixture("n", "1.0", ["@x"]),
      source("x", "1.0"),
    ],
    says:
      /^Cannot install "mrp-fixture-x" \(needed by mrp-fixture-n 1\.0\) as no source has a wheel .*: only its source \(1\.0\)\. Choose/,
    // Twenty of each project that has no version to take, and the pages.
    requests: 50,
  },
  "an extra of an address that is not there": {
    deps: [`mrp-fixture-x[gone] @ ${ADDRESS}`],
    files: [fixture("x", "1.0", [], { extras: ["here"] })],
    says: /as mrp-fixture-x 1\.0 has no extra "gone"; it has: here\.$/,
  },
  "two addresses of one project": {
    deps: [ADDRESS, "ORIGIN/files/mrp_fixture_x-2.0-py3-none-any.whl"],
    says:
      /^Cannot find one version of mrp-fixture-x for all: it is wanted as "mrp-fixture-x @ http:\S+-1\.0-\S+" by you and "mrp-fixture-x @ http:\S+-2\.0-\S+" by you\. Change/,
  },
  "an address whose version another one excludes": {
    deps: [ADDRESS, "@k"],
    files: [
      fixture("x", "1.0"),
      fixture("x", "2.0"),
      fixture("k", "1.0", ["@x>1.5"]),
    ],
    says:
      /wanted as "mrp-fixture-x @ http:\S+-1\.0-\S+" by you and "mrp-fixture-x>1\.5" by mrp-fixture-k 1\.0\. Change/,
  },
  "a dependency that is a file of this machine": {
    deps: ["@a"],
    files: [
      fixture("a", "1.0", [
        "@x @ file:///etc/mrp_fixture_x-1.0-py3-none-any.whl",
      ]),
    ],
    says:
      /^Cannot install mrp-fixture-a as it asks for "mrp-fixture-x @ file:.*", which is not a wheel on the web\.$/,
  },
  "a dependency that does not parse": {
    deps: ["@a"],
    files: [fixture("a", "1.0", ["!!! what"])],
    says:
      /^Cannot install mrp-fixture-a 1\.0 from .*: it has a malformed requirement: .*\. Try again, or choose another/,
  },
  "a dependency that is no UTF-8": {
    deps: ["@a"],
    files: [
      fixture("a", "1.0", ["@x", '@x; extra == "\u00e9"'], { spoil: latin1 }),
    ],
    says:
      /^Cannot install mrp-fixture-a 1\.0 from .*: its list of requirements is not UTF-8 text\./,
  },
  "a dependency whose marker compares what cannot be compared": {
    deps: ["@a"],
    files: [fixture("a", "1.0", ['@x; os_name ~= "2"'])],
    says: /^Cannot read the marker of "mrp-fixture-x; os_name ~= "2"": \w/,
  },
  "metadata without a name": {
    deps: ["@a"],
    files: [
      fixture("a", "1.0", [], {
        spoil: (text) => text.replace(/^Name: .*\n/m, ""),
      }),
    ],
    says: /^Cannot trust mrp_fixture_a-1\.0-py3-none-any\.whl: inside it says/,
  },
};

const FEW_BAD = [
  ...["a clash over two levels names both who clash"],
  ...["of two demands, the one that no version meets is named"],
  ...["no usable version, and no storm of downloads"],
  ...["two addresses of one project", "a dependency that does not parse"],
  "metadata without a name",
];

Deno.test("what has no answer is explained", async (test) => {
  await using cache = await makeCache();
  for (const [name, one] of someOf(BAD, FEW_BAD)) {
    await test.step(name, async () => {
      await cache.forgetWheels();
      await using index = startIndex(one.files ?? []);
      const { origin } = new URL(index.url);
      const deps = one.deps.map(spell).join(",").replaceAll("ORIGIN", origin);
      const ended = await cache.command([
        ...["--index-url", index.url, "--deps", deps, "install"],
        ...(one.constraints ? ["--constraints", one.constraints] : []),
      ]);
      const [line = "", ...more] = told(ended);
      assertEquals(more, [], ended.stderr);
      assertMatch(line.replace(/^error: /, ""), one.says);
      assertEquals(ended.code, one.code ?? 1);
      assert(index.requests.length <= (one.requests ?? 12));
    });
  }
});

Deno.test("wheels of folders are chosen by what they say inside", async () => {
  await using cache = await makeCache();
  await using index = startIndex([fixture("only", "3.0")]);
  const folder = join(cache.folder, "links");
  await Deno.mkdir(folder);
  for (
    const { filename, bytes } of [
      fixture("here", "1.0", ["@also"]),
      fixture("here", "2.0", [], python2),
      fixture("also", "1.0"),
      fixture("only", "1.0", [], python2),
      { ...fixture("also", "2.0"), bytes: new Uint8Array([1, 2, 3]) },
    ]
  ) {
    await Deno.writeFile(join(folder, filename), bytes);
  }
  const sources = ["--find-links", folder, "--index-url", index.url];
  const first = await cache.command([
    ...[...sources, "--deps", "mrp-fixture-here,mrp-fixture-only"],
    ...["install", "--dry-run"],
  ]);
  assertEquals(first.code, 0, first.stderr);
  assertEquals(versions(first), {
    "mrp-fixture-also": "1.0",
    "mrp-fixture-here": "1.0",
    "mrp-fixture-only": "3.0",
  });
  assertMatch(
    told(first).join("\n"),
    /^warning: Skipping mrp_fixture_also-2\.0-py3-none-any\.whl in the wheels in \S+: .*not a zip file$/,
  );

  const second = await cache.command([
    ...[...sources, "--deps", "mrp-fixture-here>=2", "install"],
  ]);
  assertMatch(
    told(second).join("\n"),
    /^error: Cannot install "mrp-fixture-here>=2" .*Tried the wheels in \S+: only for Python <3 \(2\.0\);/,
  );

  // A wheel by its path, from the folder of the command.
  const third = await cache.command([
    ...["--index-url", index.url, "--find-links", folder, "install"],
    ...["--dry-run", "--deps", "./mrp_fixture_here-1.0-py3-none-any.whl"],
  ], { cwd: folder });
  assertEquals(third.code, 0, third.stderr);
  assertEquals(Object.keys(versions(third)).length, 2);
});

Deno.test("packages of a Pyodide distribution have extras, too", async () => {
  await using cache = await makeCache();
  await using index = startIndex([fixture("more", "1.0")]);
  const folder = join(cache.folder, "dist");
  await Deno.mkdir(folder);
  // What the distribution says it depends on counts, not what is inside.
  const file = fixture("own", "3.0", ['@more; extra == "some"', "@gone"], {
    extras: ["some"],
  });
  await Deno.writeFile(join(folder, file.filename), file.bytes);
  const name = "pyodide-lock.json";
  const lock = JSON.parse(
    await Deno.readTextFile(join(findPyodide().folder, name)),
  );
  lock.packages = {
    [file.project]: {
      name: file.project,
      version: file.version,
      "file_name": file.filename,
      sha256: hash(file.bytes),
      depends: [],
      imports: [],
      "install_dir": "site",
    },
  };
  await Deno.writeTextFile(join(folder, name), JSON.stringify(lock));
  const ended = await cache.command([
    ...["--index-url", index.url, "--dist", folder],
    ...["--deps", "mrp-fixture-own[some]", "install"],
  ]);
  assertEquals(versions(ended), {
    "mrp-fixture-more": "1.0",
    "mrp-fixture-own": "3.0",
  }, ended.stderr);
});
