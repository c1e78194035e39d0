/**
 * Credentials: they reach the host that they are for, and nothing else.
 *
 * @module
 */
import { join } from "node:path";
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { makeCache, type TestCache } from "./support/cache.ts";
import { CLI, type Ended } from "./support/command.ts";
import {
  redirect,
  startIndex,
  type TestIndex,
} from "./support/index_server.ts";
import { descendants } from "./support/processes.ts";
import { startServer } from "./support/server.ts";
import { told, versions } from "./support/told.ts";
import { hash, wheel } from "./support/wheel.ts";

const NAME = "fixture-user";
/** As it is, and as it must stand in a URL. */
const PASSWORD = "s3cret:p@ss/word%";
const IN_URL = encodeURIComponent(PASSWORD);
const wants = `${NAME}:${PASSWORD}`;

/** What must be found nowhere. */
const SECRETS = [
  ...[PASSWORD, IN_URL, "s3cret"],
  btoa(wants).replaceAll("=", ""),
];

const a = wheel({ name: "mrp-fixture-a", requires: ["mrp-fixture-b"] });
const b = wheel({ name: "mrp-fixture-b" });

function withCredentials(url: string): string {
  return url.replace("://", `://${NAME}:${IN_URL}@`);
}

function assertHidden(text: string, where: string): void {
  for (const secret of SECRETS) {
    assert(!text.includes(secret), `${where} has a secret: ${text}`);
  }
}

function assertUntold({ stdout, stderr }: Ended): void {
  assertHidden(stdout, "stdout");
  assertHidden(stderr, "stderr");
}

/** That no file below a folder has a secret, or is named after one. */
async function assertUnwritten(folder: string): Promise<void> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = join(folder, name);
    assertHidden(name, folder);
    if (isDirectory) await assertUnwritten(path);
    else assertHidden(latin1(await Deno.readFile(path)), path);
  }
}

function latin1(bytes: Uint8Array): string {
  return new TextDecoder("latin1").decode(bytes);
}

/** That each request came with the credentials. */
function assertGiven({ credentials }: TestIndex): void {
  assert(credentials.length > 0);
  assertEquals(credentials, credentials.map(() => wants));
}

Deno.test("credentials of a URL are sent, and are found nowhere", async (test) => {
  await using cache = await makeCache();
  await using index = startIndex([a, b], { wants });
  const url = withCredentials(index.url);
  const env = { MCP_RUN_PYTHON_INDEX_URL: url };

  await test.step("not in what is printed or kept", async () => {
    const ended = await cache.command(
      ["--verbose", "--deps", "mrp-fixture-a", "install"],
      { env },
    );
    assertEquals(Object.keys(versions(ended)).length, 2, ended.stderr);
    assertGiven(index);
    assertUntold(ended);
  });
  await test.step("not in a lock file", async () => {
    const path = join(cache.folder, "mcp-run-python.lock");
    const ended = await cache.command([
      ...["--index-url", url, "--deps", "mrp-fixture-a", "lock", path],
    ]);
    assertEquals(ended.code, 0, ended.stderr);
    assertUntold(ended);
  });
  await test.step("another password is not another environment", async () => {
    const all = index.credentials.length;
    const other = url.replace(IN_URL, "100%");
    await installs(cache, ["--deps", "mrp-fixture-a", "--index-url", other]);
    assertEquals(index.credentials.length, all);
    await cache.forgetWheels();
    const refused = await cache.command([
      ...["--deps", "mrp-fixture-b", "--index-url", other, "install"],
    ]);
    assertMatch(refused.stderr, /^error: Cannot find "mrp.* status 401\./m);
    assertEquals(index.credentials.at(-1), `${NAME}:100%`);
  });
  await test.step("not in the tool's description", async () => {
    await using server = await startServer([
      ...["--cache-dir", cache.folder, "--index-url", url],
      ...["--deps", "mrp-fixture-a"],
    ]);
    const { tools } = await server.client.listTools();
    assertMatch(String(tools[0]?.description), /mrp-fixture-a 1\.0/);
    assertHidden(JSON.stringify(tools), "the description");
    const said = await server.call(
      "import os; print(os.environ, open('/proc/self/environ').read() if os.path.exists('/proc/self/environ') else '')",
    );
    assertHidden(JSON.stringify(said.structured), "a run");
  });
  await test.step("not in errors", async () => {
    await cache.forgetWheels();
    for (
      const args of [
        ["--deps", "mrp-fixture-gone"],
        [
          "--deps",
          `y @ ${withCredentials(`${index.origin}/x-1-py3-none-any.whl`)}`,
        ],
        ["--dist", withCredentials(`${index.origin}/dist`), "--deps", "x"],
      ]
    ) {
      const ended = await cache.command([...args, "--verbose", "install"], {
        env,
      });
      assert(ended.code > 0);
      assert(told(ended).length <= 2, ended.stderr);
      assertUntold(ended);
    }
  });
  await assertUnwritten(cache.folder);
});

Deno.test("credentials are on the command line of no process that is started", async () => {
  await using cache = await makeCache();
  const held = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  await using index = startIndex([b], {
    wants,
    answers: {
      "/simple/mrp-fixture-b/": async () => {
        asked.resolve();
        await held.promise;
        return undefined;
      },
    },
  });
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "-A", CLI, "--cache-dir", cache.folder],
      ...["--deps", "mrp-fixture-b", "install"],
    ],
    env: { MCP_RUN_PYTHON_INDEX_URL: withCredentials(index.url) },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const ended = child.output();
  await asked.promise;
  const pids = [child.pid, ...descendants(child.pid)];
  try {
    for (const pid of pids) {
      const read = (file: string) => Deno.readTextFile(`/proc/${pid}/${file}`);
      assertHidden(await read("cmdline"), "a command line");
      if (pid !== child.pid) assertHidden(await read("environ"), "a child");
    }
  } finally {
    held.resolve();
  }
  assert(pids.length > 1);
  assertEquals((await ended).code, 0);
});

/** Runs `install`, and says what it told if it fails. */
async function installs(
  cache: TestCache,
  args: string[],
  env: Record<string, string> = {},
): Promise<void> {
  const ended = await cache.command([...args, "install"], { env });
  assertEquals(ended.code, 0, ended.stderr);
  assertUntold(ended);
}

Deno.test("credentials go to their own host, and not where that sends us", async (test) => {
  await using cache = await makeCache();
  const file = `/files/${b.filename}`;
  await using other = startIndex([b]);
  const page = "/simple/mrp-fixture-b/";
  await using index = startIndex([], {
    wants,
    answers: {
      [page]: () => redirect(`${other.origin}${page}`),
      [file]: () =>
        redirect(other.origin.replace("127.0.0.1", "localhost") + file),
    },
  });
  const assertUngiven = () => {
    assert(other.credentials.length > 0);
    assertEquals(other.credentials, other.credentials.map(() => null));
    assertGiven(index);
    other.credentials.length = index.credentials.length = 0;
  };
  await test.step("of an index", async () => {
    await installs(cache, [
      ...["--deps", "mrp-fixture-b"],
      ...["--index-url", withCredentials(index.url)],
    ]);
    assertUngiven();
  });
  await test.step("of a wheel", async () => {
    await cache.forgetWheels();
    await installs(cache, ["--deps", withCredentials(index.origin + file)]);
    assertUngiven();
  });
  await test.step("of a distribution, which is not asked for other hosts", async () => {
    await cache.forgetWheels();
    await using dist = startIndex([], {
      wants,
      answers: {
        "/dist/pyodide-lock.json": () =>
          Response.json({ info: { abi_version: "2026_0" }, packages: {} }),
      },
    });
    await installs(cache, [
      ...["--deps", "mrp-fixture-b", "--index-url", other.url],
      ...["--dist", withCredentials(`${dist.origin}/dist/`)],
    ]);
    assertGiven(dist);
    assertEquals(other.credentials, other.credentials.map(() => null));
  });
  await assertUnwritten(cache.folder);
});

Deno.test("credentials of a netrc file are sent to its machines", async (test) => {
  await using cache = await makeCache();
  await using home = await makeHome();
  await using index = startIndex([b], { wants });
  await using open = startIndex([a, b]);
  const args = ["--deps", "mrp-fixture-b", "--index-url", index.url];
  const netrc = `machine other.invalid login x password y
machine 127.0.0.1
  login ${NAME} password "${PASSWORD}"
`;
  await test.step("that NETRC names", async () => {
    const path = join(home.folder, "elsewhere");
    await Deno.writeTextFile(path, netrc);
    await installs(cache, args, { NETRC: path });
    assertGiven(index);
    await Deno.remove(path);
  });
  await test.step("of the home folder", async () => {
    await cache.forgetWheels();
    await Deno.writeTextFile(join(home.folder, ".netrc"), netrc);
    index.credentials.length = 0;
    const url = `${index.origin}/files/${b.filename}`;
    await installs(cache, ["--deps", url], {
      HOME: home.folder,
      DENO_DIR: await denoDir(),
    });
    assertGiven(index);
  });
  await test.step("and not to others", async () => {
    await cache.forgetWheels();
    const url = open.url.replace("127.0.0.1", "localhost");
    await installs(cache, ["--deps", "mrp-fixture-b", "--index-url", url], {
      HOME: home.folder,
      DENO_DIR: await denoDir(),
    });
    assertEquals(open.credentials, open.credentials.map(() => null));
  });
  await assertUnwritten(cache.folder);
});

async function makeHome(): Promise<{ folder: string } & AsyncDisposable> {
  const folder = await Deno.makeTempDir({ prefix: "mcp-run-python-" });
  return {
    folder,
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}

/** Where Deno has what it cached, which another home would hide. */
async function denoDir(): Promise<string> {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json"],
  }).output();
  return JSON.parse(new TextDecoder().decode(stdout)).denoDir;
}

Deno.test("credentials in addresses that others wrote are sent, and kept nowhere", async () => {
  await using cache = await makeCache();
  await using index = startIndex([b], { wants });
  await using home = await makeHome();
  const path = join(home.folder, "pylock.toml");
  const url = withCredentials(`${index.origin}/files/${b.filename}`);
  await Deno.writeTextFile(
    path,
    `lock-version = "1.0"
created-by = "test"
[[packages]]
name = "mrp-fixture-b"
version = "1.0"
[[packages.wheels]]
name = "${b.filename}"
url = "${url}"
hashes = { sha256 = "${hash(b.bytes)}" }
`,
  );
  await installs(cache, ["--locked", path]);
  assertGiven(index);

  await cache.forgetWheels();
  await using linking = startIndex([], {
    answers: {
      "/simple/mrp-fixture-b/": () =>
        Response.json({ files: [{ filename: b.filename, url }] }),
    },
  });
  const source = ["--deps", "mrp-fixture-b", "--index-url", linking.url];
  await installs(cache, source);
  assertGiven(index);
  const lock = join(cache.folder, "mcp-run-python.lock");
  const ended = await cache.command([...source, "lock", lock]);
  assertEquals(ended.code, 0, ended.stderr);
  await assertUnwritten(cache.folder);
});
