import { assert, assertEquals, assertThrows } from "../../../deps/assert.ts";
import { canonicalName } from "../../requirements/names.ts";
import { machine } from "../../../test/support/machine.ts";
import { UserError } from "../../errors.ts";
import type { CliContext } from "../context.ts";
import { type Origin, toConstraint, toRequirement } from "./requirement.ts";

const WHEEL = "Some_Thing-1.0-py3-none-any.whl";
const FILES = [
  `/srv/app/${WHEEL}`,
  `/srv/${WHEEL}`,
  `/home/ada/wheels/${WHEEL}`,
  `/srv/a,b/${WHEEL}`,
  "/srv/a,b-1-py3-none-any.whl",
  `/srv/a #%b/x-1.0+l-1a-py3-none-any.whl`,
  "/srv/app/x-1.0.tar.gz",
  "/srv/app/x.whl",
  "/srv/app/folder.whl/x",
  `C:\\app\\${WHEEL}`,
  `\\\\nas\\wheels\\${WHEEL}`,
];

function origin(os: CliContext["os"] = "linux"): Origin {
  const files = Object.fromEntries(FILES.map((path) => [path, ""]));
  const folder = os === "windows" ? "C:\\app" : "/srv/app";
  return { folder, context: machine(files, { os }), where: "" };
}

function assertRefused(text: string, message: RegExp, from = origin()) {
  assertThrows(() => toRequirement(text, from), (error) => {
    assert(error instanceof UserError);
    assertEquals(error.exitCode, 2);
    assert(error.message.startsWith("Cannot read requirement "));
    assert(message.test(error.message), error.message);
    return true;
  });
}

Deno.test("toRequirement() leaves a requirement by name as it was written", () => {
  for (
    const text of [
      "numpy",
      "pandas[excel, html]>=2,<4",
      "a >= 1, != 1.5 , <2",
      "a (>=1,<2)",
      "b~=1.0,==1.*",
      "b===1.0+local",
      'a;python_version in "3.8,3.9"',
      'a[b] ; extra == "x;y" and os_name != "a/b@c"',
      "A.b_c-d==1!2.0rc1",
      "a.whl.b",
    ]
  ) {
    assertEquals(toRequirement(text, origin()), text);
  }
});

Deno.test("toRequirement() reads the URL of a wheel", () => {
  const at = `https://host.example/${WHEEL}`;
  const read: Record<string, string> = {
    [at]: `some-thing @ ${at}`,
    [`Other[x,y]@${at}`]: `Other[x,y] @ ${at}`,
    [`other [x] @ ${at}`]: `other [x] @ ${at}`,
    [`${at}[x]`]: `some-thing[x] @ ${at}`,
    [`${at}?a=1;b#sha256=0a`]: `some-thing @ ${at}?a=1;b#sha256=0a`,
    [`${at} ; os_name == "a;b"`]: `some-thing @ ${at} ; os_name == "a;b"`,
    [`x @ ${at}; os_name == "a"`]: `x @ ${at} ; os_name == "a"`,
    "HTTP://u:p@host.example/a,b/x-1.0%2Bl-py3-none-any.whl":
      "x @ http://u:p@host.example/a%2Cb/x-1.0%2Bl-py3-none-any.whl",
  };
  for (const [text, requirement] of Object.entries(read)) {
    assertEquals(toRequirement(text, origin()), requirement);
    assertEquals(toRequirement(requirement, origin()), requirement);
  }
});

Deno.test("toRequirement() makes the path of a wheel a URL", () => {
  const here = `file:///srv/app/${WHEEL}`;
  const read: Record<string, string> = {
    [WHEEL]: `some-thing @ ${here}`,
    [`./${WHEEL}`]: `some-thing @ ${here}`,
    [`./${WHEEL}[x, y]`]: `some-thing[x, y] @ ${here}`,
    [`./${WHEEL}[x];os_name=="a"`]: `some-thing[x] @ ${here} ; os_name=="a"`,
    [`Some.Thing @ ./${WHEEL}`]: `Some.Thing @ ${here}`,
    [`../${WHEEL}`]: `some-thing @ file:///srv/${WHEEL}`,
    [`/srv/app/../${WHEEL}`]: `some-thing @ file:///srv/${WHEEL}`,
    [`~/wheels/${WHEEL}`]: `some-thing @ file:///home/ada/wheels/${WHEEL}`,
    [here]: `some-thing @ ${here}`,
    "/srv/a #%b/x-1.0+l-1a-py3-none-any.whl":
      "x @ file:///srv/a%20%23%25b/x-1.0+l-1a-py3-none-any.whl",
  };
  for (const [text, requirement] of Object.entries(read)) {
    assertEquals(toRequirement(text, origin()), requirement);
    assertEquals(toRequirement(requirement, origin()), requirement);
  }
});

Deno.test("toRequirement() takes paths by the rules of Windows there", () => {
  const windows = origin("windows");
  const here = `some-thing @ file:///C:/app/${WHEEL}`;
  for (
    const text of [`.\\${WHEEL}`, `C:\\app\\${WHEEL}`, `c @ C:/app/${WHEEL}`]
  ) {
    assertEquals(
      toRequirement(text, windows).replace(/^c /, "some-thing "),
      here,
    );
  }
  assertEquals(toRequirement(here, windows), here);
  const there = `some-thing @ file://nas/wheels/${WHEEL}`;
  assertEquals(toRequirement(`\\\\nas\\wheels\\${WHEEL}`, windows), there);
  assertEquals(toRequirement(there, windows), there);
  assertRefused(there, /another machine/);
});

Deno.test("toRequirement() keeps the hashes that pip takes for safe", () => {
  const hashes = [
    ` --hash=sha256:${"0a".repeat(32)}`,
    ` --hash=sha384:${"0a".repeat(48)}`,
    ` --hash=sha512:${"0a".repeat(64)}`,
  ].join("");
  assertEquals(toRequirement(`a==1${hashes}`, origin()), `a==1${hashes}`);
  assertEquals(
    toRequirement(
      `./${WHEEL}  --hash  sha256:${"0A".repeat(32)} `,
      origin(),
    ),
    `some-thing @ file:///srv/app/${WHEEL} --hash=sha256:${"0a".repeat(32)}`,
  );
  for (
    const wrong of [
      ...[`md5:${"0a".repeat(16)}`, "0a", "__proto__:0a", "sha256:0a"],
      ...[`sha256:${"x".repeat(64)}`, `sha256:${"0a".repeat(33)}`, ""],
    ]
  ) {
    assertRefused(
      `a==1 --hash=${wrong}`,
      RegExp(`: "${wrong}" is not a whole hash that is safe\\. Use sha256, `),
    );
  }
});

Deno.test("toRequirement() leaves what packages and wheels there are to the resolver", () => {
  const read: Record<string, string> = {
    "a=>1": "a=>1",
    "a[b": "a[b",
    "a ; nonsense": "a ; nonsense",
    "./x-1.0.tar.gz": "x @ file:///srv/app/x-1.0.tar.gz",
    "./x.whl": "unnamed @ file:///srv/app/x.whl",
    "x @ https://h.example/x-1.0.zip": "x @ https://h.example/x-1.0.zip",
    "https://h.example/": "unnamed @ https://h.example/",
    "git+https://h.example/x.git": "unnamed @ git+https://h.example/x.git",
    "ftp://h.example/x-1.0-py3-none-any.whl":
      "x @ ftp://h.example/x-1.0-py3-none-any.whl",
  };
  for (const [text, requirement] of Object.entries(read)) {
    assertEquals(toRequirement(text, origin()), requirement);
  }
});

Deno.test("toRequirement() refuses a text that is not a name, a path or a URL", () => {
  const wrong: Record<string, RegExp> = {
    "num py":
      /: expected a package name with versions, or a wheel\. Write it like "name"/,
    "-x": /expected a package name/,
    "": /expected a package name/,
    "; os_name": /expected a package name/,
    "${NAME}": /expected a package name/,
    "a\0b\x1bc": /"a\uFFFDb\uFFFDc": it has control characters/,
    "a\nb": /control characters/,
    "./none-1.0-py3-none-any.whl":
      /: \/srv\/app\/none-1\.0-py3-none-any\.whl does not exist\. Check/,
    "~ada/x.whl": /: \/srv\/app\/~ada\/x\.whl does not exist/,
    "https:///": /URL does not parse/,
    "https://h.example/%zz.whl": /% that encodes nothing/,
    ".": /: \/srv\/app is a folder\. .* use --find-links/,
    "./folder.whl": /is a folder/,
    "x @": /is a folder/,
  };
  for (const [text, message] of Object.entries(wrong)) {
    assertRefused(text, message);
  }
});

Deno.test("toRequirement() refuses a path that Deno would split", () => {
  for (const path of [`/srv/a,b/${WHEEL}`, "/srv/a,b-1-py3-none-any.whl"]) {
    assertThrows(() => toRequirement(path, origin()), {
      name: "UserError",
      message: `Cannot use the wheel "${path}" as Deno takes a path with a ` +
        "comma for two; rename it or its folder.\nSee mcp-run-python --help.",
      exitCode: 2,
    });
  }
});

Deno.test("toRequirement() shows no credentials", () => {
  assertRefused(
    "x @ https://ada:secret@h.example:port/x.zip",
    /"x @ \*\*\*@h\.example:port\/x\.zip"/,
  );
});

Deno.test("toRequirement() reads a long text once", () => {
  for (const part of ["[", ".whl[", "(", "a,", "a.", ";", " ", "@", "<"]) {
    try {
      // At this length, time that is not in proportion would not end.
      toRequirement(part.repeat(1_000_000), origin());
    } catch (error) {
      assert(error instanceof UserError);
    }
  }
});

Deno.test("toConstraint() takes a name with versions only", () => {
  for (const text of ["a", "a<2", 'a>=1,<2 ; os_name == "x"']) {
    assertEquals(toConstraint(text, origin()), text);
  }
  for (
    const text of [
      "a[b]<2",
      "a @ https://h.example/a-1.0-py3-none-any.whl",
      "./a.whl",
      "a==1 --hash=sha256:0a",
      "",
    ]
  ) {
    assertThrows(() => toConstraint(text, origin()), {
      name: "UserError",
      message: /: a constraint only bounds the versions of a package\. Write/,
      exitCode: 2,
    });
  }
});

Deno.test("canonicalName() names a package as an index does", () => {
  assertEquals(canonicalName("A.b__c-.d"), "a-b-c-d");
});
