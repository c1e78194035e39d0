/**
 * Packages that a call asks for (`--allow-install`), and hints at what is
 * missing: over real processes and the official client.
 *
 * @module
 */
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { makeCache } from "./support/cache.ts";
import { html, startIndex } from "./support/index_server.ts";
import { descendants, whichOutlive } from "./support/processes.ts";
import { listen, startServer } from "./support/server.ts";
import { wheel } from "./support/wheel.ts";

/** Code that asks for packages. */
function script(dependencies: string[], code: string, more = ""): string {
  const list = JSON.stringify(dependencies);
  return `# /// script\n# dependencies = ${list}\n${more}# ///\n${code}`;
}

const NAMES = ["good", "second", "third", "flaky", "clash", "own"];

Deno.test("a call has what it asks for, if that is allowed", async (test) => {
  await using cache = await makeCache();
  let isDown = true;
  await using index = startIndex([
    wheel({ name: "mrp-fixture-own" }),
    wheel({ name: "mrp-fixture-own", version: "6.0" }),
    wheel({ name: "mrp-fixture-good", requires: ["mrp-fixture-dep"] }),
    wheel({ name: "mrp-fixture-dep" }),
    wheel({ name: "mrp-fixture-second" }),
    wheel({ name: "mrp-fixture-third" }),
    wheel({ name: "mrp-fixture-flaky" }),
    wheel({ name: "mrp-fixture-clash", requires: ["mrp-fixture-own>5"] }),
  ], {
    answers: {
      "/simple/mrp-fixture-flaky/": () =>
        isDown ? html("Not found", 404) : undefined,
    },
  });
  const address = new URL(
    "/files/mrp_fixture_own-1.0-py3-none-any.whl",
    index.url,
  );
  Object.assign(address, { username: "ada", password: "secret" });
  await using server = await startServer([
    ...["--cache-dir", cache.folder, "--index-url", index.url],
    ...["--deps", `mrp-fixture-own @ ${address}`],
    ...["--max-concurrency", "1", "--allow-install"],
    NAMES.map((name) => `mrp-fixture-${name}`).join(","),
  ]);
  const asked = async (work: () => Promise<void>) => {
    index.requests.length = 0;
    await work();
    return [...index.requests];
  };

  await test.step("the tool says what can be had", async () => {
    const { tools } = await server.client.listTools();
    assertMatch(
      String(tools[0]?.description),
      /Of the index mrp-fixture-good, .* can be had by code .*\n# \/\/\/ script\n# dependencies = \["mrp-fixture-good"\]\n# \/\/\/$/,
    );
  });
  await server.call("1");
  const code = script(
    ["MRP_Fixture.Good>=1"],
    "import mrp_fixture_good, mrp_fixture_dep, mrp_fixture_own\n" +
      "mrp_fixture_good.version + mrp_fixture_own.version",
  );
  await test.step("with its dependencies, beside the server's own; once for two calls, which hear of its steps", async () => {
    const { told } = listen(server);
    const call = () => server.call(code, {}, { onprogress: () => {} });
    const requests = await asked(async () => {
      for (
        const { returnValue, text } of await Promise.all([call(), call()])
      ) assertEquals(returnValue, "1.01.0", text);
    });
    const last = told.filter(({ message }) =>
      message === "Installing mrp-fixture-own 3/3"
    );
    assertEquals(last.length, 2, JSON.stringify(told));
    assertEquals(new Set(requests).size, requests.length);
    assertEquals(cache.entries().length, 3);
  });
  await test.step("a session has what its first call asks for, and no more", async () => {
    const opened = await server.call(code, { session: "new" });
    const { session } = opened.structured;
    assertEquals(opened.returnValue, "1.01.0", opened.text);
    const next = "mrp_fixture_good.version";
    for (const asked of ["MRP_Fixture.Good>=1", "mrp-fixture-own"]) {
      const same = script([asked], next);
      const { returnValue, text } = await server.call(same, { session });
      assertEquals(returnValue, "1.0", text);
    }
    const other = script(["mrp-fixture-second"], "ran = True");
    const { status, error } = await server.call(other, { session });
    assertEquals(status, "denied");
    assertMatch(String(error), /other packages .* session "new"/);
    const { returnValue } = await server.call("'ran' in globals()", {
      session,
    });
    assertEquals(returnValue, false);
    await server.client.callTool({
      ...{ name: "end_session", arguments: { session } },
    });
  });
  await test.step("no two calls run at a time if one may, whatever they ask for", async () => {
    const timed =
      "import time; t = time.time(); time.sleep(0.2); [t, time.time()]";
    const runs = await Promise.all(
      [timed, script(["MRP_Fixture.Good>=1"], timed), timed]
        .map((code) => server.call(code)),
    );
    const times = runs.map(({ returnValue, text }) => {
      assert(Array.isArray(returnValue), text);
      return returnValue.map(Number);
    }).sort(([a = 0], [b = 0]) => a - b).flat();
    assertEquals(times, times.toSorted((a, b) => a - b));
  });
  await test.step("then the launcher is not asked", async () => {
    const requests = await asked(async () => {
      assertEquals((await server.call(code)).returnValue, "1.01.0");
    });
    assertEquals(requests, []);
  });
  await test.step("the server's own packages need no install", async () => {
    const requests = await asked(async () => {
      const { returnValue, text } = await server.call(script(
        ["mrp_fixture_own==1.*"],
        "import mrp_fixture_own as own; own.version",
        '# requires-python = ">=3.14"\n',
      ));
      assertEquals(returnValue, "1.0", text);
    });
    assertEquals(requests, []);
  });
  await test.step("other calls have none of it", async () => {
    const ways = ["import mrp_fixture_good", "!pip install MRP_fixture-good"];
    for (const way of ways) {
      const { status, error } = await server.call(way);
      assertEquals(status, "run-error");
      assertMatch(
        String(error),
        /begin the code with .*\n.*\n# dependencies = \["mrp.fixture-good"\]/i,
      );
    }
    const { returnValue } = await server.call(
      "%pip install mrp_fixture_own\nimport mrp_fixture_own as own; own.version",
    );
    assertEquals(returnValue, "1.0");
  });
  await test.step("what is not allowed is denied", async () => {
    const { status, error, isError } = await server.call(
      script(["mrp-fixture-dep"], "1"),
    );
    assertEquals([status, isError], ["denied", true]);
    assertMatch(String(error), /--allow-install mrp-fixture-dep\.$/);
  });
  await test.step("a failed install is told of, and the next one may work", async () => {
    const flaky = script(["mrp-fixture-flaky"], "import mrp_fixture_flaky");
    const failed = await server.call(flaky);
    assertEquals(failed.status, "install-error");
    assertMatch(String(failed.error), /a package named "mrp-fixture-flaky"/);
    isDown = false;
    assertEquals((await server.call(flaky)).status, "success");
  });
  await test.step("what clashes with the server's own is told of, without its credentials", async () => {
    const { status, error, text } = await server.call(
      script(["mrp-fixture-clash"], "1"),
    );
    assertEquals(status, "install-error");
    assertMatch(
      String(error),
      /"mrp-fixture-own @ http:.*"mrp-fixture-own>5" by mrp-fixture-clash/,
    );
    assert(!text.includes("secret"), text);
    for (const name of cache.entries()) {
      const path = `${cache.folder}/environments/${name}/environment.json`;
      assert(!(await Deno.readTextFile(path)).includes("secret"));
    }
  });
  await test.step("metadata that is none is told of", async () => {
    const { status } = await server.call(
      "# /// script\n# dependencies = [\n# ///\n",
    );
    assertEquals(status, "install-error");
  });
  await test.step("processes of packages that are not used end", async () => {
    const before = descendants(server.pid);
    for (const name of ["second", "third"]) {
      const { status, text } = await server.call(
        script([`mrp-fixture-${name}`], `import mrp_fixture_${name}`),
      );
      assertEquals(status, "success", text);
    }
    const left = await whichOutlive(before, { most: before.length - 1 });
    assert(left.length < before.length, "none of them ended");
  });
  await test.step("what cache clean has removed since is installed anew", async () => {
    const kept = (await cache.command(["cache", "list"])).stdout;
    assertMatch(kept, /mrp-fixture-good 1\.0/);
    const cleaned = await cache.command(["cache", "clean"]);
    assertEquals(cleaned.code, 0, cleaned.stderr);
    const left = (await cache.command(["cache", "list"])).stdout;
    assert(!left.includes("mrp-fixture-good 1.0"), left);
    const { returnValue, text } = await server.call(code);
    assertEquals(returnValue, "1.01.0", text);
  });
});

Deno.test("a module that is missing comes with a hint", async (test) => {
  await using server = await startServer();
  const hostile = `
class Hostile(ModuleNotFoundError):
    @property
    def name(self): NAME
    def add_note(self, text): raise SystemExit(7)
    def __getattribute__(self, key):
        if key == "name": return Hostile.name.fget(self)
        return super().__getattribute__(key)
raise Hostile("mine")`;
  const cases: [name: string, code: string, says: RegExp][] = [
    [
      "one of the distribution",
      "import numpy",
      /It is in the package numpy, ask the user to start the server with --deps numpy\.$/,
    ],
    ["a part of one", "import PIL.Image", /It is in the package pillow, ask/],
    ["one with another name", "import jwt", /It is in the package pyjwt, ask/],
    [
      "one that nobody knows",
      "import mrp_fixture_x.y",
      /If it is in a package mrp-fixture-x, ask the user .*--deps mrp-fixture-x\.$/,
    ],
    [
      "a part of the standard library",
      "import readline",
      /"readline" is a part of the standard library that WebAssembly does not have\.$/,
    ],
    [
      "a part that a module lacks",
      "import json.gone",
      /No module named 'json\.gone'$/,
    ],
    ["none", "raise ModuleNotFoundError('mine')", /ModuleNotFoundError: mine$/],
    [
      "one that raises",
      hostile.replace("NAME", "raise SystemExit(3)"),
      /Hostile: mine$/,
    ],
    [
      "one that is no text",
      hostile.replace("NAME", "return 1 << 70"),
      /Hostile: mine$/,
    ],
    [
      "one whose note is refused",
      hostile.replace("NAME", "return 'numpy'"),
      /Hostile: mine$/,
    ],
  ];
  for (const [name, code, says] of cases) {
    await test.step(name, async () => {
      const { status, error } = await server.call(code);
      assertEquals(status, "run-error");
      assertMatch(String(error), says);
    });
  }
  await test.step("one that never answers", async () => {
    const code = hostile.replace("NAME", "\n        while True: pass");
    const { status } = await server.call(code, { timeout: 0.2 });
    assertEquals(status, "timeout");
  });
});
