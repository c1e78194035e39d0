import {
  assertEquals,
  assertMatch,
  assertThrows,
} from "../../../deps/assert.ts";
import { UserError } from "../../errors.ts";
import { DEFAULTS, type Settings } from "../../settings.ts";
import { prepareServerInstalls } from "./server_installs.ts";

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

const OWN = {
  ownFolder: "/own",
  installOwn: () => Promise.reject(new Error("it is there")),
};

/** What is refused although the server asked for it. */
const REFUSED: Record<string, unknown> = {
  "another name": ["mrp-fixture-bad"],
  "a good one with another": ["mrp-fixture-good", "mrp-fixture-bad"],
  "an address": ["https://h.example/mrp_fixture_good-1.0-py3-none-any.whl"],
  "a name with an address": ["mrp-fixture-good @ https://h.example/x.whl"],
  "a path": ["./mrp_fixture_good-1.0-py3-none-any.whl"],
  "a file": ["mrp-fixture-good @ file:///etc/x.whl"],
  "a hash, which would make a private wheel in the cache its own": [
    `mrp-fixture-good>=1 --hash=sha256:${"0".repeat(64)}`,
  ],
  "a marker": ['mrp-fixture-good; python_version > "3"'],
  "two in one": ["mrp-fixture-good, mrp-fixture-bad"],
  "an option": ["--index-url=https://h.example"],
  "no text": [{ name: "mrp-fixture-good" }],
  "a long one": [`mrp-fixture-good${">=1,".repeat(100)}`],
  "no list": { length: 0 },
  "too many": Array(65).fill("mrp-fixture-good"),
};

Deno.test("prepareServerInstalls() refuses packages that were not allowed", async (test) => {
  const run = () =>
    Promise.resolve({
      folder: "/installed",
      python: "3.14.2",
      requested: [],
      packages: [],
    });
  const prepare = () => Promise.resolve(run);
  const installs = await prepareServerInstalls(SETTINGS, { ...OWN, prepare });
  for (const [name, list] of Object.entries(REFUSED)) {
    await test.step(name, async () => {
      const payload = new TextEncoder().encode(JSON.stringify(list));
      const answer = await installs.install(1, payload, () => {});
      assertMatch(JSON.stringify(answer), /^\{"error":"Cannot install/);
    });
  }
  await test.step("too long a list", async () => {
    const text = `["mrp-fixture-good"]${" ".repeat(1 << 16)}`;
    const answer = await installs.install(
      1,
      new TextEncoder().encode(text),
      () => {},
    );
    assertEquals(answer, { error: "too long a list" });
  });
  await test.step("no JSON", async () => {
    const answer = await installs.install(1, Uint8Array.of(0x5b), () => {});
    assertEquals(Object.keys(answer), ["error"]);
  });
  assertEquals(installs.folderOf(0), "/own");
  assertThrows(() => installs.folderOf(1), /there is not an environment 1/);
});

Deno.test("prepareServerInstalls() installs nothing if nothing was allowed", async () => {
  const good = new TextEncoder().encode('["mrp-fixture-good"]');
  const none = await prepareServerInstalls(
    { ...SETTINGS, allowInstall: [] },
    OWN,
  );
  assertMatch(
    JSON.stringify(await none.install(1, good, () => {})),
    /"Cannot install/,
  );
});

Deno.test("prepareServerInstalls() counts environments, and not the spellings of what is in them", async () => {
  const asked: string[][] = [];
  const prepare = () =>
    Promise.resolve((requirements: string[]) => {
      asked.push(requirements);
      return Promise.resolve({
        folder: `/${requirements}`,
        python: "3.14.2",
        requested: [],
        packages: [],
      });
    });
  const settings = { ...SETTINGS, allowInstall: ["*"] };
  const installs = await prepareServerInstalls(settings, { ...OWN, prepare });
  let id = 0;
  const install = async (list: string[]) => {
    const payload = new TextEncoder().encode(JSON.stringify(list));
    return JSON.stringify(await installs.install(++id, payload, () => {}));
  };
  const spellings = [["b>=1", "a"], ["A", "B >= 1"], ["a", "a", "b>=1,"]];
  for (let round = 0; round < 20; round++) {
    for (const list of spellings) {
      assertMatch(await install(list), /^\{"installed"/);
    }
  }
  assertEquals(asked, Array(60).fill(["a", "b>=1"]));
  for (let other = 1; other < 50; other++) {
    assertMatch(await install([`a==${other}`]), /^\{"installed"/);
  }
  assertMatch(
    await install(["a==50"]),
    /has made 50 environments for calls, which is all it may/,
  );
  const folders = [1, 60, 61].map((id) => installs.folderOf(id));
  assertEquals(folders, ["/a,b>=1", "/a,b>=1", "/a==1"]);
});

Deno.test("prepareServerInstalls() installs the server's own environment, again after a failure, and tells its steps", async () => {
  let tries = 0;
  const never = () => Promise.reject(new Error("before its own"));
  const installs = await prepareServerInstalls(SETTINGS, {
    prepare: () => Promise.resolve(never),
    installOwn(report) {
      report({ type: "step", text: `Try ${++tries}` });
      return tries === 1
        ? Promise.reject(new UserError("no network"))
        : Promise.resolve({
          folder: "/own",
          python: "3.14.2",
          requested: [],
          packages: [],
        });
    },
  });
  const early = new TextEncoder().encode('["mrp-fixture-good"]');
  assertMatch(
    JSON.stringify(await installs.install(1, early, () => {})),
    /before the server's own packages are there/,
  );
  assertThrows(() => installs.folderOf(1), /there is not an environment 1/);
  const messages: string[] = [];
  const install = () =>
    installs.install(
      0,
      new Uint8Array(),
      ({ message }) => messages.push(message),
    );
  assertThrows(() => installs.folderOf(0), /there is not an environment 0/);
  assertEquals(await install(), { error: "no network" });
  assertThrows(() => installs.folderOf(0), /there is not an environment 0/);
  assertEquals(await install(), {
    installed: {
      id: "own",
      python: "3.14.2",
      requested: [],
      packages: [],
    },
  });
  assertEquals(installs.folderOf(0), "/own");
  assertEquals(messages, ["Try 1", "Try 2"]);
  assertEquals(await install(), { error: "Cannot install what is there" });
  assertEquals(tries, 2);
});
