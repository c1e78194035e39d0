import {
  assert,
  assertEquals,
  assertMatch,
  assertRejects,
} from "../../../../deps/assert.ts";
import { startWebServer } from "../../../../test/support/web_server.ts";
import { serveNetwork } from "../../../sandbox/http_sender.ts";
import { fetchThrough } from "./js_fetch.ts";
import { Network } from "./http_exchange.ts";

/** A `fetch` as Python has it, whose process may reach all hosts. */
function open(): Disposable & {
  fetch(url: string, init?: object): Promise<object>;
} {
  const { port1, port2 } = new MessageChannel();
  const served = serveNetwork(port1, {
    hosts: ["a.com"],
    onWord() {},
    onTaken() {},
  });
  const network = new Network();
  network.connect(port2, () => {});
  return {
    fetch: fetchThrough(network),
    [Symbol.dispose]() {
      served[Symbol.dispose]();
      port1.close();
      port2.close();
    },
  };
}

/** What a server was sent. */
interface Echo {
  method: string;
  body: string;
  headers: Record<string, string>;
}

async function echo(response: object): Promise<Echo> {
  assert("json" in response && typeof response.json === "function");
  return await response.json();
}

const redirect = (origin: string, to: string) =>
  `${origin}/redirect?${encodeURIComponent(to)}`;

const SECRETS = {
  Authorization: "secret",
  COOKIE: "secret",
  "X-Own": "kept",
};

Deno.test("fetch() gives what is private to no other origin that a redirect leads to", async () => {
  await using web = startWebServer();
  await using other = startWebServer();
  using line = open();
  const follow = async (url: string) =>
    (await echo(await line.fetch(url, { headers: SECRETS }))).headers;
  const same = await follow(redirect(web.origin, "/echo"));
  assertEquals([same.authorization, same.cookie], ["secret", "secret"]);
  const away = await follow(redirect(web.origin, `${other.origin}/echo`));
  assertEquals(
    [away.authorization, away.cookie, away["x-own"]],
    [undefined, undefined, "kept"],
  );
});

Deno.test("fetch() makes a redirected POST a GET, without its body", async () => {
  await using web = startWebServer();
  using line = open();
  const got = await echo(
    await line.fetch(redirect(web.origin, "/echo"), {
      method: "POST",
      body: "private",
      headers: { "Content-Type": "text/x" },
    }),
  );
  assertEquals([got.method, got.body, got.headers["content-type"]], [
    ...["GET", "", undefined],
  ]);
});

Deno.test("fetch() follows a redirect neither out of HTTP, nor unasked, nor for ever", async () => {
  await using web = startWebServer();
  using line = open();
  for (const url of [import.meta.url, "data:,x"]) {
    await assertRejects(
      line.fetch(redirect(web.origin, url)),
      { message: /only http and https are known/ },
    );
  }
  const url = redirect(web.origin, "/x");
  await assertRejects(line.fetch(url, { redirect: "error" }), {
    message: /is a redirect$/,
  });
  assertMatch(
    JSON.stringify(await line.fetch(url, { redirect: "manual" })),
    /"status":302/,
  );
  const before = web.requests.length;
  await assertRejects(line.fetch(`${web.origin}/around`), {
    message: /over 20 redirects$/,
  });
  assertEquals(web.requests.length - before, 21);
});

Deno.test("fetch() ends when its signal says so, before and after it was sent", async () => {
  await using web = startWebServer();
  using line = open();
  const early = AbortSignal.abort(new Error("early"));
  await assertRejects(
    line.fetch(`${web.origin}/never`, { signal: early }),
    /early/,
  );
  assertEquals(web.requests, []);
  const abort = new AbortController();
  const waiting = line.fetch(`${web.origin}/never`, { signal: abort.signal });
  const until = async (open: number) => {
    for (let left = 2000; web.open() !== open; left--) {
      assert(left > 0, `never ${open} requests`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  await until(1);
  abort.abort(new Error("late"));
  await assertRejects(waiting, /late/);
  await until(0);
});
