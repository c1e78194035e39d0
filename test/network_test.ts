/**
 * Phase 1 and the network: credentials, proxies, certificates, bad servers.
 *
 * @module
 */
import { join } from "node:path";
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { makeCache } from "./support/cache.ts";
import { CLI } from "./support/command.ts";
import { brokenOff, html, startIndex } from "./support/index_server.ts";
import { descendants } from "./support/processes.ts";
import { told } from "./support/told.ts";
import { wheel } from "./support/wheel.ts";

const good = wheel({ name: "mrp-fixture-good" });
const other = wheel({ name: "mrp-fixture-other" });
const DEPS = ["--deps", "mrp-fixture-good"];
const SECRET = "s3cr3t-w0rd";
const TLS = new URL("./fixtures/tls/", import.meta.url);

function basic(name: string): string {
  return `Basic ${btoa(`${name}:${SECRET}`)}`;
}

Deno.test("credentials reach their host, and are seen nowhere else", async (test) => {
  await using cache = await makeCache();
  const lock = join(cache.folder, "lock");
  const shown: string[] = [];
  await test.step("of the index's address", async () => {
    await using index = startIndex([good]);
    const url = index.url.replace("://", `://ada:${SECRET}@`);
    const args = ["--index-url", url, ...DEPS];
    for (
      const command of [["install"], ["lock", lock], ["--verbose", "doctor"]]
    ) {
      const { stdout, stderr } = await cache.command([...args, ...command]);
      shown.push(stdout, stderr);
    }
    assertEquals(new Set(index.credentials), new Set([basic("ada")]));
  });
  await test.step("of netrc", async () => {
    await using index = startIndex([other]);
    const netrc = join(cache.folder, "netrc");
    await Deno.writeTextFile(
      netrc,
      `machine elsewhere.example login eve password x\nmachine 127.0.0.1\n  login bob password ${SECRET}\n`,
    );
    const { code, stdout, stderr } = await cache.command(
      ["--index-url", index.url, "--deps", "mrp-fixture-other", "install"],
      { env: { NETRC: netrc } },
    );
    assertEquals(code, 0, stderr);
    shown.push(stdout, stderr);
    assertEquals(new Set(index.credentials), new Set([basic("bob")]));
    await Deno.remove(netrc);
  });
  await test.step("not after a redirect to another host", async () => {
    await using target = startIndex([good]);
    const away = target.url.replace("127.0.0.1", "localhost");
    await using index = startIndex([], {
      answers: {
        "/simple/mrp-fixture-good/": () =>
          Response.redirect(`${away}/mrp-fixture-good/`),
      },
    });
    const url = index.url.replace("://", `://ada:${SECRET}@`);
    const { stderr } = await cache.command([
      ...["--index-url", url],
      ...DEPS,
      ...["install", "--dry-run"],
    ], { env: { NO_PROXY: "127.0.0.1,localhost" } });
    shown.push(stderr);
    assertEquals(index.credentials, [basic("ada")]);
    assert(target.credentials.every((one) => one === null));
  });
  await test.step("of an index that fails", async () => {
    await using index = startIndex([], {
      answers: { "/simple/mrp-fixture-gone/": () => html("no", 500) },
    });
    const url = index.url.replace("://", `://ada:${SECRET}@`);
    const { code, stdout, stderr } = await cache.command([
      ...["--verbose", "--index-url", url],
      ...["--deps", "mrp-fixture-gone", "install"],
    ]);
    assertEquals(code, 1);
    shown.push(stdout, stderr);
  });
  for (const text of shown) assert(!text.includes(SECRET), text);
  for (const path of filesBelow(cache.folder)) {
    const bytes = await Deno.readFile(path);
    const text = new TextDecoder("latin1").decode(bytes);
    assert(!text.includes(SECRET), path);
  }
});

Deno.test({
  name: "credentials are in no command line of ours",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using cache = await makeCache();
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<undefined>();
    await using index = startIndex([good], {
      answers: {
        "/simple/mrp-fixture-good/": () => {
          asked.resolve();
          return answer.promise;
        },
      },
    });
    const url = index.url.replace("://", `://ada:${SECRET}@`);
    await using launcher = new Deno.Command(Deno.execPath(), {
      args: [
        ...["run", "-A", CLI, "--cache-dir", cache.folder],
        ...DEPS,
        "install",
      ],
      env: { MCP_RUN_PYTHON_INDEX_URL: url },
      stdout: "null",
      stderr: "null",
    }).spawn();
    await asked.promise;
    const lines = [launcher.pid, ...descendants(launcher.pid)].map((pid) =>
      Deno.readTextFileSync(`/proc/${pid}/cmdline`)
    );
    assert(lines.length > 1);
    for (const line of lines) assert(!line.includes(SECRET), line);
    answer.resolve(undefined);
    assertEquals((await launcher.status).code, 0);
  },
});

Deno.test("a proxy is used, but not for hosts that need none", async () => {
  await using cache = await makeCache();
  await using index = startIndex([good]);
  const asked: string[] = [];
  const proxy = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    (request) => {
      asked.push(request.url);
      return fetch(request.url.replace("index.invalid", "127.0.0.1"));
    },
  );
  try {
    const url = index.url.replace("127.0.0.1", "index.invalid");
    const env = {
      ...{ HTTP_PROXY: `http://127.0.0.1:${proxy.addr.port}`, http_proxy: "" },
      ...{ NO_PROXY: "", no_proxy: "" },
    };
    const args = ["--index-url", url, ...DEPS, "install", "--dry-run"];
    const { code, stderr } = await cache.command(args, { env });
    assertEquals(code, 0, stderr);
    assert(asked.length > 0);
    asked.length = 0;
    const direct = ["--index-url", index.url, ...DEPS, "install", "--dry-run"];
    const without = { ...env, NO_PROXY: "127.0.0.1", no_proxy: "127.0.0.1" };
    const ended = await cache.command(direct, { env: without });
    assertEquals(ended.code, 0, ended.stderr);
    assertEquals(asked, []);
  } finally {
    await proxy.shutdown();
  }
});

Deno.test("a certificate of one's own authority is trusted when it is named", async () => {
  await using cache = await makeCache();
  const [cert, key] = await Promise.all(["server.pem", "server.key"].map(
    (name) => Deno.readTextFile(new URL(name, TLS)),
  ));
  await using index = startIndex([good], {
    tls: { cert: String(cert), key: String(key) },
  });
  const args = ["--index-url", index.url, ...DEPS, "install"];
  const refused = await cache.command(args);
  assertMatch(
    String(told(refused).at(-1)),
    /^error: Cannot find "mrp-fixture-good"\. .*certificate.*SSL_CERT_FILE/,
  );
  const authority = new URL("authority.pem", TLS).pathname;
  for (const name of ["SSL_CERT_FILE", "DENO_CERT"]) {
    const dryRun = [...args, "--dry-run"];
    const { code, stderr } = await cache.command(dryRun, {
      env: { [name]: authority },
    });
    assertEquals(code, 0, stderr);
  }
});

Deno.test("a server that fails for a moment is asked again; one that fails is named", async (test) => {
  await using cache = await makeCache();
  const page = "/simple/mrp-fixture-good/";
  const file = `/files/${good.filename}`;
  await test.step("busy twice", async () => {
    let left = 2;
    await using index = startIndex([good], {
      answers: {
        [page]: () => left-- > 0 ? html("busy", 503) : undefined,
      },
    });
    const args = ["--index-url", index.url, ...DEPS, "install", "--dry-run"];
    const { code, stderr } = await cache.command(args);
    assertEquals(code, 0, stderr);
    assertEquals(index.requests.filter((path) => path === page).length, 3);
  });
  await test.step("a download that breaks off, once", async () => {
    await cache.forgetWheels();
    let left = 1;
    await using index = startIndex([good], {
      answers: {
        [file]: () => left-- > 0 ? brokenOff(good.bytes) : undefined,
      },
    });
    const args = ["--index-url", index.url, ...DEPS, "install"];
    const { code, stderr } = await cache.command(args);
    assertEquals(code, 0, stderr);
  });
  await test.step("redirects in a circle", async () => {
    const index = startIndex([], {
      answers: {
        [page]: () => Response.redirect(`${index.url}/mrp-fixture-good/`),
      },
    });
    await using _index = index;
    const args = ["--index-url", index.url, ...DEPS, "install", "--dry-run"];
    const refused = await cache.command(args);
    assertMatch(
      String(told(refused).at(-1)),
      /^error: Cannot find "mrp-fixture-good"\. .*127\.0\.0\.1:\d+: .*redirect/i,
    );
  });
  await test.step("a body that is larger than announced", async () => {
    await cache.forgetWheels();
    await using index = startIndex([good], {
      answers: { [file]: () => endless() },
    });
    const args = ["--index-url", index.url, ...DEPS, "--constraints"];
    const refused = await cache.command([
      ...args,
      "mrp-fixture-good<9",
      "install",
    ]);
    assertMatch(
      String(told(refused).at(-1)),
      /^error: Cannot download mrp_fixture_good-1\.0-py3-none-any\.whl from .*: it is larger than \d+ bytes/,
    );
  });
});

function endless(): Response {
  const piece = new Uint8Array(1 << 16);
  return new Response(
    new ReadableStream({ pull: (controller) => controller.enqueue(piece) }),
  );
}

function* filesBelow(folder: string): Generator<string> {
  for (const { name, isDirectory } of Deno.readDirSync(folder)) {
    const path = join(folder, name);
    if (isDirectory) yield* filesBelow(path);
    else yield path;
  }
}
