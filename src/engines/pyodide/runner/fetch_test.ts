import { assert, assertEquals, assertMatch } from "../../../../deps/assert.ts";
import { readFiles, runIn } from "../../../../test/support/interpreter.ts";
import { startWebServer } from "../../../../test/support/web_server.ts";

const files = await readFiles();

/** Runs code in an interpreter whose process reaches all hosts. */
function run(code: string): Promise<unknown> {
  const start = `
import js
from pyodide.http import pyfetch
async def failure(awaitable):
    try:
        return (await awaitable).status
    except OSError as error:
        return f"{type(error).__name__}: {error}"
`;
  return runIn(files, start + code, { hosts: ["a.com"] });
}

const redirect = (origin: string, to: string) =>
  `${origin}/redirect?${encodeURIComponent(to)}`;

Deno.test("fetch() gives what is private to no other origin that a redirect leads to", async () => {
  await using web = startWebServer();
  await using other = startWebServer();
  const urls = [
    redirect(web.origin, "/echo"),
    redirect(web.origin, `${other.origin}/echo`),
    redirect(web.origin, `//${other.host}/echo`),
    redirect(web.origin, redirect(other.origin, `${web.origin}/echo`)),
  ];
  assertEquals(
    await run(`
secrets = {"Authorization": "secret", "COOKIE": "secret", "X-Own": "kept"}
seen = []
for url in ${JSON.stringify(urls)}:
    headers = (await (await pyfetch(url, headers=secrets)).json())["headers"]
    seen.append([headers.get(name) for name in ("authorization", "cookie", "x-own")])
seen`),
    [
      ["secret", "secret", "kept"],
      [null, null, "kept"],
      [null, null, "kept"],
      [null, null, "kept"],
    ],
  );
});

Deno.test("fetch() makes a redirected POST a GET, without its body", async () => {
  await using web = startWebServer();
  const url = redirect(web.origin, "/echo");
  assertEquals(
    await run(`
got = await (await pyfetch("${url}", method="POST", body="private", headers={"Content-Type": "text/x"})).json()
put = await (await pyfetch("${url}", method="PUT", body="sent again")).json()
[got["method"], got["body"], got["headers"].get("content-type"), put["method"], put["body"]]`),
    ["GET", "", null, "PUT", "sent again"],
  );
});

Deno.test("fetch() makes what is seen elsewhere a GET, but for a HEAD", async () => {
  await using web = startWebServer();
  const url = `${web.origin}/see_other?/method`;
  assertEquals(
    await run(`
[(await pyfetch("${url}", method=method)).headers["x-method"] for method in ("HEAD", "GET", "PUT", "DELETE")]`),
    ["HEAD", "GET", "GET", "GET"],
  );
});

Deno.test("fetch() follows a redirect neither out of HTTP, nor unasked, nor for ever", async () => {
  await using web = startWebServer();
  const url = redirect(web.origin, "/x");
  const out = [import.meta.url, "data:,x", "http://[x"].map((to) =>
    redirect(web.origin, to)
  );
  const said = await run(`
said = [await failure(pyfetch(url)) for url in ${JSON.stringify(out)}]
said.append(await failure(pyfetch("${url}", redirect="error")))
said.append(await failure(pyfetch("${url}", redirect="manual")))
said.append(await failure(pyfetch("${web.origin}/around")))
said`);
  assert(Array.isArray(said));
  const words = [
    ...[/only http and https are known$/, /only http and https are known$/],
    ...[/AbortError/, /is a redirect$/, /^302$/, /over 20 redirects$/],
  ];
  assertEquals(said.length, words.length);
  words.forEach((word, i) => assertMatch(String(said[i]), word));
  const count = (path: string) =>
    web.requests.filter((one) => one === path).length;
  assertEquals([count("/x"), count("/around")], [0, 21]);
});

Deno.test("fetch() ends when its signal says so: before it is sent, before its head, and in its body", async () => {
  await using web = startWebServer();
  const said = await run(`
import asyncio
early = js.AbortController.new()
early.abort()
said = [await failure(pyfetch("${web.origin}/early", signal=early.signal))]
late = js.AbortController.new()
waiting = asyncio.ensure_future(failure(pyfetch("${web.origin}/never", signal=late.signal)))
await (await pyfetch("${web.origin}/a")).text()
late.abort(js.Error.new("late"))
said.append(await waiting)
response = await pyfetch("${web.origin}/stuck")
reading = asyncio.ensure_future(failure(response.bytes()))
await asyncio.sleep(0)
response.abort("enough")
said += [await reading, await failure(response.text())]
said`);
  assert(Array.isArray(said));
  assertMatch(String(said[0]), /^AbortError: .*abort/i);
  assertEquals(said.slice(1), [
    "AbortError: late",
    ...["AbortError: enough", "AbortError: enough"],
  ]);
  assert(!web.requests.includes("/early"));
});

Deno.test("fetch() leaves no request open whose signal or task has ended it", async () => {
  await using web = startWebServer();
  await using gate = startWebServer();
  const running = run(`
import asyncio
control = js.AbortController.new()
kept = [asyncio.ensure_future(pyfetch("${web.origin}/never", signal=control.signal)) for _ in range(2)]
response = await pyfetch("${web.origin}/endless")
kept.append(asyncio.ensure_future(response.bytes()))
await (await pyfetch("${web.origin}/a")).text()
kept[0].cancel()
control.abort()
kept[2].cancel()
await asyncio.wait(kept)
await failure(pyfetch("${gate.origin}/never"))`);
  // The run itself would end them.
  for (let left = 2000; web.open() > 0 || gate.open() === 0; left--) {
    assert(left > 0, "a request goes on");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await gate[Symbol.asyncDispose]();
  await running;
});
