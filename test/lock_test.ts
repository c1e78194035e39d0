/**
 * Lock files (PEP 751): what `lock` writes, and what `--locked` makes of it.
 *
 * @module
 */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { PACKAGING } from "../deps/packaging.ts";
import { parseToml } from "../deps/toml.ts";
import { makeCache } from "./support/cache.ts";
import { html, startIndex } from "./support/index_server.ts";
import { startServer } from "./support/server.ts";
import { told, versions } from "./support/told.ts";
import { hash, type IndexFile, wheel } from "./support/wheel.ts";

const [top, topNew] = ["1.0", "2.0"].map((version) =>
  wheel({
    name: "mrp-fixture-top",
    version,
    requires: ["mrp-fixture-dep>=1"],
  })
) as [IndexFile, IndexFile];
const [dep, depNew] = ["1.0", "2.0"].map((version) =>
  wheel({ name: "mrp-fixture-dep", version })
) as [IndexFile, IndexFile];
const OLD = { "mrp-fixture-dep": "1.0", "mrp-fixture-top": "1.0" };

/** Says of a lock file what Python's own reader makes of it. */
const CHECK = `
import sys, tomllib
from packaging.pylock import Pylock
lock = Pylock.from_dict(tomllib.load(open(sys.argv[1], "rb")))
print(lock.created_by.split()[0], *[f"{p.name}=={p.version}" for p in lock.packages])
`;

Deno.test("what is locked is installed, though there is newer; and by calls beside it", async (test) => {
  await using cache = await makeCache();
  const files = [top, dep];
  await using index = startIndex(files);
  const path = join(cache.folder, "pylock.toml");
  const source = ["--index-url", index.url];
  const locked = await cache.command([
    ...[...source, "--deps", "mrp-fixture-top", "lock", path],
  ]);
  assertEquals(locked.code, 0, locked.stderr);
  assertEquals(locked.stdout, `Locked 2 packages in ${path}\n`);

  await test.step("the file is as PEP 751 wants it", async () => {
    const { tool: _tool, "created-by": by, ...rest } = await readToml(path);
    assertMatch(String(by), /^mcp-run-python \d/);
    const entry = (file: IndexFile) => ({
      name: file.project,
      version: file.version,
      wheels: [{
        name: file.filename,
        url: `${new URL(index.url).origin}/files/${file.filename}`,
        size: file.bytes.length,
        hashes: { sha256: hash(file.bytes) },
      }],
    });
    assertEquals(rest, {
      "lock-version": "1.0",
      environments: ["sys_platform == 'emscripten'"],
      "requires-python": "~=3.14.0",
      packages: [entry(dep), entry(top)],
    });
  });
  await test.step("and as Python's own reader wants it", async () => {
    const found = await runPython(CHECK, path);
    assertEquals(
      found,
      "mcp-run-python mrp-fixture-dep==1.0 mrp-fixture-top==1.0\n",
    );
  });
  files.push(
    topNew,
    depNew,
    wheel({
      name: "mrp-fixture-call",
      requires: ["mrp-fixture-dep"],
    }),
  );
  await test.step("newer versions change nothing", async () => {
    index.requests.length = 0;
    const ended = await cache.command([
      ...[...source, "--locked", path, "install"],
    ]);
    assertEquals(versions(ended), OLD, ended.stderr);
    assertEquals(index.requests, []);
  });
  await test.step("without a network, it is as before", async () => {
    const ended = await cache.command([
      ...["--offline", "--locked", path, "run", "-c"],
      "import mrp_fixture_top as top; print(top.version)",
    ]);
    assertEquals(ended.stdout, "1.0\n", ended.stderr);
  });
  await test.step("a call has what it asks for beside it", async () => {
    await using server = await startServer([
      ...[...source, "--cache-dir", cache.folder, "--locked", path],
      ...["--allow-install", "mrp-fixture-call"],
    ]);
    const { returnValue, text } = await server.call(
      `# /// script\n# dependencies = ["mrp-fixture-call"]\n# ///\n` +
        `import mrp_fixture_call, mrp_fixture_top, mrp_fixture_dep as dep\n` +
        `dep.version`,
    );
    assertEquals(returnValue, "1.0", text);
  });
  await test.step("locking again takes the newest, in place of the old", async () => {
    await cache.command([
      ...[...source, "--deps", "mrp-fixture-top", "lock", path],
    ]);
    assertMatch(
      await Deno.readTextFile(path),
      /top-2\.0[^]*dep-2\.0|dep-2\.0[^]*top-2\.0/,
    );
  });
});

/** As plain objects. */
async function readToml(path: string): Promise<Record<string, unknown>> {
  return JSON.parse(
    JSON.stringify(parseToml(await Deno.readTextFile(path))),
  );
}

async function runPython(code: string, ...args: string[]): Promise<string> {
  try {
    const { stdout, stderr } = await new Deno.Command("python3", {
      args: ["-c", code, ...args],
      env: { PYTHONPATH: fileURLToPath(PACKAGING.url) },
    }).output();
    const decoder = new TextDecoder();
    return decoder.decode(stdout) + decoder.decode(stderr);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    throw new Error("This test needs python3, to read what was written");
  }
}

/** A lock file as another tool writes it. */
function byHand(packages: string, start = 'requires-python = ">=3.9"'): string {
  return `lock-version = "1.0"\ncreated-by = "by hand"\n${start}\n${packages}`;
}

function entry(
  { project, version, filename, bytes }: IndexFile,
  sha256 = hash(bytes),
): string {
  return `
[[packages]]
name = "${project}"
version = "${version}"
[[packages.wheels]]
url = "ORIGIN/files/${filename}"
hashes = { sha256 = "${sha256}" }
`;
}

interface Case {
  lock: string;
  gives: Record<string, string> | RegExp;
  code?: number;
}

const linux = wheel({
  name: "mrp-fixture-dep",
  tag: "cp314-cp314-manylinux_2_17_x86_64",
});
const CASES: Record<string, Case> = {
  "of another tool, with several wheels, markers and source": {
    lock: byHand(
      `
[[packages]]
name = "mrp-fixture-top"
version = "1.0"
marker = "python_version >= '3.10' and sys_platform == 'emscripten'"
requires-python = ">=3.8"
dependencies = [{ name = "mrp-fixture-dep" }]
index = "https://index.example/simple"
sdist = { name = "mrp_fixture_top-1.0.tar.gz", url = "https://h.example/mrp_fixture_top-1.0.tar.gz", upload-time = 2025-01-01T00:00:00Z, size = 1, hashes = { sha256 = "${
        hash("")
      }" } }
wheels = [
  { name = "${
        top.filename.replace("py3-none-any", "cp314-cp314-win_amd64")
      }", url = "https://h.example/1", hashes = { sha256 = "${hash("1")}" } },
  { name = "${top.filename}", url = "ORIGIN/files/${top.filename}", upload-time = 2025-01-01T00:00:00Z, size = ${top.bytes.length}, hashes = { md5 = "0", sha256 = "${
        hash(top.bytes).toUpperCase()
      }" } },
]
[[packages]]
name = "mrp-fixture-windows"
version = "1.0"
marker = "sys_platform == 'win32'"
sdist = { url = "https://h.example/mrp_fixture_windows-1.0.tar.gz", hashes = { sha256 = "${
        hash("")
      }" } }
[tool.uv]
something = 1
${entry(dep)}`,
      "environments = [\"sys_platform == 'linux'\", \"sys_platform == 'emscripten'\"]",
    ),
    gives: OLD,
  },
  "with a hash that is another one": {
    lock: byHand(entry(dep, hash("else"))),
    gives: RegExp(
      `^error: Cannot trust ${dep.filename}: its sha256 is ${
        hash(dep.bytes)
      }, and should be ${hash("else")}\\.`,
    ),
  },
  "with a wheel that is gone": {
    lock: byHand(
      entry(top) + entry(topNew)
        .replaceAll("mrp-fixture-top", "mrp-fixture-gone")
        .replaceAll("mrp_fixture_top", "mrp_fixture_gone"),
    ),
    gives:
      /^error: Cannot download mrp_fixture_gone-2\.0-py3-none-any\.whl from 127\S+ .*status 404/,
  },
  "for another Python": {
    lock: byHand(entry(dep), 'requires-python = "<3.10"'),
    gives:
      /^error: Cannot use the lock file \S+ for this Python: .*3\.14.*'<3\.10'\. Make one with/,
  },
  "with wheels of another system": {
    lock: byHand(entry(linux)),
    gives:
      /^error: Cannot use the lock file \S+ for this Python: No wheel .*'mrp-fixture-dep'/,
  },
  "with source": {
    lock: byHand(`[[packages]]\nname = "mrp-fixture-dep"\nversion = "1.0"
sdist = { url = "https://h.example/mrp_fixture_dep-1.0.tar.gz", hashes = { sha256 = "${
      hash("")
    }" } }`),
    gives:
      /^error: Cannot install mrp-fixture-dep from the lock file \S+ as it names no wheel that runs in WebAssembly\./,
  },
  "without a sha256": {
    lock: byHand(entry(dep).replace("sha256 =", "sha512 =")),
    gives: /as it has no sha256 there\.$/,
  },
  "with a name that leads elsewhere": {
    lock: byHand(
      entry(dep).replace(
        "url =",
        'name = "../../x-1.0-py3-none-any.whl"\nurl =',
      ),
    ),
    gives: /^error: Cannot read the lock file \S+: Invalid wheel filename/,
    code: 2,
  },
  "with libraries that are none": {
    lock: byHand(
      `packages = []\n[tool.mcp-run-python]\nlibraries = [{ name = "x" }]`,
    ),
    gives:
      /^error: Cannot read \[tool\.mcp-run-python\] in the lock file \S+\. Make it anew/,
    code: 2,
  },
};

Deno.test("a lock file is obeyed to the letter, or refused", async (test) => {
  await using cache = await makeCache();
  await using index = startIndex([top, dep]);
  const path = join(cache.folder, "pylock.toml");
  for (const [name, { lock, gives, code = 1 }] of Object.entries(CASES)) {
    await test.step(name, async () => {
      await cache.forgetWheels();
      const { origin } = new URL(index.url);
      await Deno.writeTextFile(path, lock.replaceAll("ORIGIN", origin));
      const ended = await cache.command([
        ...["--index-url", index.url, "--locked", path, "install"],
      ]);
      if (gives instanceof RegExp) {
        assertMatch(told(ended).join("\n"), gives);
        assertEquals([ended.code, ended.stdout], [code, ""]);
      } else assertEquals(versions(ended), gives, ended.stderr);
    });
  }
});

Deno.test("what is of this machine can be locked, and what is planned harms nothing", async (test) => {
  await using cache = await makeCache();
  await using index = startIndex([dep, depNew], {
    answers: { [`/files/${depNew.filename}`]: () => html("Gone", 404) },
  });
  const links = join(cache.folder, "links");
  await Deno.mkdir(links);
  await Deno.writeFile(join(links, top.filename), top.bytes);
  const path = join(cache.folder, "pylock.toml");
  const wanted = [
    ...["--index-url", index.url, "--find-links", links],
    ...["--deps", "mrp-fixture-top,mrp-fixture-dep<2"],
  ];
  const before = cache.entries();

  await test.step("a dry run says what, from where, and how much", async () => {
    const planned = await cache.command([...wanted, "install", "--dry-run"]);
    assertMatch(
      planned.stdout,
      /^Python 3\.14\.\d+ \(Pyodide \S+\)\nmrp-fixture-dep +1\.0 +the package index at 127\.0\.0\.1:\d+ +\S+ \w+ +\S.*\nmrp-fixture-top +1\.0 +the wheels in \S+ +\S+ \w+ +cached\n2 packages, .*\n$/,
    );
    assertEquals(cache.entries(), before);
  });
  await test.step("a wheel of a folder is locked without an address", async () => {
    const locked = await cache.command([...wanted, "lock", path]);
    assertEquals(locked.code, 0, locked.stderr);
    assertEquals(cache.entries(), before);
    const { packages } = Object(await readToml(path));
    assertEquals(packages[1].wheels[0], {
      name: top.filename,
      path: top.filename,
      size: top.bytes.length,
      hashes: { sha256: hash(top.bytes) },
    });
    assert(!(await Deno.readTextFile(path)).includes(links));
  });
  await test.step("so its folder must be named, and no index is asked", async () => {
    await cache.forgetWheels();
    index.requests.length = 0;
    const ended = await cache.command([
      ...["--index-url", index.url, "--locked", path, "install"],
    ]);
    assertMatch(
      told(ended).join(),
      /^error: Cannot find mrp_fixture_top-1\.0\S+, which the lock file \S+ names without an address\. Name its folder with --find-links\.$/,
    );
    assertEquals(index.requests, []);
  });
  await test.step("with the folder it is installed", async () => {
    const ended = await cache.command([
      ...["--find-links", links, "--locked", path, "install"],
    ]);
    assertEquals(versions(ended), OLD, ended.stderr);
  });
  await test.step("what is in the cache can be locked without a network", async () => {
    // What a lock file brought is not known to be of the index.
    const filled = await cache.command([...wanted, "install"]);
    assertEquals(versions(filled), OLD, filled.stderr);
    index.requests.length = 0;
    const offline = join(cache.folder, "offline.toml");
    const locked = await cache.command([
      ...[...wanted, "--offline", "lock", offline],
    ]);
    assertEquals(locked.code, 0, locked.stderr);
    // Both wheels are found by their hash, of whatever source they are.
    const ended = await cache.command([
      ...["--offline", "--locked", offline, "install"],
    ]);
    assertEquals(versions(ended), OLD, ended.stderr);
    assertEquals(index.requests, []);
  });
});
