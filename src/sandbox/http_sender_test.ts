import { assert, assertEquals, assertMatch } from "../../deps/assert.ts";
import {
  startWebServer,
  type WebServer,
} from "../../test/support/web_server.ts";
import type { NetworkRequest } from "../protocol/http_exchange.ts";
import {
  connectNetwork,
  type Reply,
  sizeOf,
} from "../engines/pyodide/worker/http_exchange.ts";
import { serveNetwork } from "./http_sender.ts";

type Network = ReturnType<typeof connectNetwork>["forPython"];

/** Both ends of a run's network, in this process, which may reach all hosts. */
interface Line extends Disposable {
  network: Network;
  /** The process's end is ended, as at the end of a run. */
  end(): void;
  /** What the worker has counted as under way, and its process as taken. */
  counted: { before: number; taken: number };
}

function open(
  hosts: readonly string[] = ["example.com"],
  isRunning = () => true,
): Line {
  const { port1, port2 } = new MessageChannel();
  const counted = { before: 0, taken: 0 };
  const served = serveNetwork(port1, {
    onWord() {},
    hosts,
    onReached() {},
    onTaken: (request) => counted.taken += sizeOf(request),
  });
  const network = connectNetwork(
    port2,
    (size) => counted.before += size,
    isRunning,
  ).forPython;
  let hasEnded = false;
  const end = () => {
    if (!hasEnded) served[Symbol.dispose]();
    hasEnded = true;
  };
  return {
    network,
    counted,
    end,
    [Symbol.dispose]() {
      end();
      port1.close();
      port2.close();
    },
  };
}

function get(url: string): NetworkRequest {
  return { method: "GET", url, headers: [] };
}

async function send(
  network: Network,
  id: number,
  { body, ...request }: NetworkRequest,
): Promise<Reply> {
  const toText = (bytes: Uint8Array) =>
    Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  const text = body && toText(body);
  return JSON.parse(await network.begin(id, JSON.stringify(request), text));
}

/** What a request came to: its status, or why it failed. */
async function outcome(
  { network }: Line,
  request: NetworkRequest,
): Promise<string> {
  const id = network.makeId();
  const reply = await send(network, id, request);
  network.drop(id);
  return "head" in reply
    ? String(reply.head.status)
    : `${reply.failure.kind}: ${reply.failure.message}`;
}

/** Waits for what takes some milliseconds; a wall that fell is to be told. */
async function until(isSo: () => boolean): Promise<void> {
  for (let left = 2000; !isSo(); left--) {
    assert(left > 0, `Never came: ${isSo}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

function countOf({ requests }: WebServer, path: string): number {
  return requests.filter((one) => one === path).length;
}

Deno.test("serveNetwork() reaches by IPv6 what is listed, and nothing else", async () => {
  await using web = startWebServer("::1");
  const byAddress = get(`${web.origin}/address`);
  const byName = get(`http://localhost:${web.port}/name`);
  {
    using line = open(["*", "example.com", "10.0.0.0/8"]);
    for (const request of [byAddress, byName]) {
      assertMatch(await outcome(line, request), /^(refused|other): /);
    }
    assertEquals(web.requests, []);
  }
  {
    using line = open([web.host]);
    assertMatch(await outcome(line, byName), /^(refused|other): /);
    assertEquals(await outcome(line, byAddress), "200");
  }
  assertEquals(web.requests, ["/address"]);
});

Deno.test("serveNetwork() reads no file, blob or data, though this process could", async () => {
  using line = open();
  const blob = URL.createObjectURL(new Blob(["secret"]));
  for (
    const url of [import.meta.url, "FILE:///etc/hosts", blob, "data:,x", "x"]
  ) {
    assertMatch(
      await outcome(line, get(url)),
      /^(invalid|other): Cannot send a request to .* as only http and https are known$/,
      url,
    );
  }
  URL.revokeObjectURL(blob);
});

Deno.test("serveNetwork() follows no redirect: that is a request of its own", async () => {
  await using web = startWebServer();
  await using other = startWebServer();
  using line = open();
  const target = encodeURIComponent(`${other.origin}/x`);
  assertEquals(
    await outcome(line, get(`${web.origin}/redirect?${target}`)),
    "302",
  );
  assertEquals(other.requests, []);
});

Deno.test("serveNetwork() writes the headers that say where a request goes and ends", async () => {
  await using web = startWebServer();
  using line = open();
  const { network } = line;
  const id = network.makeId();
  const names = [
    ..."Host Connection Content-Length Transfer-Encoding Expect Upgrade".split(
      " ",
    ),
    ..."Keep-Alive TE Trailer Proxy-Authorization Proxy-Connection".split(" "),
  ];
  const reply = await send(network, id, {
    method: "POST",
    url: `${web.origin}/echo`,
    headers: [
      ["X-Own", "kept"],
      ...names.map((name): [string, string] => [
        name,
        "other.example",
      ]),
    ],
    body: new TextEncoder().encode("whole body"),
  });
  assert("head" in reply, JSON.stringify(reply));
  const part = await network.read(id);
  assert(part instanceof Uint8Array);
  const echo = JSON.parse(new TextDecoder().decode(part));
  assertEquals(echo.body, "whole body");
  assertEquals(echo.headers["x-own"], "kept");
  assertEquals(echo.headers.host, web.host);
  const forged = Object.values(echo.headers).filter((value) =>
    value === "other.example"
  );
  assertEquals(forged, []);
});

Deno.test("serveNetwork() sends so many requests at a time, and the others in turn", async () => {
  await using web = startWebServer();
  using line = open();
  const { network } = line;
  const ids = Array.from({ length: 300 }, () => network.makeId());
  for (const id of ids) send(network, id, get(`${web.origin}/never`));
  await until(() => countOf(web, "/never") >= 256);
  // What goes beside it has come in after all that were not held back.
  await (await fetch(`${web.origin}/beside`)).body?.cancel();
  assertEquals(countOf(web, "/never"), 256);
  for (const id of ids.slice(0, 40)) network.drop(id);
  await until(() => countOf(web, "/never") === 296);
});

Deno.test("serveNetwork() ends what was dropped, and sends one number once", async () => {
  await using web = startWebServer();
  using line = open();
  const { network } = line;
  const id = network.makeId();
  send(network, id, get(`${web.origin}/never`));
  send(network, id, get(`${web.origin}/never`));
  await until(() => web.open() === 1);
  await (await fetch(`${web.origin}/beside`)).body?.cancel();
  assertEquals(countOf(web, "/never"), 1);
  network.drop(id);
  await until(() => web.open() === 0);
});

Deno.test("serveNetwork() ends all requests with their run, and takes no more", async () => {
  await using web = startWebServer();
  using line = open();
  const { network } = line;
  send(network, network.makeId(), get(`${web.origin}/never`));
  const id = network.makeId();
  await send(network, id, get(`${web.origin}/endless`));
  await network.read(id);
  await until(() => web.open() === 2);
  line.end();
  await until(() => web.open() === 0);
  const { taken } = line.counted;
  send(network, network.makeId(), get(`${web.origin}/late`));
  await (await fetch(`${web.origin}/beside`)).body?.cancel();
  assertEquals([countOf(web, "/late"), line.counted.taken], [0, taken]);
});

Deno.test("serveNetwork() hands on a body in parts that are no larger than they say", async () => {
  await using web = startWebServer();
  using line = open();
  const { network } = line;
  const large = network.makeId();
  await send(network, large, get(`${web.origin}/bytes?1000000`));
  let length = 0;
  while (true) {
    const part = await network.read(large);
    if (part === undefined) break;
    assert(part instanceof Uint8Array);
    assert(part.buffer.byteLength <= 1 << 18);
    length += part.length;
  }
  assertEquals(length, 1_000_000);
  const small = network.makeId();
  await send(network, small, get(`${web.origin}/stuck`));
  const part = await network.read(small);
  assert(part instanceof Uint8Array);
  assertEquals(part.buffer.byteLength, 10);
});

Deno.test("a request takes room for all of it until its process has taken it", async () => {
  await using web = startWebServer();
  using line = open();
  await outcome(line, {
    method: "POST",
    url: `${web.origin}/echo`,
    headers: [["x".repeat(1000), "y".repeat(1000)]],
    body: new Uint8Array(10_000),
  });
  assert(line.counted.before >= 12_000, String(line.counted.before));
  assertEquals(line.counted.taken, line.counted.before);
});

Deno.test("a request between two runs fails at once and takes no room", async () => {
  await using web = startWebServer();
  using line = open(["127.0.0.1"], () => false);
  const id = line.network.makeId();
  const reply = await send(line.network, id, get(`${web.origin}/echo`));
  const { failure } = Object(reply);
  assertMatch(failure.message, /between two runs/);
  assertMatch(String(await line.network.read(id)), /between two runs/);
  assertEquals([line.counted.before, web.requests], [0, []]);
});

Deno.test("a network without a grant refuses each request by itself", async () => {
  const network = connectNetwork(undefined, () => {}, () => true).forPython;
  const kinds: Record<string, string> = {
    "http://127.0.0.1/": "denied",
    "https://example.com/": "denied",
    "file:///etc/hosts": "invalid",
    "nothing": "invalid",
  };
  for (const [url, kind] of Object.entries(kinds)) {
    const reply = await send(network, network.makeId(), get(url));
    assertEquals("failure" in reply && reply.failure.kind, kind, url);
  }
});
