/**
 * What can be between this machine and an index: proxies, certificates, and
 * servers that do not answer as they should.
 *
 * @module
 */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { makeCache } from "./support/cache.ts";
import type { Ended } from "./support/command.ts";
import {
  brokenOff,
  html,
  redirect,
  startIndex,
  type TestIndex,
} from "./support/index_server.ts";
import { told, versions } from "./support/told.ts";
import { wheel } from "./support/wheel.ts";

const TLS = fileURLToPath(import.meta.resolve("./fixtures/tls/"));
const AUTHORITY = join(TLS, "authority.pem");
const tls = {
  cert: await Deno.readTextFile(join(TLS, "server.pem")),
  key: await Deno.readTextFile(join(TLS, "server.key")),
};

const a = wheel({ name: "mrp-fixture-a" });
const PAGE = "/simple/mrp-fixture-a/";
const FILE = `/files/${a.filename}`;

function options(url: string): string[] {
  return ["--index-url", url, "--deps", "mrp-fixture-a", "install"];
}

function assertInstalled(ended: Ended): void {
  assertEquals(versions(ended), { "mrp-fixture-a": "1.0" }, ended.stderr);
  assertEquals(told(ended), []);
}

/** That it failed, with one error beside the warning of a source. */
function assertRefused(ended: Ended, says: RegExp): void {
  const errors = told(ended).filter((line) => !line.startsWith("warning: "));
  assertEquals(errors.length, 1, ended.stderr);
  assertMatch(String(errors[0]), says);
  assertEquals([ended.code, ended.stdout], [1, ""]);
}

/** Variables of proxies; those of this machine are hidden. */
function proxies(variables: Record<string, string>): Record<string, string> {
  const names = ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"];
  return Object.fromEntries(names.flatMap((name) => [
    [name, variables[name] ?? ""],
    [name.toLowerCase(), variables[name] ?? ""],
  ]));
}

/** A proxy that opens tunnels for HTTPS. */
function startTunnels(): AsyncDisposable & {
  origin: string;
  /** First lines of requests. */
  requests: string[];
} {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const requests: string[] = [];
  const serve = async () => {
    for await (const client of listener) {
      tunnel(client, requests).catch(() => client.close());
    }
  };
  const served = serve();
  return {
    origin: `http://127.0.0.1:${listener.addr.port}`,
    requests,
    async [Symbol.asyncDispose]() {
      listener.close();
      await served;
    },
  };
}

async function tunnel(client: Deno.TcpConn, requests: string[]): Promise<void> {
  let head = "";
  const buffer = new Uint8Array(4096);
  while (!head.includes("\r\n\r\n")) {
    const length = await client.read(buffer);
    if (length === null) return client.close();
    head += new TextDecoder().decode(buffer.subarray(0, length));
  }
  requests.push(head.slice(0, head.indexOf("\r\n")));
  const [, port] = /^CONNECT 127\.0\.0\.1:(\d+) /.exec(head) ?? [];
  const server = await Deno.connect({
    hostname: "127.0.0.1",
    port: Number(port),
  });
  await client.write(
    new TextEncoder().encode("HTTP/1.1 200 Connection established\r\n\r\n"),
  );
  await Promise.allSettled([
    client.readable.pipeTo(server.writable),
    server.readable.pipeTo(client.writable),
  ]);
}

Deno.test("proxies are used, but not for what NO_PROXY names", async (test) => {
  await using cache = await makeCache();
  await using index = startIndex([a]);
  await test.step("HTTP_PROXY", async () => {
    // Nobody else knows this host; the proxy has what it asks for.
    const env = proxies({
      HTTP_PROXY: index.origin,
      NO_PROXY: "other.invalid",
    });
    assertInstalled(
      await cache.command(options("http://index.invalid/simple"), { env }),
    );
    assertEquals(index.requests, [PAGE, FILE]);
  });
  await test.step("NO_PROXY", async () => {
    await cache.forgetWheels();
    await using proxy = startIndex([]);
    const env = proxies({ HTTP_PROXY: proxy.origin, NO_PROXY: "127.0.0.1" });
    assertInstalled(await cache.command(options(index.url), { env }));
    assertEquals(proxy.requests, []);
  });
  await test.step("HTTPS_PROXY", async () => {
    await cache.forgetWheels();
    await using secure = startIndex([a], { tls });
    await using proxy = startTunnels();
    const env = {
      ...proxies({ HTTPS_PROXY: proxy.origin }),
      SSL_CERT_FILE: AUTHORITY,
      // The command's own Deno would ask through the proxy, too.
      DENO_NO_UPDATE_CHECK: "1",
    };
    assertInstalled(await cache.command(options(secure.url), { env }));
    const { host } = new URL(secure.url);
    assert(proxy.requests.length > 0);
    assertEquals(
      proxy.requests,
      proxy.requests.map(() => `CONNECT ${host} HTTP/1.1`),
    );
  });
  await test.step("one that is down is named", async () => {
    await cache.forgetWheels();
    const gone = startIndex([]);
    await gone[Symbol.asyncDispose]();
    const env = proxies({
      HTTP_PROXY: gone.origin.replace("//", "//u:s3cret@"),
    });
    const ended = await cache.command(options("http://other.invalid/simple"), {
      env,
    });
    assertRefused(
      ended,
      /^error: Cannot find "mrp-fixture-a"\..*other\.invalid: Connection refused.* Check the network/,
    );
    assert(!ended.stderr.includes("s3cret"), ended.stderr);
  });
});

Deno.test("a certificate of one's own is trusted if it is named", async (test) => {
  await using cache = await makeCache();
  await using index = startIndex([a], { tls });
  const certificates: Record<string, [Record<string, string>, url?: string]> = {
    "by SSL_CERT_FILE": [{ SSL_CERT_FILE: AUTHORITY, DENO_CERT: "" }],
    "by DENO_CERT": [
      { DENO_CERT: AUTHORITY, SSL_CERT_FILE: "" },
      index.url.replace("127.0.0.1", "localhost"),
    ],
  };
  for (const [name, [env, url = index.url]] of Object.entries(certificates)) {
    await test.step(name, async () => {
      await cache.forgetWheels();
      assertInstalled(await cache.command(options(url), { env }));
    });
  }
  await cache.forgetWheels();
  await test.step("and where it leads to no more is believed than with it", async () => {
    await using open = startIndex([a]);
    await using secure = startIndex([], {
      answers: { [PAGE]: () => redirect(open.origin + PAGE) },
      tls,
    });
    const ended = await cache.command(options(secure.url), {
      env: { SSL_CERT_FILE: AUTHORITY, DENO_CERT: "" },
    });
    assertRefused(
      ended,
      /^error: Cannot find "mrp-fixture-a"\..*127\.0\.0\.1:\d+: it redirects from https to http\./,
    );
  });
  await test.step("and not without, which is said with the remedy", async () => {
    const refused = await cache.command([
      ...["--deps", `${index.origin}${FILE}`, "install"],
    ], { env: { SSL_CERT_FILE: "", DENO_CERT: "" } });
    assertRefused(
      refused,
      /^error: Cannot download mrp_fixture_a-.* from 127\.0\.0\.1:\d+: .*certificate.*SSL_CERT_FILE.*"env": \{"DENO_TLS_CA_STORE": "system"\}/,
    );
  });
  const odd = join(cache.folder, "odd.pem");
  await Deno.writeTextFile(odd, "no certificate");
  const files = {
    "is not there": join(cache.folder, "gone.pem"),
    "has none": odd,
  };
  for (const [name, path] of Object.entries(files)) {
    await test.step(`by a file that ${name}, it is not`, async () => {
      const ended = await cache.command([
        ...["--deps", `${index.origin}${FILE}`, "install"],
      ], {
        env: { SSL_CERT_FILE: path, DENO_CERT: "" },
      });
      assertRefused(ended, /SSL_CERT_FILE/);
    });
  }
});

/** Fails a number of times before it is as it should be. */
function later(
  times: number,
  bad: () => Response,
): () => Response | undefined {
  let left = times;
  return () => left-- > 0 ? bad() : undefined;
}

const unavailable = () => html("A moment, please", 503);

Deno.test("what may pass is tried again, and what does not is named", async (test) => {
  await using cache = await makeCache();
  const refused = async (index: TestIndex, says: RegExp) =>
    assertRefused(await cache.command(options(index.url)), says);

  await test.step("a server that is not available yet", async () => {
    await using index = startIndex([a], {
      answers: { [PAGE]: later(2, unavailable), [FILE]: later(2, unavailable) },
    });
    assertInstalled(await cache.command(options(index.url)));
    assertEquals(index.requests, [PAGE, PAGE, PAGE, FILE, FILE, FILE]);
  });
  await test.step("a connection that breaks", async () => {
    await cache.forgetWheels();
    const broken = () => brokenOff(a.bytes);
    await using index = startIndex([a], {
      answers: { [PAGE]: later(1, broken), [FILE]: later(1, broken) },
    });
    assertInstalled(await cache.command(options(index.url)));
    assertEquals(index.requests, [PAGE, PAGE, FILE, FILE]);
  });
  await test.step("one that always does", async () => {
    await cache.forgetWheels();
    await using index = startIndex([a], {
      answers: { [PAGE]: () => brokenOff(a.bytes) },
    });
    const ended = await cache.command(options(index.url));
    assertRefused(
      ended,
      /^error: Cannot find "mrp-fixture-a"\..*127\.0\.0\.1:\d+: /,
    );
    assertEquals(index.requests.length, 3);
  });
  await test.step("a server that stays unavailable", async () => {
    await using index = startIndex([a], { answers: { [PAGE]: unavailable } });
    await refused(index, /: it answered with status 503\./);
    assertEquals(index.requests.length, 3);
  });
  await test.step("redirects in a circle", async () => {
    await using index = startIndex([a], {
      answers: { [PAGE]: () => redirect("/a"), "/a": () => redirect(PAGE) },
    });
    const ended = await cache.command(options(index.url));
    assertRefused(
      ended,
      /^error: Cannot find "mrp-fixture-a"\..*127\.0\.0\.1:\d+: .*redirect/i,
    );
  });
  await test.step("a redirect to a login page", async () => {
    await using index = startIndex([a], {
      answers: {
        [PAGE]: () => redirect("/login"),
        "/login": () => html("<form>Name, password</form>"),
      },
    });
    await refused(index, /not a list of files \(is it a login page\?\)/);
  });
  await test.step("a login page in place of a wheel", async () => {
    await using index = startIndex([a], {
      answers: { [FILE]: () => html("<form>Name, password</form>") },
    });
    const url = index.origin + FILE;
    const ended = await cache.command(["--deps", url, "install"]);
    assertRefused(
      ended,
      /^error: Cannot install mrp-fixture-a 1\.0 from .*File is not a zip file/,
    );
  });
});
