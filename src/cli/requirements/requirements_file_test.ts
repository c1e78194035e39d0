import { assert, assertEquals, assertThrows } from "../../../deps/assert.ts";
import { machine } from "../../../test/support/machine.ts";
import { UserError } from "../../errors.ts";
import type { Env } from "../context.ts";
import { readRequirementsFiles } from "./requirements_file.ts";

/** Reads r.txt of the current folder; other files are given by path. */
function read(text: string, files: Record<string, string> = {}, env: Env = {}) {
  const context = machine({ "/srv/app/r.txt": text, ...files });
  return readRequirementsFiles(["r.txt"], env, context);
}

function assertRefused(run: () => unknown, message: RegExp) {
  assertThrows(run, (error) => {
    assert(error instanceof UserError, String(error));
    assertEquals(error.exitCode, 2);
    assert(message.test(error.message), error.message);
    return true;
  });
}

const NOTHING = {
  requirements: [],
  constraints: [],
  findLinks: [],
  extraIndexUrls: [],
};
const HASH = `--hash=sha256:${"0a".repeat(32)}`;

Deno.test("readRequirementsFiles() reads comments and continued lines", () => {
  const text = `\uFEFF# comment \\
numpy  # another

  pandas[excel]>=2, \\
    <4
rich @ https://example.com/rich-1-py3-none-any.whl#sha256=0a
pydantic \\
# comment inside
tqdm \\`;
  const requirements = [
    "numpy",
    "pandas[excel]>=2,     <4",
    "rich @ https://example.com/rich-1-py3-none-any.whl#sha256=0a",
    "pydantic",
    "tqdm",
  ];
  for (const eol of ["\n", "\r\n", "\r"]) {
    assertEquals(read(text.replaceAll("\n", eol)), {
      ...NOTHING,
      requirements,
    });
  }
  assertEquals(read(""), NOTHING);
});

Deno.test("readRequirementsFiles() keeps hashes with their requirement", () => {
  const text = `rich==1 \\\n    ${HASH} \\\n    --hash sha512:${
    "0b".repeat(64)
  }  # both\nnumpy ; os_name == "a" ${HASH}`;
  assertEquals(read(text).requirements, [
    `rich==1 ${HASH} --hash=sha512:${"0b".repeat(64)}`,
    `numpy ; os_name == "a" ${HASH}`,
  ]);
  assertRefused(
    () => read(`\nrich --hash=md5:${"0a".repeat(16)}`),
    /^Cannot read requirement "rich .*" in \/srv\/app\/r\.txt:2: "md5:.*" is not/,
  );
  assertRefused(() => read(HASH), /^Cannot use --hash in .*r\.txt:1: write it/);
});

Deno.test("readRequirementsFiles() reads the files that a file names", () => {
  const files = {
    "/srv/app/sub/a b.txt": "-r ../c.txt\n-cd.txt\nnumpy",
    "/srv/app/c.txt": "rich",
    "/srv/app/sub/d.txt": "numpy<3\n--constraint=e.txt\n--requirement f.txt",
    "/srv/app/sub/e.txt": "rich<99 ; os_name == 'a'",
    "/srv/app/sub/f.txt": "tqdm",
  };
  assertEquals(read(`-r "sub/a b.txt"\npydantic\n-r c.txt`, files), {
    ...NOTHING,
    requirements: ["rich", "tqdm", "numpy", "pydantic"],
    constraints: ["numpy<3", "rich<99 ; os_name == 'a'"],
  });
});

Deno.test("readRequirementsFiles() takes paths of wheels from the current folder", () => {
  const wheel = "x-1.0-py3-none-any.whl";
  const files = {
    [`/srv/app/${wheel}`]: "",
    "/srv/app/sub/s.txt": `./${wheel} ${HASH}`,
  };
  assertEquals(read("-r sub/s.txt", files).requirements, [
    `x @ file:///srv/app/${wheel} ${HASH}`,
  ]);
});

Deno.test("readRequirementsFiles() reads where packages come from", () => {
  const files = {
    "/srv/app/sub/s.txt": "-f wheels\n--find-links=other",
    "/srv/app/sub/wheels/a.whl": "",
    "/srv/app/wheels/a.whl": "",
    "/srv/app/other/a.whl": "",
  };
  const text = `-i https://a.example/simple
--index-url https://u:\${TOKEN}@b.example/simple --extra-index-url=http://c.example
--extra-index-url "https://d.example/x"
--only-binary :all:
-r sub/s.txt`;
  assertEquals(read(text, files, { TOKEN: "secret" }), {
    ...NOTHING,
    indexUrl: "https://u:secret@b.example/simple",
    extraIndexUrls: ["http://c.example/", "https://d.example/x"],
    findLinks: ["/srv/app/sub/wheels", "/srv/app/other"],
  });
  assertRefused(
    () => read("-f https://h.example/wheels"),
    /for --find-links in \/srv\/app\/r\.txt:1 as it must be a folder of this/,
  );
  assertRefused(() => read("-f none"), /"\/srv\/app\/none" .* does not exist/);
  assertRefused(() => read("-f r.txt"), /as it is not a folder/);
  assertRefused(
    () => read("-f a,b", { "/srv/app/a,b/x": "" }),
    /"\/srv\/app\/a,b" as Deno takes a path with a comma for two/,
  );
  assertRefused(
    () => read("-i ada:secret@h.example"),
    /^Cannot use "\*\*\*@h\.example" for --index-url in .*:1 as it must be/,
  );
  assertRefused(() => read("-i"), /--index-url in .* its value is missing/);
});

Deno.test("readRequirementsFiles() puts in variables as pip does", () => {
  const env = { NAME: "numpy", X_1: ">=2", lower: "no", EMPTY: "" };
  assertEquals(read("${NAME}${X_1}", {}, env).requirements, ["numpy>=2"]);
  for (const text of ["${lower}", "${EMPTY}", "${NONE}", "$NAME"]) {
    assertRefused(
      () => read(text, {}, env),
      /^Cannot read requirement ".*\$.*" in \/srv\/app\/r\.txt:1: expected/,
    );
  }
});

Deno.test("readRequirementsFiles() names the way of a file to itself", () => {
  assertRefused(
    () => read("-r ./r.txt"),
    /"\/srv\/app\/r\.txt", named in .*r\.txt:1, as it leads to itself: \/srv\/app\/r\.txt > \/srv\/app\/r\.txt\.$/,
  );
  assertRefused(
    () =>
      read("-r a.txt", {
        "/srv/app/a.txt": "numpy\n-c b.txt",
        "/srv/app/b.txt": "-r r.txt",
      }),
    /itself: \/srv\/app\/r\.txt > \/srv\/app\/a\.txt > \/srv\/app\/b\.txt > \/srv\/app\/r\.txt\.$/,
  );
  const context = machine({}, {
    readTextFile: () => "-r folder/r.txt",
  });
  assertRefused(
    () => readRequirementsFiles(["r.txt"], {}, context),
    /as it is 50 files deep/,
  );
});

Deno.test("readRequirementsFiles() reads a file once, however often it is named", () => {
  let reads = 0;
  const context = machine({}, {
    readTextFile(path) {
      reads++;
      const level = Number(/(\d+)\.txt/.exec(path)?.[1]);
      return level > 30 ? "numpy" : `-r ${level + 1}.txt\n`.repeat(10);
    },
  });
  assertEquals(readRequirementsFiles(["0.txt"], {}, context).requirements, [
    "numpy",
  ]);
  assertEquals(reads, 32);
});

Deno.test("readRequirementsFiles() refuses what it does not do, by file and line", () => {
  const wrong: Record<string, RegExp> = {
    "--no-index":
      /^Cannot use --no-index in .*:4: leave it out, and .*--offline/,
    "-e .": /^Cannot use --editable .*:4: only wheels run in WebAssembly/,
    "--editable=git+https://h.example/x": /^Cannot use --editable/,
    "--pre": /^Cannot use --pre .*:4: leave it out, and name the version/,
    "--trusted-host h.example": /^Cannot use --trusted-host .* DENO_CERT/,
    "--constructor": /^Cannot use --constructor .*:4: take it out of the file/,
    "-r r2.txt constructor": /^Cannot use "constructor" .*:4: take it out/,
    "numpy --global-option=x": /^Cannot use --global-option in .*:4: take it/,
    "numpy -r r2.txt": /^Cannot use --requirement in .*:4: take it out/,
    "-": /^Cannot use "-" in .*:4: take it out/,
    "num py": /^Cannot read requirement "num py" in .*:4: expected a package/,
    "./none.whl": /in .*:4: \/srv\/app\/none\.whl does not exist/,
    "-c https://h.example/c.txt":
      /named in .*:4, as only files of this machine/,
    "-c c.txt": /"rich\[x\]" in \/srv\/app\/c\.txt:1: a constraint only bounds/,
    "-c d.txt": /in \/srv\/app\/d\.txt:1: a constraint .* hashes belong to/,
    "-r none.txt":
      /"\/srv\/app\/none\.txt", named in .*:4: No such file or directory\. Name/,
    "-r sub": /"\/srv\/app\/sub", named in .*:4: Is a directory\. Name a file/,
    "-r nul.txt": /nul\.txt", named in .*:4, as it is not UTF-8 text; save it/,
  };
  const files = {
    "/srv/app/r2.txt": "",
    "/srv/app/c.txt": "rich[x]",
    "/srv/app/d.txt": `rich==1 ${HASH}`,
    "/srv/app/sub/x": "",
    "/srv/app/nul.txt": "\uFFFD\uFFFDn\0u\0m\0",
  };
  for (const [line, message] of Object.entries(wrong)) {
    assertRefused(() => read(`numpy\n\n# one\n${line}\n`, files), message);
  }
});

Deno.test("readRequirementsFiles() reads ten thousand lines at once", () => {
  const lines = Array.from(
    { length: 10_000 },
    (_, index) => `package-${index}==1.${index} \\\n    ${HASH} # why`,
  );
  const started = performance.now();
  assertEquals(read(lines.join("\n")).requirements.length, 10_000);
  assert(performance.now() - started < 20_000);
  assertRefused(
    () => read(`${lines.join("\n")}\n--frobnicate`),
    /r\.txt:20001: /,
  );
});

Deno.test("readRequirementsFiles() is not kept busy by odd lines", () => {
  const started = performance.now();
  for (const odd of ["\\\n", "#", " ", '"', "'", "-r\t", "${", "a#"]) {
    try {
      read(`-x ${odd.repeat(200_000)}`);
    } catch (error) {
      assert(error instanceof UserError, String(error));
    }
  }
  assert(performance.now() - started < 30_000);
});
