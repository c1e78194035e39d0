import { assert, assertEquals, assertThrows } from "../../../deps/assert.ts";
import { canonicalName } from "../../requirements/canonical_name.ts";
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
    [`other [x] @ ${at}`]: `other[x] @ ${at}`,
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
  assertRefused(`a==1 --hash=md5:${"0a".repeat(16)}`, /"md5" is no hash .*sha/);
  assertRefused("a==1 --hash=0a", /"0a" is no hash that is safe/);
  assertRefused("a==1 --hash=__proto__:0a", /"__proto__" is no hash/);
  assertRefused("a==1 --hash=sha256:0a", /its sha256 must be 64 hexadecimal/);
  assertRefused(`a --hash=sha256:${"x".repeat(64)}`, /64 hexadecimal digits/);
});

Deno.test("toRequirement() refuses what is no wheel, and says why", () => {
  const wrong: Record<string, RegExp> = {
    "a=>1": /: it is no name with versions, nor a wheel\. Write it like "name"/,
    "a[b": /no name with versions/,
    "num py": /no name with versions/,
    "-x": /no name with versions/,
    "": /no name with versions/,
    "; os_name": /no name with versions/,
    "a\0b": /"a\uFFFDb": it has control characters/,
    "a\nb": /control characters/,
    ["a".repeat(10_001)]: /more than 10000 characters/,
    "./none-1.0-py3-none-any.whl":
      /: \/srv\/app\/none-1\.0-py3-none-any\.whl does not exist\. Check/,
    "~ada/x.whl": /: \/srv\/app\/~ada\/x\.whl does not exist/,
    "./x.whl": /: "x\.whl" is no name of a wheel\. .* name-1\.0-py3-none-any/,
    "https://h.example/.whl": /no name of a wheel/,
    "./x-1.0.tar.gz": /: it is an archive that .* built\. Only wheels run/,
    "x @ https://h.example/x-1.0.zip": /archive that would have to be built/,
    "https://h.example/": /: it is no wheel\. Only wheels run/,
    "https:///": /URL does not parse/,
    "https://h.example/%zz.whl": /% that encodes nothing/,
    ".": /: \/srv\/app is a folder\. .* use --find-links/,
    "./folder.whl": /is a folder/,
    "git+https://h.example/x.git": /: it is source code in a repository\. Only/,
    "x @ git+ssh://git@h.example/x": /source code in a repository/,
    "ftp://h.example/x-1.0-py3-none-any.whl": /must start with https:, http:/,
  };
  for (const [text, message] of Object.entries(wrong)) {
    assertRefused(text, message);
  }
});

Deno.test("toRequirement() refuses a wheel in a folder that Deno would split", () => {
  assertThrows(() => toRequirement(`/srv/a,b/${WHEEL}`, origin()), {
    name: "UserError",
    message:
      /^Cannot use the wheel Some.* in "\/srv\/a,b" as Deno takes a path/,
    exitCode: 2,
  });
});

Deno.test("toRequirement() shows no credentials", () => {
  assertRefused(
    "x @ https://ada:secret@h.example/x.zip",
    /"x @ https:\/\/\*\*\*@h\.example\/x\.zip"/,
  );
});

Deno.test("toRequirement() is not kept busy by a long text", () => {
  for (const part of ["[", ".whl[", "(", "a,", "a.", ";", " ", "@", "<"]) {
    const text = part.repeat(10_000 / part.length);
    const started = performance.now();
    try {
      toRequirement(text, origin());
    } catch (error) {
      assert(error instanceof UserError);
    }
    assert(performance.now() - started < 500, part);
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
