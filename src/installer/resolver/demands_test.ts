import { assertEquals, assertMatch } from "../../../deps/assert.ts";
import { startInstaller } from "../../../test/support/installer_python.ts";

const { run, module } = await startInstaller();
run(`
from mcp_installer.demands import read_demands
from mcp_installer.refused import Refused

def told(line):
    try:
        return [
            f"{one.name} {sorted(one.extras)} {one.specifier} {one.wheel and one.wheel.url} {len(one.hashes)}"
            for one in read_demands([line])
        ]
    except Refused as error:
        return [f"{error.exit_code}: {error}"]
`);

/** The demands that a requirement makes, or the error that refuses it. */
function read(line: string): string[] {
  return Object(run(`told(${JSON.stringify(line)})`)).toJs();
}

Deno.test("read_demands() reads names, extras, versions, markers and hashes", () => {
  const hash = ` --hash=sha256:${"0a".repeat(32)}`;
  const lines: Record<string, string[]> = {
    "Numpy": ["numpy []  None 0"],
    "A.b_c-d==1!2.0rc1": ["a-b-c-d [] ==1!2.0rc1 None 0"],
    "a (>=1,<2)": ["a [] <2,>=1 None 0"],
    "a [X_y, html] >= 2 , <4": ["a ['html', 'x-y'] <4,>=2 None 0"],
    'a ; python_version > "3"': ["a []  None 0"],
    'a ; python_version < "3"': [],
    [`a==1${hash}${hash.replaceAll("0", "1")}`]: ["a [] ==1 None 2"],
  };
  for (const [line, demands] of Object.entries(lines)) {
    assertEquals(read(line), demands, line);
  }
});

Deno.test("read_demands() reads the URL of a wheel", () => {
  const url = "https://h.example/x-1.0-py3-none-any.whl";
  for (const line of [`x @ ${url}`, `x @ ${url} ; python_version > "3"`]) {
    assertEquals(read(line), [`x []  ${url} 0`]);
  }
  assertEquals(read(`x[y] @ file:///x-1.0-py3-none-any.whl#sha256=0a`), [
    "x ['y']  file:///x-1.0-py3-none-any.whl 1",
  ]);
});

Deno.test("read_demands() says which part of a requirement is wrong", () => {
  const wrong: Record<string, string> = {
    "a=>1": '"=>1" is not a range of versions',
    "a>=1,,<2": '">=1,,<2" is not a range of versions',
    "num py": '"py" is not a range of versions',
    "a[b": '"[b" is not a list of extras',
    "a>1 ; nonsense == 'x'": `"nonsense == 'x'" is not a marker`,
    "a ;": '"" is not a marker',
    "-x": "expected a package name",
    "": "expected a package name",
  };
  for (const [line, reason] of Object.entries(wrong)) {
    assertEquals(read(line), [
      `2: Cannot read requirement "${line}": ${reason}. ` +
      'Write it like "name" or "name>=1.0".',
    ]);
  }
});

Deno.test("read_demands() says why a URL is not of a wheel", () => {
  const wrong: Record<string, RegExp> = {
    "https://h.example/x-1.0.tar.gz":
      /"h\.example\/x-1\.0\.tar\.gz": it is an archive that .* built\. Only wheels run/,
    "https://h.example/x-1.0.ZIP": /archive that would have to be built/,
    "git+ssh://git@h.example/x.git":
      /"h\.example\/x\.git": it is source code in a repository\. Only wheels/,
    "https://h.example/": /: it is not a wheel\. Only wheels run/,
    "file:///x.whl": /: "x\.whl" is not a name of a wheel\. .* name-1\.0-py3/,
    "ftp://h.example/x-1.0-py3-none-any.whl":
      /: its URL must start with https:, http: or file:\.$/,
    "https://h.example/y-1.0-py3-none-any.whl": /that is a wheel of y\.$/,
  };
  for (const [url, message] of Object.entries(wrong)) {
    const [said] = read(`x @ ${url}`);
    assertMatch(String(said), /^2: Cannot install /);
    assertMatch(String(said), message);
  }
});

Deno.test("probe() refuses a malformed requirement, as plan() would", () => {
  const probe = (order: object) =>
    JSON.parse(
      module("plan").probe(
        {},
        JSON.stringify({ requirements: [], constraints: [], ...order }),
      ),
    );
  for (const order of [{ requirements: ["x>"] }, { constraints: ["x>"] }]) {
    const { error, exitCode } = probe(order);
    assertMatch(error, /^Cannot read requirement "x>": ">" is not a range/);
    assertEquals(exitCode, 2);
  }
});
