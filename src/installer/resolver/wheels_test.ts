import { assertEquals, assertMatch } from "../../../deps/assert.ts";
import { startInstaller } from "../../../test/support/installer_python.ts";

const { run } = await startInstaller();
run(`
import json
from packaging.utils import InvalidWheelFilename
from mcp_installer import wheels, sources, locked, host
from mcp_installer.refused import Refused

def told(work):
    try:
        return work()
    except (Refused, wheels.Unusable, InvalidWheelFilename) as error:
        return f"{type(error).__name__}: {error}"
`);

/** What an expression of Python gives, or is refused with. */
function told(expression: string): unknown {
  return JSON.parse(
    String(run(`json.dumps(told(lambda: ${expression}), default=str)`)),
  );
}

const NAME = "x-1.0-py3-none-any.whl";
const HASH = "0123456789abcdef".repeat(4);

/** File names that would lead elsewhere, or are of no wheel. */
const NO_NAMES = [
  ...[
    "../x-1.0-py3-none-any.whl",
    "/x-1.0-py3-none-any.whl",
    "a/x-1-y-z-w.whl",
  ],
  ...[
    "..\\x-1.0-py3-none-any.whl",
    "x-1.0-py3-none-any.whl\n",
    ".x-1-y-z-w.whl",
  ],
  ...["x-1.0-1/../../..-py3-none-any.whl", "x-1.0-py3-none-any.whl\0", ""],
  ...["-x-1.0-py3-none-any.whl", "x -1.0-py3-none-any.whl", "é-1.0-y-z-w.whl"],
  ...["x-1.0.tar.gz", "x-1.0-py3.whl", "x-nonsense-py3-none-any.whl"],
];

Deno.test("parse_filename() reads no name that could be a path", () => {
  const read = (name: string) => told(`wheels.parse_filename(${quote(name)})`);
  const [project, version, rank] = Object(read(NAME));
  assertEquals([project, version, Array.isArray(rank)], ["x", "1.0", true]);
  for (const name of NO_NAMES) {
    assertMatch(String(read(name)), /^InvalidWheelFilename: /, name);
  }
  assertEquals(Object(read("x-1-cp314-cp314-win_amd64.whl"))[2], null);
});

Deno.test("direct_wheel() takes only a wheel that runs here, by the name that was asked for", () => {
  const read = (url: string, name = "None") =>
    told(`vars(wheels.direct_wheel(${quote(url)}, ${name}))`);
  const url = `https://h.example/a/${NAME}`;
  const { file, sha256, source } = Object(
    read(`${url}#sha256=${HASH.toUpperCase()}`, '"X"'),
  );
  assertEquals([file, sha256, source], [NAME, HASH, `h.example/a/${NAME}`]);
  for (const wrong of [`sha256=${HASH.slice(1)}`, "sha256=zz", "md5=0"]) {
    assertEquals(Object(read(`${url}#${wrong}`)).sha256, null);
  }
  assertMatch(String(read(url, '"y"')), /^Refused: .* that is a wheel of x\./);
  for (
    const odd of [
      ...["https://h.example/", "https://h.example/x.zip"],
      ...[
        `https://h.example/..%2f..%2f${NAME}%2f..`,
        `https://h.example/.${NAME}`,
      ],
    ]
  ) {
    assertMatch(
      String(read(odd)),
      /^Refused: .*is not a (name of a )?wheel|an archive/,
      odd,
    );
  }
  assertEquals(Object(read(`https://h.example/..%2f${NAME}`)).file, NAME);
  assertMatch(
    String(read("https://h.example/x-1-cp314-cp314-win_amd64.whl")),
    /^Refused: .*for another Python or system/,
  );
});

Deno.test("messages show an address without its credentials", () => {
  const url = `https://ada:s3cret@h.example/x/${NAME}`;
  assertEquals(told(`wheels.shorten("${url}")`), `h.example/x/${NAME}`);
  const messages = [
    told(`vars(wheels.direct_wheel("${url}x"))`),
    told(`wheels.direct_wheel("${url}", "y")`),
    told(`vars(wheels.direct_wheel("${url}"))["source"]`),
  ];
  for (const message of messages) {
    assertEquals(/ada|s3cret/.test(String(message)), false, `${message}`);
  }
});

/** A Wheel as an index, a folder or a lock file has it. */
const WHEEL = `wheels.Wheel("x", wheels.Version("1.0"), "${NAME}", "u", "s"`;

Deno.test("a wheel's metadata must be of its name and version, of a bounded size, and of the hash that was given", () => {
  const check = (metadata: string, sha256 = '""') => {
    run(`
one = ${WHEEL}, metadata_sha256=${sha256})
wheels.host.fetch = lambda url, most: {"status": 200, "body": ${metadata}}`);
    return told("one.check_name()");
  };
  const say = (name: string, version: string) =>
    `b"Metadata-Version: 2.4\\nName: ${name}\\nVersion: ${version}\\n"`;
  assertEquals(check(say("X", "1.0.0")), null);
  for (const [name, version] of [["y", "1.0"], ["x", "1.1"], ["x", "?"]]) {
    const said = check(say(String(name), String(version)));
    assertEquals(
      said,
      `Unusable: inside it says that it is ${name} ${version}`,
    );
  }
  assertMatch(
    String(check(`${say("x", "1.0")} + b"#" * (17 << 20)`)),
    /^Unusable: its METADATA is larger than 16 MiB/,
  );
  const hashOf = (text: string) =>
    `__import__("hashlib").sha256(${text}).hexdigest()`;
  const metadata = say("x", "1.0");
  assertEquals(check(metadata, hashOf(metadata)), null);
  assertMatch(
    String(check(metadata, hashOf('b"else"'))),
    /^Unusable: the sha256 of its metadata is [0-9a-f]{64}, and should be /,
  );
});

Deno.test("has_one_of() goes by the hash of what was downloaded, if no source gave one", () => {
  const sha512 = `sha512:{__import__("hashlib").sha512(b"body").hexdigest()}`;
  run(`
asked = []
def fetch_wheel(wheel):
    asked.append(wheel.url)
    return {"sha256": "${HASH}", "body": b"body"}
wheels.host.fetch_wheel = fetch_wheel`);
  const has = (hash: string, more = "") =>
    told(`(${WHEEL}${more})).has_one_of([f"${hash}"])`);
  assertEquals(has(`sha256:${HASH}`), true);
  assertEquals(has(`sha256:${HASH.replace("0", "1")}`), false);
  assertEquals(has(sha512), true);
  assertEquals(has(sha512.replace("body", "other")), false);
  assertEquals(told("len(asked)"), 4);
  // An index's hash is checked when the wheel is downloaded.
  assertEquals(has(`sha256:${HASH}`, `, sha256="${"f".repeat(64)}"`), false);
  assertEquals(told("len(asked)"), 4);
});

Deno.test("an index's page offers no wheel whose name could be a path, and hashes only whole", () => {
  const files = [...NO_NAMES, NAME].map((filename) => ({
    filename,
    url: "f",
    hashes: { sha256: HASH },
  }));
  const list = (all: object[]) =>
    told(`[[wheel.file, wheel.sha256] for wheel in
    sources._to_listing("s", json.loads(${
      quote(JSON.stringify(all))
    }), "https://h.example/").wheels]`);
  assertEquals(list(files), [[NAME, HASH]]);
  for (const [fragment, hash] of [[HASH, HASH], [HASH.slice(1), null]]) {
    const url = `${NAME}#sha256=${fragment}`;
    assertEquals(list([{ filename: NAME, url }]), [[NAME, hash]]);
  }
});

Deno.test("an index's page is refused whose hashes or sizes are malformed", () => {
  run(`
def is_refused(file):
    try:
        sources._to_listing("s", [{"filename": "${NAME}", "url": "x", **file}])
    except ValueError:
        return True
`);
  for (const size of ['"1"', "True", "-1", "1.5", "[1]", 'float("inf")']) {
    assertEquals(told(`is_refused({"size": ${size}})`), true, size);
  }
  for (const hash of ["zz", `${HASH}0`, `${HASH}\\n`]) {
    const file = `{"hashes": {"sha256": "${hash}"}}`;
    assertEquals(told(`is_refused(${file})`), true, hash);
  }
  const good = `{"size": 0, "hashes": {"sha256": "${HASH.toUpperCase()}"}}`;
  assertEquals(told(`is_refused(${good})`), null);
});

Deno.test("an index's page offers metadata alone by each of its names, in JSON and HTML", () => {
  const listed = (files: string) =>
    told(
      `[wheel.metadata_sha256 for wheel in sources._to_listing("s", ${files}, "https://h.example/").wheels]`,
    );
  const json = (says: object) =>
    listed(
      `json.loads(${
        quote(JSON.stringify([{ filename: NAME, url: NAME, ...says }]))
      })`,
    );
  const html = (attribute: string) =>
    listed(
      `sources.read_html('<a href="${NAME}" ${attribute}>x</a>', "https://h.example/")`,
    );
  const sha256 = HASH;
  for (
    const name of [
      "core-metadata",
      "dist-info-metadata",
      "data-dist-info-metadata",
    ]
  ) {
    assertEquals(json({ [name]: { sha256 } }), [HASH]);
    assertEquals(json({ [name]: true }), [""]);
    assertEquals(json({ [name]: { md5: "0" } }), [""]);
    assertEquals(json({ [name]: { sha256: null } }), [""]);
    assertEquals(json({ [name]: false }), [null]);
  }
  assertEquals(json({ "core-metadata": false, "dist-info-metadata": true }), [
    null,
  ]);
  for (const name of ["data-core-metadata", "data-dist-info-metadata"]) {
    assertEquals(html(`${name}="sha256=${HASH.toUpperCase()}"`), [HASH]);
    assertEquals(html(`${name}="true"`), [""]);
    assertEquals(html(name), [""]);
    assertEquals(html(`${name}="md5=0"`), [""]);
    assertEquals(html(`${name}="false"`), [null]);
  }
  assertEquals([json({}), html("")], [[null], [null]]);
});

Deno.test("read_lock() takes no wheel without a whole sha256, or by a name that could be a path", () => {
  const read = (wheel: string, url = "https://ada:pw@h.example/x.whl") => {
    const lock = `lock-version = "1.0"
created-by = "test"
[[packages]]
name = "x"
version = "1.0"
wheels = [{ url = "${url}", ${wheel} }]`;
    return told(
      `[[w.file, w.sha256, w.source] for w in locked.read_lock("L", ${
        quote(lock)
      }, [])[0].values()]`,
    );
  };
  const named = `name = "${NAME}", hashes`;
  const good = [[NAME, HASH, "h.example/x.whl"]];
  assertEquals(read(`${named} = { sha256 = "${HASH.toUpperCase()}" }`), good);
  assertMatch(
    String(read(`${named} = { sha512 = "${HASH}${HASH}" }`)),
    /^Refused: Cannot install x from .* has no sha256 there/,
  );
  for (const name of NO_NAMES) {
    const wheel = `name = ${quote(name).replace("\\u0000", "\\\\0")}`;
    const said = read(`${wheel}, hashes = { sha256 = "${HASH}" }`);
    assertMatch(
      String(said),
      /^Refused: Cannot (read|use) the lock file/,
      name,
    );
  }
  const libraries = (more: string) =>
    told(
      `[[w.file, w.sha256, w.source] for w in locked.read_lock("L", ${
        quote(`lock-version = "1.0"
created-by = "test"
packages = []
[tool.mcp-run-python]
libraries = [${more}]`)
      }, [])[0].values()]`,
    );
  const library = (file: string) =>
    `{ name = "x", version = "1", file = "${file}", url = "https://h.example/x",
  sha256 = "${HASH}", place = "dynlib" }`.replaceAll("\n", " ");
  assertEquals(libraries(library("x.zip")), [["x.zip", HASH, "h.example/x"]]);
  for (
    const lie of [
      ...["1", '"x"', "{}", '{ name = "x", version = "1" }'],
      ...["../x.zip", "/x.zip", "a/x.zip", ""].map(library),
    ]
  ) {
    assertMatch(
      String(libraries(lie)),
      /^Refused: Cannot read \[tool\.mcp-run-python\] in the lock file/,
    );
  }
});

function quote(text: string): string {
  return JSON.stringify(text);
}

Deno.test("requirements are bounded in number and length", () => {
  const read = (requirements: string) =>
    told(`requirements_of(${requirements})`);
  run(`
def requirements_of(texts):
    wheel = wheels.direct_wheel("https://h.example/${NAME}")
    wheel.__dict__["metadata"] = {"requires_dist": texts}
    return len(wheel.requirements)
`);
  assertEquals(read('["a"] * 100'), 100);
  assertMatch(
    String(read(`["a; extra == 'b'"] * 20_000`)),
    /^Unusable: it has 20000 requirements, and may have 5000$/,
  );
  assertMatch(
    String(read('["a; " + "(" * 5000]')),
    /^Unusable: it has a requirement of more than 4000 characters$/,
  );
});

Deno.test("resolve() ends when extras that ask for each other take too long", () => {
  run(`
from mcp_installer import demands, resolve

class Tangle:
    label, has_last_word = "a tangle", True
    def prefetch(self, name):
        return True
    def list(self, name):
        return self.listing

tangle = Tangle()
wheel = wheels.direct_wheel("https://h.example/${NAME}")
wheel.depends = []
sets = [",".join(f"e{(one * step + 1) % 61}" for step in range(2, 9)) for one in range(61)]
wheel.__dict__["metadata"] = {
    "requires_dist": [f'x[{names}]; extra == "e{one}"' for one, names in enumerate(sets)] * 20,
    "provides_extra": [f"e{one}" for one in range(61)],
}
tangle.listing = wheels.Listing(tangle.label, wheels=[wheel])

def untangle(seconds):
    resolve.MOST_WORK = seconds
    return len(resolve.resolve(demands.read_demands(["x[e1]"]), [], [tangle], False))
`);
  assertMatch(
    String(told("untangle(0.1)")),
    /^Refused: Cannot find versions that fit together: after 0\.1 s of computing, x asks for more\. Ask for exact/,
  );
});
