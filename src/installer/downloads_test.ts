import { MIB } from "../units.ts";
import { assert, assertEquals, assertRejects } from "../../deps/assert.ts";
import { tempFolder } from "../../test/support/folder.ts";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { fetchPage, openDownloads, sizeOf } from "./downloads.ts";

/** A server on loopback. */
function serve(
  handler: (request: Request) => Response,
): { origin: string } & AsyncDisposable {
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    handler,
  );
  return {
    origin: `http://127.0.0.1:${server.addr.port}`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** Ops, resources and timers that are left are a failure. */
const strict = { sanitizeOps: true, sanitizeResources: true };

Deno.test({
  ...strict,
  name: "openDownloads() leaves nothing going on of an answer that is not read",
  async fn() {
    await using server = serve(() =>
      new Response(new Uint8Array(1 << 20), { status: 404 })
    );
    await using answer = await openDownloads([])(server.origin);
    assertEquals(answer.status, 404);
  },
});

Deno.test({
  ...strict,
  name: "openDownloads() leaves nothing going on of what is read, or not there",
  async fn() {
    await using server = serve(() => new Response("page"));
    const open = openDownloads([]);
    const page = await fetchPage(open, server.origin, {});
    assert("body" in page);
    assertEquals(new TextDecoder().decode(page.body), "page");
    const { origin } = server;
    await server[Symbol.asyncDispose]();
    await assertRejects(() => open(origin), /fetch failed/);
  },
});

Deno.test({
  ...strict,
  name: "openDownloads() closes a file that is not read",
  async fn() {
    await using folder = await tempFolder();
    const path = join(folder.path, "x.whl");
    await Deno.writeTextFile(path, "wheel");
    await using answer = await openDownloads(null)(pathToFileURL(path).href);
    assertEquals(answer.status, 200);
  },
});

Deno.test("fetchPage() reads a page of as many bytes as it is asked to, and of 256 MiB at most", async () => {
  await using server = serve(({ url }) => {
    const size = Number(new URL(url).pathname.slice(1));
    return new Response(new Uint8Array(size));
  });
  const fetched = async (size: number, most?: number) => {
    const url = `${server.origin}/${size}`;
    const answer = await fetchPage(openDownloads([]), url, {}, most);
    return "error" in answer ? answer.error : answer.body.length;
  };
  assertEquals(await fetched(MIB, MIB), MIB);
  assertEquals(await fetched(MIB + 1, MIB), "its page is larger than 1 MiB");
  const most = 256 * MIB;
  assertEquals(
    await fetched(most + 1, most + 1),
    "its page is larger than 256 MiB",
  );
});

Deno.test("sizeOf() is what a server says of a file without sending the file", async () => {
  const methods: string[] = [];
  await using server = serve(({ method, url }) => {
    methods.push(method);
    return url.endsWith("absent")
      ? new Response("absent", { status: 404 })
      : new Response(new Uint8Array(1234));
  });
  const { origin } = server;
  const open = openDownloads([]);
  assertEquals(await sizeOf(open, `${origin}/x.whl`), 1234);
  assertEquals(await sizeOf(open, `${origin}/absent`), undefined);
  assertEquals(methods, ["HEAD", "HEAD"]);
  await server[Symbol.asyncDispose]();
  assertEquals(await sizeOf(open, origin), undefined);
  await using folder = await tempFolder();
  const path = join(folder.path, "x.whl");
  await Deno.writeTextFile(path, "wheel");
  assertEquals(await sizeOf(open, pathToFileURL(path).href), 5);
});

Deno.test("openDownloads() asks nothing of the web when it is to stay offline", async () => {
  let asked = 0;
  await using server = serve(() => new Response(`${asked++}`));
  await assertRejects(() => openDownloads(null)(server.origin), /--offline/);
  assertEquals(asked, 0);
});

Deno.test("openDownloads() opens addresses of the web and files only", async () => {
  for (const url of ["data:text/plain,x", "blob:null/x", "ftp://h.example/"]) {
    await assertRejects(
      () => openDownloads([])(url),
      /it is not a web address/,
    );
  }
});

Deno.test("openDownloads() gives each host its own credentials, and none to others", async () => {
  const given: (string | null)[] = [];
  await using server = serve((request) => {
    given.push(request.headers.get("authorization"));
    return new Response();
  });
  const { host, port } = new URL(server.origin);
  const ask = async (url: string, ...hosts: string[]) => {
    const open = openDownloads(
      hosts.map((host) => ({ host, authorization: `of ${host}` })),
    );
    await using _answer = await open(url);
    return given.pop();
  };
  const { origin } = server;
  assertEquals(await ask(origin, "other.example", host), `of ${host}`);
  assertEquals(await ask(origin, "127.0.0.1"), "of 127.0.0.1");
  assertEquals(await ask(origin, "127.0.0.1", host), `of ${host}`);
  assertEquals(
    await ask(origin, "other.example", `127.0.0.1:${Number(port) + 1}`),
    null,
  );
  assertEquals(
    await ask(origin.replace("//", "//ada:lovelace@"), host),
    `Basic ${btoa("ada:lovelace")}`,
  );
});

Deno.test("openDownloads() sends no credentials where a redirect leads", async () => {
  const given: Record<string, string | null> = {};
  const note = (name: string, { headers }: Request) => {
    given[name] = headers.get("authorization");
  };
  await using there = serve((request) => {
    note("there", request);
    return new Response();
  });
  await using here = serve((request) => {
    note("here", request);
    return Response.redirect(there.origin);
  });
  const { host } = new URL(here.origin);
  const open = openDownloads([{ host, authorization: "secret" }]);
  await using answer = await open(here.origin);
  assertEquals(new URL(answer.url).origin, there.origin);
  assertEquals(given, { here: "secret", there: null });
});
