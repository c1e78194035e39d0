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
      const answer = await installs.install(list, () => {});
      assertMatch(JSON.stringify(answer), /^\{"error":"Cannot install/);
    });
  }
  await test.step("too long a list", async () => {
    const long = ["mrp-fixture-good", " ".repeat(1 << 16)];
    const answer = await installs.install(long, () => {});
    assertEquals(answer, { error: "too long a list" });
  });
  assertEquals(installs.folderOf("own"), "/own");
  assertThrows(() => installs.folderOf("own2"), /not an environment own2/);
  assertThrows(() => installs.folderOf("toString"), /not an environment toS/);
});

Deno.test("prepareServerInstalls() installs nothing if nothing was allowed", async () => {
  const good = ["mrp-fixture-good"];
  const none = await prepareServerInstalls(
    { ...SETTINGS, allowInstall: [] },
    OWN,
  );
  assertMatch(
    JSON.stringify(await none.install(good, () => {})),
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
  let time = 0;
  const options = { ...OWN, prepare, now: () => time };
  const installs = await prepareServerInstalls(settings, options);
  const install = async (list: string[]) =>
    JSON.stringify(await installs.install(list, () => {}));
  const spellings = [["b>=1", "a"], ["A", "B >= 1"], ["a", "a", "b>=1,"]];
  for (let round = 0; round < 20; round++) {
    for (const list of spellings) {
      assertMatch(await install(list), /^\{"installed"/);
    }
  }
  assertEquals(asked, Array(60).fill(["a", "b>=1"]));
  for (let other = 1; other < 100; other++) {
    assertMatch(await install([`a==${other}`]), /^\{"installed"/);
  }
  assertMatch(
    await install(["a==100"]),
    /100 environments were made for calls within 24 hours, which is all that/,
  );
  // One that was made may have left the cache since.
  assertMatch(await install(["a==1"]), /"installed"/);
  const folders = ["a,b>=1", "a==1"].map((id) => installs.folderOf(id));
  assertEquals(folders, ["/a,b>=1", "/a==1"]);
  time = 24 * 60 * 60 * 1000 + 1;
  assertMatch(await install(["a==100"]), /"installed"/);
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
  const early = ["mrp-fixture-good"];
  assertMatch(
    JSON.stringify(await installs.install(early, () => {})),
    /before the server's own packages are there/,
  );
  const messages: string[] = [];
  const install = () =>
    installs.install(
      [],
      ({ message }) => messages.push(message),
    );
  assertThrows(() => installs.folderOf("own"), /not an environment own/);
  assertEquals(await install(), { error: "no network" });
  assertThrows(() => installs.folderOf("own"), /not an environment own/);
  assertEquals(await install(), {
    installed: {
      id: "own",
      python: "3.14.2",
      requested: [],
      packages: [],
    },
  });
  assertEquals(installs.folderOf("own"), "/own");
  assertEquals(messages, ["Try 1", "Try 2"]);
  assertEquals(await install(), { error: "Cannot install what is there" });
  assertEquals(tries, 2);
});
