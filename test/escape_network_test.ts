/**
 * Ways out through the network: where nothing is granted, and from what is
 * granted to what is not.
 *
 * @module
 */
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { log } from "../src/log.ts";
import { untilIdle } from "./bench/idle.ts";
import { startInterpreter } from "../src/engines/pyodide/host.ts";
import { onEachPyodide } from "./support/each_pyodide.ts";
import { networkOf, readFiles, runCode } from "./support/interpreter.ts";
import { startServer } from "./support/server.ts";
import { startWebServer, type WebServer } from "./support/web_server.ts";

/** Tries URLs in each way; gives those that were answered, and why others were not. */
const TRY = `
import urllib.request, http.client
from urllib.parse import urlsplit
from pyodide.http import open_url, pyfetch
def by_client(url):
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname, parts.port or 80, timeout=10)
    connection.request("GET", parts.path or "/")
    return connection.getresponse().read()
async def text_of(response):
    return await (await response).text()
ways = {
    "urlopen": lambda url: urllib.request.urlopen(url, timeout=10).read(),
    "client": by_client,
    "open_url": lambda url: open_url(url).read(),
    "pyfetch": lambda url: text_of(pyfetch(url)),
}
async def try_all(urls, ways=ways):
    reached, why = [], []
    for url in urls:
        for way, reach in ways.items():
            try:
                got = reach(url)
                if hasattr(got, "__await__"):
                    got = await got
                # urllib knows these itself, without a network
                if not (way == "urlopen" and url.startswith("data:")):
                    reached.append([way, url, str(got)])
            except Exception as error:
                why.append(f"{way} {url}: {error}")
    return [reached, why]
`;

/** Forms of one address. */
function formsOf({ port }: WebServer): string[] {
  const hosts = [
    ...["127.0.0.1", "localhost", "LOCALHOST.", "2130706433", "0x7f000001"],
    ...["0177.0.0.1", "127.1", "0", "0.0.0.0", "127.0.0.2", "[::1]", "[::]"],
    ...["[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[64:ff9b::7f00:1]"],
    ...["a@127.0.0.1", "\u0031\u0032\u0037.0.0.1", "127\u30020\u30020\u30021"],
  ];
  return hosts.map((host) => `http://${host}:${port}/x`);
}

const LOCAL = [
  ...[
    "file:///etc/passwd",
    "file:///pyodide/pyodide-lock.json",
    "FILE:///etc/hosts",
  ],
  ...[
    "data:text/plain,x",
    "blob:null/x",
    "ftp://127.0.0.1/",
    "unix:///tmp/x",
  ],
  import.meta.url,
];

function split(value: unknown): [reached: unknown[], why: string[]] {
  assert(Array.isArray(value), JSON.stringify(value));
  const [reached, why] = value;
  assert(Array.isArray(reached) && Array.isArray(why));
  return [reached, why.map(String)];
}

onEachPyodide(
  "escape: nothing is reached if nothing is granted",
  async (options) => {
    await using web = startWebServer();
    await using server = await startServer(options);
    const urls = JSON.stringify([...formsOf(web), ...LOCAL]);
    const { returnValue, text } = await server.call(
      `${TRY}\nawait try_all(${urls})`,
    );
    const [reached, why] = split(returnValue);
    assertEquals(reached, [], text);
    const wanted =
      `No network access to "${web.host}": ask the user to start the server with --allow-net ${web.host}`;
    assert(why.some((line) => line.endsWith(wanted)), text);
    assertEquals(web.requests, []);
  },
);

onEachPyodide(
  "escape: one host that is granted opens no other, nor another port",
  async (options) => {
    await using granted = startWebServer();
    await using other = startWebServer();
    await using other6 = startWebServer("::1");
    await using server = await startServer([
      ...options,
      ...["--allow-net", granted.host],
    ]);
    const others = [...formsOf(other), ...formsOf(other6), ...LOCAL];
    // A header holds no other text.
    const led = others.filter((url) => /^[ -~]+$/.test(url)).map((url) =>
      `${granted.origin}/redirect?${encodeURIComponent(url)}`
    );
    const { returnValue, text } = await server.call(
      `${TRY}
_, why = await try_all(${JSON.stringify(others)})
del ways["client"]  # which gives redirects as they are
reached, more = await try_all(${JSON.stringify(led)})
[_ + reached, why + more]`,
    );
    const [reached] = split(returnValue);
    assertEquals(reached, [], text);
    assertEquals([other.requests, other6.requests], [[], []]);
    assert(granted.requests.every((path) => path === "/redirect"));
    const allowed = await server.call(
      `${TRY}\nawait try_all(["${granted.origin}/x"])`,
    );
    assertEquals(split(allowed.returnValue)[0].length, 4, allowed.text);
  },
);

onEachPyodide(
  "escape: all of the internet that is granted is no host of this machine",
  async (options) => {
    await using web = startWebServer();
    await using web6 = startWebServer("::1");
    await using server = await startServer([...options, "--allow-net", "*"]);
    const urls = [...formsOf(web), ...formsOf(web6), ...LOCAL];
    const { returnValue, text } = await server.call(
      `${TRY}\nawait try_all(${JSON.stringify(urls)})`,
    );
    const [reached, why] = split(returnValue);
    assertEquals(reached, [], text);
    assertEquals([web.requests, web6.requests], [[], []]);
    const wanted =
      `No network access to "localhost:${web.port}" as it leads to 127.0.0.1, which is no address of the internet: ask the user to start the server with --allow-net localhost:${web.port},127.0.0.1`;
    assert(why.some((line) => line.endsWith(wanted)), why.join("\n"));
  },
);

const name = await nameOfLoopback();
if (!name) {
  log("skipped: names of private addresses: this machine's leads to none");
}

Deno.test({
  name: "escape: a granted name leads to no private address that is not listed",
  ignore: !name,
  async fn() {
    await using web = startWebServer();
    const host = `${name}:${web.port}`;
    const code = `${TRY}\nawait try_all(["http://${host}/x"])`;
    {
      await using server = await startServer(["--allow-net", host]);
      const { returnValue, text } = await server.call(code);
      const [reached, why] = split(returnValue);
      assertEquals([reached, web.requests], [[], []], text);
      assertMatch(
        String(why[0]),
        /as it leads to 127\.0\.\d\.1, which is no address of the internet: ask the user to start the server with --allow-net \S+,127\.0\.\d\.1/,
      );
    }
    const listed = `${host},127.0.0.1,127.0.1.1`;
    await using server = await startServer(["--allow-net", listed]);
    const [reached] = split((await server.call(code)).returnValue);
    assertEquals(reached.length, 4);
  },
});

onEachPyodide(
  "escape: requests end with their run, whatever they wait for",
  async (options) => {
    await using web = startWebServer();
    await using server = await startServer([
      ...options,
      ...["--allow-net", web.host],
    ]);
    const { status, text } = await server.call(`
import asyncio
from pyodide.http import pyfetch
async def haunt():
    while True:
        response = await pyfetch("${web.origin}/endless")
        await response.bytes()
waiting = [asyncio.ensure_future(pyfetch("${web.origin}/never")) for _ in range(3)]
asyncio.ensure_future(haunt())
await asyncio.sleep(0.3)`);
    assertEquals(status, "success", text);
    await until(() => web.open() === 0);
    for (
      const code of [
        `import urllib.request; urllib.request.urlopen("${web.origin}/never")`,
        `import urllib.request; urllib.request.urlopen("${web.origin}/stuck").read()`,
        `from pyodide.http import pyfetch; await pyfetch("${web.origin}/never")`,
      ]
    ) {
      const before = web.requests.length;
      // A slow machine takes more than a second to ask at all.
      for (let timeout = 1; web.requests.length === before; timeout *= 4) {
        const { status, error } = await server.call(code, { timeout });
        assertEquals(status, "timeout", error);
        assert(!error?.includes("did not react"), error);
        await until(() => web.open() === 0);
      }
      assertEquals(web.requests.length, before + 1);
    }
    await untilIdle(server.pid);
  },
);

Deno.test("escape: requests end with their run, before its interpreter does", async () => {
  await using web = startWebServer();
  const interpreter = await startInterpreter(
    await readFiles(),
    networkOf([web.host]),
  );
  const ending = await runCode(
    interpreter,
    `
import asyncio
from pyodide.http import pyfetch
asyncio.ensure_future(pyfetch("${web.origin}/never"))
# By then that one has come in, too.
for _ in range(10):
    said = await (await pyfetch("${web.origin}/a")).text()
said`,
  );
  assert(web.requests.includes("/never"));
  assertEquals(ending, { status: "success", value: '"hello /a"' });
  for (let left = 2000; web.open() > 0; left--) {
    assert(left > 0, "a request goes on");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await interpreter.end();
});

onEachPyodide(
  "escape: an answer without an end fills Python's memory, and no more",
  async (options) => {
    await using web = startWebServer();
    await using server = await startServer([
      ...options,
      ...["--memory", "128", "--max-files-size", "1", "--allow-net", web.host],
    ]);
    for (
      const code of [
        `import urllib.request; urllib.request.urlopen("${web.origin}/endless").read()`,
        `from pyodide.http import pyfetch; await (await pyfetch("${web.origin}/endless")).bytes()`,
      ]
    ) {
      const { status, text } = await server.call(code, { timeout: 300 });
      assertMatch(status, /^(memory-limit|run-error|crashed)$/, text);
      assertEquals((await server.call("'alive'")).returnValue, "alive");
      await until(() => web.open() === 0);
    }
  },
);

/** A name of this machine that leads to loopback, if it has one. */
async function nameOfLoopback(): Promise<string | undefined> {
  const name = Deno.hostname();
  await using web = startWebServer();
  try {
    const response = await fetch(`http://${name}:${web.port}/`);
    await response.body?.cancel();
    return name;
  } catch {
    return undefined;
  }
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 20));
}
