/**
 * The network that a user grants, through the real processes: which libraries
 * reach it, and how a refusal is told. Ways out are in `escape_network_test.ts`.
 *
 * @module
 */
import { fileURLToPath } from "node:url";
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { log } from "../src/log.ts";
import { onEachPyodide } from "./support/each_pyodide.ts";
import { makeCache } from "./support/cache.ts";
import { CACHE, CLI, command } from "./support/command.ts";
import { startIndex } from "./support/index_server.ts";
import { descendants } from "./support/processes.ts";
import { connectTo, startServer } from "./support/server.ts";
import { shareServer } from "./support/shared_server.ts";
import { startWebServer } from "./support/web_server.ts";
import { wheel } from "./support/wheel.ts";

/** For all tests that do not look at its requests. */
const web = startWebServer();
Deno.test.afterAll(async () => await web[Symbol.asyncDispose]());

onEachPyodide(
  "network: urllib reaches a host that is granted",
  async (options) => {
    const server = await shareServer([...options, "--allow-net", web.host]);
    const { returnValue, text } = await server.call(
      `
import json, urllib.error, urllib.request, http.client
def get(path, data=None, **options):
    request = urllib.request.Request("${web.origin}" + path, data, **options)
    with urllib.request.urlopen(request, timeout=20) as response:
        return response.status, response.read()
said = [get("/a")[1].decode()]
echo = json.loads(get("/echo", b"x" * 100_000, headers={"X-A": "1"}, method="PUT")[1])
said += [echo["method"], len(echo["body"]), echo["headers"]["x-a"], echo["headers"]["user-agent"][:13]]
said.append(get("/redirect?/b")[1].decode())
said.append(get("/gzip")[1].decode())
said.append(len(get("/bytes?5000000")[1]))
try:
    get("/status?404")
except urllib.error.HTTPError as error:
    said += [error.code, error.read().decode()]
cookies = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
cookies.open("${web.origin}/cookies").read()
said.append(cookies.open("${web.origin}/cookies").read().decode())
connection = http.client.HTTPConnection("${web.host}")
for body in (b"abc", iter([b"de", b"fg"])):
    connection.request("POST", "/echo", body)
    said.append(json.loads(connection.getresponse().read())["body"])
try:
    urllib.request.urlopen("${web.origin}/never", timeout=0.2)
except TimeoutError as error:
    said.append(str(error))
said`,
      { timeout: 300 },
    );
    assertEquals(returnValue, [
      "hello /a",
      ...["PUT", 100_000, "1", "Python-urllib"],
      ...["hello /b", "as it is", 5_000_000, 404, "status 404", "a=1; b=2"],
      ...["abc", "defg", "timed out"],
    ], text);
  },
);

onEachPyodide(
  "network: pyodide.http reaches a host that is granted; js.fetch says so",
  async (options) => {
    const server = await shareServer([...options, "--allow-net", web.host]);
    const { returnValue, text } = await server.call(
      `
import asyncio, json, js
from pyodide.http import FetchResponse, open_url, pyfetch
from pyodide.ffi import JsException, to_js
response = await pyfetch("${web.origin}/a")
said = [response.status, response.ok, await response.text(), "text/plain" in response.headers["content-type"]]
echo = await (await pyfetch("${web.origin}/echo", method="POST", body="körper", headers={"X-A": "1"})).json()
said += [echo["method"], echo["body"], echo["headers"]["x-a"]]
response = await pyfetch("${web.origin}/redirect?/b")
said += [response.redirected, response.url.removeprefix("${web.origin}"), (await response.bytes()).decode()]
said.append(len(await (await pyfetch("${web.origin}/bytes?3000000")).bytes()))
said.append(len(await (await pyfetch("${web.origin}/gzip")).text()))
said.append(open_url("${web.origin}/c").read())
try:
    js.fetch("${web.origin}/d")
except JsException as error:
    said.append(str(error))
try:
    from pyodide.http import pyxhr  # from 314 on
    said.append(pyxhr.get("${web.origin}/bytes?300").content == b"\\x07" * 300)
except ImportError:
    said.append(True)
all_ = await asyncio.gather(*[pyfetch("${web.origin}/e") for _ in range(300)])
said.append(sum([await one.text() == "hello /e" for one in all_]))
try:
    await asyncio.wait_for(pyfetch("${web.origin}/never"), 0.2)
except TimeoutError:
    said.append("timed out")
said`,
      { timeout: 300 },
    );
    assertEquals(returnValue, [
      ...[200, true, "hello /a", true],
      ...["POST", "körper", "1", true, "/b", "hello /b", 3_000_000, 7000],
      "hello /c",
      "Error: js.fetch is not available in this sandbox: use pyodide.http.pyfetch, urllib.request, requests or httpx instead",
      ...[true, 300, "timed out"],
    ], text);
  },
);

onEachPyodide(
  "network: a response of pyfetch has all that Pyodide's has",
  async (options) => {
    const server = await shareServer([...options, "--allow-net", web.host]);
    const { returnValue, text } = await server.call(
      `
import io, js, os, zipfile
from pyodide.ffi import to_js
from pyodide.http import pyfetch
get = lambda path, **options: pyfetch("${web.origin}" + path, **options)
async def failure(awaitable):
    try:
        return str(await awaitable)
    except OSError as error:
        return str(error).replace("${web.host}", "host")
async def checked(path):
    (await get(path)).raise_for_status()
said = []
response = await get("/status?404")
said.append([response.status, response.ok, response.status_text, response.type, response.redirected, response.body_used])
said.append([await response.string(), response.body_used, await failure(response.bytes())])
said.append([await failure(checked(f"/status?{status}")) for status in (200, 404, 503)])
said.append([bytes(await (await get("/a")).memoryview()).decode(), (await (await get("/a")).buffer()).to_bytes().decode()])
said.append([(await get("/cookies")).headers["set-cookie"], (await get("/cookies")).js_response.headers.get("Set-Cookie")])
bodies = ["text", b"bytes", bytearray(b"array"), js.Uint8Array.new(to_js([65])), to_js(b"buffer").buffer, None, ""]
said.append([(await (await get("/echo", method="post", body=body)).json())["body"] for body in bodies])
headers = [{"X-A": "1"}, [["X-A", "2"]], js.Map.new(to_js([["X-A", 3]]))]
said.append([(await (await get("/echo", headers=it)).json())["headers"]["x-a"] for it in headers])
said.append(await failure(get("/echo", method="POST", body=object())))
reader = (await get("/bytes?600000")).js_response.body.getReader()
length = 0
while not (part := await reader.read()).done:
    length += len(part.value.to_bytes())
said.append(length)
response = await get("/echo", method="POST", body=b"PK\\5\\6" + bytes(18))
await response._create_file("echoed")
said.append("PK" in open("echoed").read())
said.append(await failure(pyfetch("nothing")))
said`,
      { timeout: 20 },
    );
    assertEquals(returnValue, [
      [404, false, "Not Found", "basic", false, false],
      ["status 404", true, "Response body is already used"],
      [
        "None",
        "404 Client Error: Not Found for url: http://host/status?404",
        "503 Server Error: Service Unavailable for url: http://host/status?503",
      ],
      ["hello /a", "hello /a"],
      ["a=1; Path=/, b=2; Path=/", "a=1; Path=/, b=2; Path=/"],
      ["text", "bytes", "array", "A", "buffer", "", ""],
      ["1", "2", "3"],
      "The body of a request must be text or bytes",
      600_000,
      true,
      "Cannot send a request to what is no URL as only http and https are known",
    ], text);
  },
);

onEachPyodide(
  "network: sockets fail as ever, with what there is instead",
  async (options) => {
    const server = await shareServer(options);
    for (
      const code of [
        "import socket; socket.create_connection(('127.0.0.1', 80))",
        "import socket; socket.socket().connect(('127.0.0.1', 80))",
        "import socket; socket.create_server(('127.0.0.1', 0))",
        "import asyncio; await asyncio.open_connection('127.0.0.1', 80)",
        "import smtplib; smtplib.SMTP('127.0.0.1')",
      ]
    ) {
      const { status, error } = await server.call(code);
      assertEquals(status, "run-error");
      assertMatch(
        String(error),
        /^(OSError|NotImplementedError).*\nThere are no raw sockets here\. Use HTTP: .* --allow-net\.$/ms,
        code,
      );
    }
  },
);

Deno.test("a refusal is told in a traceback, and what grants it", async () => {
  const server = await shareServer();
  const { status, error } = await server.call(
    "import urllib.request\nurllib.request.urlopen('https://example.com/')",
  );
  assertEquals(status, "run-error");
  assertMatch(
    String(error),
    /URLError: <urlopen error No network access to "example\.com:443": ask the user to start the server with --allow-net example\.com>$/,
  );
  assert(!error?.includes("mcp_runner"), error);
});

Deno.test("certificates are checked, against one's own too", async () => {
  const file = (name: string) =>
    fileURLToPath(import.meta.resolve(`./fixtures/tls/${name}`));
  await using web = startWebServer("127.0.0.1", {
    cert: await Deno.readTextFile(file("server.pem")),
    key: await Deno.readTextFile(file("server.key")),
  });
  const code = `
import urllib.request
from pyodide.http import pyfetch
[urllib.request.urlopen("${web.origin}/a").read(), await (await pyfetch("${web.origin}/b")).text()]`;
  const start = (env: Record<string, string>) =>
    connectTo([
      ...[CLI, "--cache-dir", CACHE, "+pool=1"],
      ...["--allow-net", web.host, "stdio"],
    ], { env });
  {
    await using server = await start({});
    const { status, error } = await server.call(code);
    assertEquals([status, web.requests], ["run-error", []]);
    assertMatch(String(error), /URLError: .*Cannot reach ".*certificate/);
  }
  await using server = await start({ SSL_CERT_FILE: file("authority.pem") });
  const { returnValue, text } = await server.call(code);
  assertEquals(returnValue, ["hello /a", "hello /b"], text);
});

Deno.test("what is listed by IPv6 is reached by it", async () => {
  await using web = startWebServer("::1");
  await using server = await startServer(["--allow-net", web.host]);
  const { returnValue, text } = await server.call(
    `import urllib.request; urllib.request.urlopen("${web.origin}/a").read()`,
  );
  assertEquals(returnValue, "hello /a", text);
});

Deno.test("the tool says which hosts it reaches", async () => {
  for (
    const [hosts, open, words] of [
      [
        [],
        false,
        /in a sandbox without network, .* no access to the user's files/,
      ],
      [
        ["a.com:443", "b.org"],
        true,
        /in a sandbox, and .*It reaches these hosts only: a\.com:443, b\.org; over HTTP/,
      ],
      [
        ["*", "10.0.0.5"],
        true,
        /It reaches any host of the internet, and 10\.0\.0\.5; over HTTP/,
      ],
    ] as const
  ) {
    const server = await shareServer(
      hosts.flatMap((host) => ["--allow-net", host]),
    );
    const [tool] = (await server.client.listTools()).tools;
    assertMatch(String(tool?.description), words);
    assertEquals(tool?.annotations?.openWorldHint, open);
  }
});

Deno.test("doctor shows what is granted, and no variable's value", async () => {
  const { stdout, stderr } = await command([
    ...["--allow-net", "example.com:443,10.0.0.5", "--env", "KEY=s3cret"],
    ...["--offline", "doctor"],
  ]);
  assertMatch(stdout, /^ *sandbox .*example\.com:443 10\.0\.0\.5/m);
  assert(!(stdout + stderr).includes("s3cret"));
});

onEachPyodide(
  "variables are in the environment of each run, and in no command line",
  async (options) => {
    const secret = crypto.randomUUID();
    await using server = await connectTo([
      ...[CLI, "--cache-dir", CACHE, "+pool=1", ...options, "--env", "KEY"],
      ...["--env", "A=1,2=3", "stdio"],
    ], { env: { KEY: `${secret}\nsecond line`, OTHER: "not granted" } });
    const code = `import os
found = [os.environ.get(name) for name in ("KEY", "A", "OTHER")]
os.environ["A"] = "changed"
os.environ["B"] = "new"
found + ["B" in os.environ and os.environ["B"] == "old"]`;
    for (let round = 0; round < 2; round++) {
      const { returnValue, text } = await server.call(code);
      assertEquals(
        returnValue,
        [`${secret}\nsecond line`, "1,2=3", null, false],
        text,
      );
    }
    if (Deno.build.os !== "linux") return;
    for (const pid of [server.pid, ...descendants(server.pid)]) {
      const read = (name: string) =>
        Deno.readTextFileSync(`/proc/${pid}/${name}`);
      assert(!read("cmdline").includes(secret));
      if (pid !== server.pid) assert(!read("environ").includes(secret));
    }
  },
);

Deno.test("what a package asks for when it is imported is asked for in no run", async () => {
  await using web = startWebServer();
  await using cache = await makeCache();
  const module = "mrp_fixture_asks/__init__.py";
  await using index = startIndex([wheel({
    name: "mrp-fixture-asks",
    files: {
      [module]: `import urllib.request
from pyodide.http import pyfetch
try:
    said = str(urllib.request.urlopen("${web.origin}/import").read())
except OSError as error:
    said = str(error)
`,
    },
  })]);
  await using server = await startServer([
    ...["--cache-dir", cache.folder, "--index-url", index.url],
    ...["--deps", "mrp-fixture-asks", "--allow-net", web.host],
  ]);
  const { returnValue, text } = await server.call(`import sys
at_once = "mrp_fixture_asks" in sys.modules
import mrp_fixture_asks
[at_once, mrp_fixture_asks.said]`);
  assertMatch(
    JSON.stringify(returnValue),
    /^\[true,.*as no run is under way/,
    text,
  );
  assertEquals(web.requests, []);
  // What the snapshot has of JavaScript is that of the run.
  const later = await server.call(
    `import mrp_fixture_asks; await (await mrp_fixture_asks.pyfetch("${web.origin}/a")).text()`,
  );
  assertEquals(later.returnValue, "hello /a", later.text);
});

const index = await askIndex();
const ignore = !index.endsWith(" answers");
if (ignore) log(`skipped: requests and httpx of the real index: ${index}`);

onEachPyodide(
  "network: the real requests and httpx reach a host that is granted, and are told of others",
  async (options) => {
    for (const hosts of [[web.host], []]) {
      await using server = await startServer([
        ...[...options, "--deps", "requests,httpx"],
        ...hosts.flatMap((host) => ["--allow-net", host]),
      ]);
      const { returnValue, text } = await server.call(
        `
import sys
at_once = [name in sys.modules for name in ("requests", "httpx")]
import httpx, requests
said = []
def attempt(work):
    try:
        said.append(work())
    except Exception as error:
        said.append([type(error).__module__.partition(".")[0] + "." + type(error).__name__, str(error)])
def echo(response):
    it = response.json()
    return [response.status_code, it["method"], len(it["body"]), it["headers"]["x-a"]]
def redirect(response):
    return [response.status_code, response.text, len(response.history)]
def streamed(url):
    with requests.get(url, stream=True) as response:
        return len(next(response.iter_content(1000)))
def httpx_streamed(url):
    with httpx.stream("GET", url) as response:
        return len(next(response.iter_bytes(1000)))
at = "${web.origin}"
attempt(lambda: echo(requests.post(at + "/echo", data=b"x" * 1000, headers={"X-A": "1"})))
attempt(lambda: redirect(requests.get(at + "/redirect?/b")))
attempt(lambda: requests.get(at + "/gzip").text[:6])
attempt(lambda: len(requests.get(at + "/bytes?2000000").content))
attempt(lambda: streamed(at + "/endless"))
attempt(lambda: requests.get(at + "/never", timeout=0.2))
attempt(lambda: [requests.Session().get(at + "/cookies").cookies.get_dict(), requests.get(at + "/status?404").status_code])
attempt(lambda: echo(httpx.post(at + "/echo", content=b"x" * 1000, headers={"X-A": "1"})))
attempt(lambda: redirect(httpx.get(at + "/redirect?/b", follow_redirects=True)))
attempt(lambda: httpx.get(at + "/gzip").text[:6])
attempt(lambda: httpx_streamed(at + "/endless"))
attempt(lambda: httpx.get(at + "/never", timeout=0.2))
async with httpx.AsyncClient() as client:
    try:
        response = await client.get(at + "/a")
        parts = []
        async with client.stream("GET", at + "/bytes?1000000") as streamed_:
            async for part in streamed_.aiter_bytes():
                parts.append(len(part))
        said.append([response.text, sum(parts), response.http_version])
    except httpx.ConnectError as error:
        said.append(str(error))
attempt(lambda: requests.get("http://other.invalid/"))
attempt(lambda: httpx.get("https://other.invalid/"))
[at_once, said]`,
        { timeout: 60 },
      );
      assert(Array.isArray(returnValue), text);
      const [atOnce, said] = returnValue;
      assertEquals(atOnce, [true, true], "they are in the snapshot");
      assert(Array.isArray(said), text);
      const [refused, refusedByHttpx] = said.slice(-2);
      assertDenied(refused, "requests.ConnectionError", "other.invalid:80");
      assertDenied(refusedByHttpx, "httpx.ConnectError", "other.invalid:443");
      if (hosts.length === 0) {
        for (const one of said.slice(0, 7)) {
          assertDenied(one, "requests.ConnectionError", web.host);
        }
        continue;
      }
      assertEquals(said.slice(0, 5), [
        ...[[200, "POST", 1000, "1"], [200, "hello /b", 1], "zipped"],
        ...[2_000_000, 1000],
      ], text);
      assertMatch(JSON.stringify(said[5]), /requests\.ReadTimeout/);
      assertEquals(said.slice(6, 11), [
        [{ a: "1", b: "2" }, 404],
        ...[[200, "POST", 1000, "1"], [200, "hello /b", 1], "zipped", 1000],
      ], text);
      assertMatch(JSON.stringify(said[11]), /httpx\.ReadTimeout/);
      assertEquals(said[12], ["hello /a", 1_000_000, "HTTP/1.1"]);
    }
  },
  ignore,
);

function assertDenied(said: unknown, kind: string, host: string): void {
  const [name, message] = Array.isArray(said) ? said : [];
  assertEquals(name, kind, JSON.stringify(said));
  const wanted =
    `No network access to "${host}": ask the user to start the server with --allow-net ${
      host.replace(/:(80|443)$/, "")
    }`;
  assert(String(message).includes(wanted), String(message));
}

async function askIndex(): Promise<string> {
  const { stdout } = await command(["doctor"]);
  return /package index.*/i.exec(stdout)?.[0] ?? "doctor does not say";
}
