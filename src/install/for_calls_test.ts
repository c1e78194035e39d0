import { assertEquals, assertMatch } from "../../deps/assert.ts";
import { DEFAULTS, type Settings } from "../settings.ts";
import { prepareCallInstalls } from "./for_calls.ts";

const SETTINGS: Settings = {
  ...DEFAULTS,
  dependencies: [],
  constraints: [],
  findLinks: [],
  extraIndexUrls: [],
  allowInstall: ["mrp-fixture-good"],
  allowNet: [],
  variables: {},
  // Nothing of it is read or written before a request is found good; below a
  // file, nothing can be.
  cacheDir: "/dev/null/cache",
};

/** What is refused although the server asked for it. */
const REFUSED: Record<string, unknown> = {
  "another name": ["mrp-fixture-bad"],
  "a good one with another": ["mrp-fixture-good", "mrp-fixture-bad"],
  "an address": ["https://h.example/mrp_fixture_good-1.0-py3-none-any.whl"],
  "a name with an address": ["mrp-fixture-good @ https://h.example/x.whl"],
  "a path": ["./mrp_fixture_good-1.0-py3-none-any.whl"],
  "a file": ["mrp-fixture-good @ file:///etc/x.whl"],
  "a marker": ['mrp-fixture-good; python_version > "3"'],
  "two in one": ["mrp-fixture-good, mrp-fixture-bad"],
  "an option": ["--index-url=https://h.example"],
  "no text": [{ name: "mrp-fixture-good" }],
  "a long one": [`mrp-fixture-good${">=1,".repeat(100)}`],
  "no list": { length: 0 },
  "too many": Array(65).fill("mrp-fixture-good"),
  "too much": ["x".repeat(1 << 16)],
};

Deno.test("prepareCallInstalls() refuses what was not allowed, whoever asks", async (test) => {
  const installs = await prepareCallInstalls(SETTINGS, "/own");
  for (const [name, list] of Object.entries(REFUSED)) {
    await test.step(name, async () => {
      const payload = new TextEncoder().encode(JSON.stringify(list));
      const answer = await installs.install(1, payload);
      assertMatch(
        JSON.stringify(answer),
        /^\{"error":"(Cannot install|too long)/,
      );
    });
  }
  await test.step("no JSON", async () => {
    const answer = await installs.install(1, Uint8Array.of(0x5b));
    assertEquals(Object.keys(answer), ["error"]);
  });
  assertEquals([...installs.folders], [[0, "/own"]]);
});

Deno.test("prepareCallInstalls() installs nothing if nothing was allowed, nor for ever", async () => {
  const good = new TextEncoder().encode('["mrp-fixture-good"]');
  const none = await prepareCallInstalls(
    { ...SETTINGS, allowInstall: [] },
    "/own",
  );
  assertMatch(JSON.stringify(await none.install(1, good)), /"Cannot install/);
  const installs = await prepareCallInstalls(SETTINGS, "/own");
  for (let id = 1; id <= 50; id++) installs.folders.set(id, `/${id}`);
  assertMatch(
    JSON.stringify(await installs.install(51, good)),
    /has done so 50 times, which is all it may/,
  );
});
