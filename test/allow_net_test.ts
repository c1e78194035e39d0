/**
 * The network that a user grants, through the real processes: which libraries
 * reach it, and how a refusal is told. Ways out are in `escape_network_test.ts`.
 *
 * @module
 */
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { log } from "../src/log.ts";
import { testEachPyodide } from "./support/attempt.ts";
import { command } from "./support/command.ts";
import { startServer } from "./support/server.ts";
import { startWebServer } from "./support/web_server.ts";

testEachPyodide("urllib reaches a host that is granted", async (options) => {
  await using web = startWebServer();
  await using server = await startServer([
    ...options,
    ...["--allow-net", web.host],
  ]);
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
    { timeout: 20 },
  );
  assertEquals(returnValue, [
    "hello /a",
    ...["PUT", 100_000, "1", "Python-urllib"],
    ...["hello /b", "as it is", 5_000_000, 404, "status 404", "a=1; b=2"],
    ...["abc", "defg", "timed out"],
  ], text);
});

testEachPyodide(
  "pyodide.http and js.fetch reach a host that is granted",
  async (options) => {
    await using web = startWebServer();
    await using server = await startServer([
      ...options,
      ...["--allow-net", web.host],
    ]);
    const { returnValue, text } = await server.call(
      `
import asyncio, json, js
from pyodide.http import open_url, pyfetch
from pyodide.ffi import to_js
response = await pyfetch("${web.origin}/a")
said = [response.status, response.ok, await response.text(), "text/plain" in response.headers["content-type"]]
echo = await (await pyfetch("${web.origin}/echo", method="POST", body="körper", headers={"X-A": "1"})).json()
said += [echo["method"], echo["body"], echo["headers"]["x-a"]]
response = await pyfetch("${web.origin}/redirect?/b")
said += [response.redirected, response.url.removeprefix("${web.origin}"), (await response.bytes()).decode()]
said.append(len(await (await pyfetch("${web.origin}/bytes?3000000")).bytes()))
said.append(len(await (await pyfetch("${web.origin}/gzip")).text()))
said.append(open_url("${web.origin}/c").read())
said.append(await (await js.fetch("${web.origin}/d")).text())
all_ = await asyncio.gather(*[pyfetch("${web.origin}/e") for _ in range(300)])
said.append(sum([await one.text() == "hello /e" for one in all_]))
try:
    await asyncio.wait_for(pyfetch("${web.origin}/never"), 0.2)
except TimeoutError:
    said.append("timed out")
said`,
      { timeout: 20 },
    );
    assertEquals(returnValue, [
      ...[200, true, "hello /a", true],
      ...["POST", "körper", "1", true, "/b", "hello /b", 3_000_000, 7000],
      ...["hello /c", "hello /d", 300, "timed out"],
    ], text);
  },
);

const index = await askIndex();
const ignore = !index.endsWith(" answers");
if (ignore) log(`skipped: requests and httpx of the real index: ${index}`);

testEachPyodide(
  "the real requests and httpx reach a host that is granted, and are told of others",
  async (options) => {
    await using web = startWebServer();
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
