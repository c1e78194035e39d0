/**
 * A server that starts before its packages are installed: over real processes
 * and the official client.
 *
 * @module
 */
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { fields } from "../src/protocol/fields.ts";
import { listCache } from "../src/environments/cache.ts";
import { makeCache } from "./support/cache.ts";
import { html, startIndex, type TestIndex } from "./support/index_server.ts";
import { whichOutlive } from "./support/processes.ts";
import {
  ERAS,
  listen,
  startServer,
  type TestServer,
} from "./support/server.ts";
import { wheel } from "./support/wheel.ts";

const WHEELS = [
  wheel({ name: "mrp-fixture-top", requires: ["mrp-fixture-below"] }),
  wheel({ name: "mrp-fixture-below" }),
];
const TOP = "/files/mrp_fixture_top-1.0-py3-none-any.whl";
const CODE =
  "import mrp_fixture_top, mrp_fixture_below; mrp_fixture_top.version";

/** An index that answers nothing about a package before it is opened. */
function closedIndex(): { index: TestIndex; open: () => void } {
  const opened = Promise.withResolvers<undefined>();
  const index = startIndex(WHEELS, {
    answers: { "/simple/mrp-fixture-top/": () => opened.promise },
  });
  return { index, open: () => opened.resolve(undefined) };
}

async function describe({ client }: TestServer): Promise<string> {
  const { tools } = await client.listTools();
  return String(tools[0]?.description);
}

for (const era of ERAS) {
  Deno.test(`a server answers while its packages are installed (${era})`, async () => {
    await using cache = await makeCache();
    const { index, open } = closedIndex();
    await using _index = index;
    const args = [
      ...["--cache-dir", cache.folder, "--index-url", index.url],
      ...["--deps", "mrp-fixture-top"],
    ];
    {
      await using server = await startServer(args, era);
      const heard = listen(server);
      assertMatch(
        await describe(server),
        / there will be mrp-fixture-top: the first call waits/,
      );
      const changed = Promise.withResolvers<void>();
      if (era === "2025-11-25") {
        server.client.setNotificationHandler(
          "notifications/tools/list_changed",
          () => changed.resolve(),
        );
      } else changed.resolve();
      const called = server.call(CODE, {}, { onprogress: () => {} });
      open();
      const { returnValue, text } = await called;
      assertEquals(returnValue, "1.0", text);
      await changed.promise;
      assertMatch(
        await describe(server),
        /standard library: mrp-fixture-top 1\.0 /,
      );
      const told = heard.told.map(({ message }) => message);
      assert(told.includes("Installing mrp-fixture-top 2/2"), told.join("\n"));
      assertEquals(
        heard.told.map(({ progress }) => progress),
        heard.told.map(({ progress }) => progress).toSorted((a, b) => a - b),
      );
    }
    index.requests.length = 0;
    await using again = await startServer(args, era);
    assertMatch(await describe(again), /mrp-fixture-top 1\.0 /);
    assertEquals((await again.call(CODE)).returnValue, "1.0");
    assertEquals(index.requests, []);
  });
}

Deno.test("a call tells why packages are not installed, and the next call tries again", async () => {
  await using cache = await makeCache();
  let isThere = false;
  await using index = startIndex(WHEELS, {
    answers: {
      "/simple/mrp-fixture-below/": () =>
        isThere ? undefined : html("Not found", 404),
    },
  });
  const args = [
    ...["--cache-dir", cache.folder, "--index-url", index.url],
    ...["--deps", "mrp-fixture-top"],
  ];
  const { code, stderr } = await cache.command([...args, "install"]);
  assertEquals(code, 1);
  await using server = await startServer(args);
  const first = server.call("6 * 7");
  const { status, error, isError } = await server.call(CODE);
  // Code that needs none of them runs, even if it has come before the install failed.
  assertEquals((await first).returnValue, 42);
  assertEquals({ status, isError }, { status: "install-error", isError: true });
  assertMatch(String(error), /mrp-fixture-below/);
  assert(stderr.includes(`error: ${error}\n`), stderr);
  // Code whose names tell nothing says why it fails.
  const other = await server.call("import json; json.dumps([1])");
  assertEquals(other.returnValue, "[1]", other.text);
  const hidden = await server.call("__import__('mrp_fixture_top')");
  assertEquals(hidden.status, "run-error");
  assertMatch(
    String(hidden.error),
    /\nThe packages of this server are not installed: .*mrp-fixture-below.* a later call/,
  );
  const { structuredContent } = await server.client.callTool({
    name: "run_python_code",
    arguments: { python_code: "x = 1", session: "new" },
  });
  isThere = true;
  const { returnValue, text } = await server.call(CODE);
  assertEquals(returnValue, "1.0", text);
  assertEquals((await server.call("1 + 1")).returnValue, 2);
  const { session } = fields(structuredContent);
  const kept = await server.call("x", { session });
  assertEquals(kept.returnValue, 1, kept.text);
});

Deno.test("a call waits for packages no longer than it may, and a killed start keeps the wheels it has", async () => {
  await using cache = await makeCache();
  const { promise, resolve } = Promise.withResolvers<undefined>();
  await using index = startIndex(WHEELS, {
    answers: { "/files/mrp_fixture_below-1.0-py3-none-any.whl": () => promise },
  });
  const args = [
    ...["--cache-dir", cache.folder, "--index-url", index.url],
    ...["--deps", "mrp-fixture-top"],
  ];
  {
    await using server = await startServer([
      ...args,
      "+installWaitSeconds=0.5",
    ]);
    let called = await server.call(CODE);
    assertEquals(called.status, "busy");
    const isKept = async () =>
      (await listCache(cache.folder)).wheels
        .some(({ file }) => TOP.endsWith(file));
    while (!await isKept()) called = await server.call(CODE);
    assertMatch(
      String(called.error),
      /^Cannot run this yet as packages are being installed\. Now: .*\. The install goes on: call again in a minute\.$/,
    );
    await server.client.close();
    assertEquals(await whichOutlive([server.pid]), []);
  }
  resolve(undefined);
  index.requests.length = 0;
  await using server = await startServer(args);
  const { returnValue, text } = await server.call(CODE);
  assertEquals(returnValue, "1.0", text);
  assert(!index.requests.includes(TOP), index.requests.join("\n"));
});
