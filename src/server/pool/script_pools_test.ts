import { Share } from "../../shares.ts";
import { ENGINE } from "../../engines/index.ts";
import { ENVIRONMENT } from "../../../test/support/fake_pool.ts";
import { SETUP } from "../../../test/support/request.ts";
import { TOY } from "../../../test/support/toy_engine/row.ts";
import { assert, assertEquals, assertMatch } from "../../../deps/assert.ts";
import type {
  InstallAnswer,
  OtherEngine,
} from "../../protocol/server_settings.ts";
import { LocalPool } from "./local_pool.ts";
import type { SandboxMessage } from "./sandbox.ts";
import type { ProgressStep } from "../../protocol/run_messages.ts";
import { Queue } from "../../protocol/channel.ts";
import type { Shell } from "../../protocol/run_setup.ts";
import { ScriptPools } from "./script_pools.ts";

/** The number of the pool of another engine. */
const OTHER = -1;
const SIZES = { ready: 1, running: 1, waiting: 9 };

/** Pools whose processes are none, and installs that end when they are told to. */
class Fixture {
  asked: string[][] = [];
  waiting = new Queue<(answer: InstallAnswer) => void>();
  /** Numbers of pools, with how many processes run; 0 is the server's own. */
  running = new Map<number, number>();
  own: LocalPool | undefined;
  /** Of another engine. */
  other: LocalPool | undefined;
  #environments = 0;
  pools: ScriptPools;
  /** Tells a step of the install that was asked for last. */
  onStep = (_step: ProgressStep) => {};

  constructor(
    allowInstall: string[],
    { isInstalled = true, installWaitSeconds = 1000, ...more }: {
      isInstalled?: boolean;
      installWaitSeconds?: number;
      otherEngines?: OtherEngine[];
      shell?: Shell;
    } = {},
  ) {
    const packages = [{ name: "Own.Package", version: "2.0rc1" }]
      .map((one) => ({ ...one, imports: [], file: "", url: "", sha256: "" }));
    this.pools = new ScriptPools({
      settings: {
        expected: [],
        ...{ engine: ENGINE.profile, otherEngines: [] },
        ...{ allowInstall, installWaitSeconds, pool: SIZES, ...more },
        environment: isInstalled ? { ...ENVIRONMENT, packages } : undefined,
      },
      turns: new Share(SIZES.running),
      install: async (requirements, onStep) => {
        this.onStep = onStep;
        this.asked.push(requirements);
        return await new Promise<InstallAnswer>((resolve) =>
          this.waiting.push(resolve)
        );
      },
      startPool: ({ id }, { engine, isOwn }) => {
        const isOther = engine.name !== ENGINE.profile.name;
        const pool = this.#start(isOther ? OTHER : isOwn ? 0 : Number(id));
        if (isOther) this.other = pool;
        else if (isOwn) this.own = pool;
        return pool;
      },
    });
  }

  find(dependencies: string[], more = "") {
    return this.pools.find(
      `# /// script\n# dependencies = ${
        JSON.stringify(dependencies)
      }\n${more}# ///\n`,
    );
  }

  /** Finds a pool for one package, which is installed. */
  async open(name: string) {
    const found = this.find([name]);
    await this.answer({
      installed: this.next(),
    });
    return await found;
  }

  /** Another environment. */
  next() {
    return { ...ENVIRONMENT, id: `${++this.#environments}` };
  }

  /** Ends the next install. */
  async answer(answer: InstallAnswer) {
    (await this.waiting.next())(answer);
  }

  #start(environment: number): LocalPool {
    const change = (by: number) =>
      this.running.set(environment, (this.running.get(environment) ?? 0) + by);
    return new LocalPool(
      () => {
        change(1);
        let runs = true;
        const messages = new Queue<SandboxMessage>();
        messages.push({ type: "ready" });
        return {
          messages,
          send: () => Promise.resolve(),
          kill() {
            if (!runs) return;
            runs = false;
            change(-1);
            messages.push({ type: "ended", reason: "SIGKILL" });
          },
        };
      },
      SIZES,
      { engine: ENGINE.profile, setup: SETUP },
    );
  }
}

function said(found: unknown): string {
  return JSON.stringify(found);
}

Deno.test("ScriptPools takes the server's own pool where that has all", async () => {
  const fixture = new Fixture(["*"]);
  for (
    const code of [
      "1",
      "# /// other\n# x = 1\n# ///",
      "# /// script\n# dependencies = []\n# ///",
      '# /// script\n# dependencies = ["own_package>=1.0"]\n# requires-python = ">=3.14"\n# ///',
    ]
  ) {
    assertEquals((await fixture.pools.find(code)).pool, fixture.own);
  }
  assertEquals(fixture.asked, []);
});

Deno.test("ScriptPools says what the user can do about what is not allowed", async () => {
  const fixture = new Fixture(["mrp-fixture-good"]);
  assertMatch(
    said(await fixture.find(["mrp-fixture-good", "MRP_fixture.bad>=1"])),
    /"denied".*only mrp-fixture-good may be .*--deps mrp-fixture-bad, or with --allow-install mrp-fixture-bad\./,
  );
  assertMatch(
    said(await new Fixture([]).find(["mrp-fixture-bad"])),
    /"denied".*nothing may be installed for a call/,
  );
  for (
    const text of [
      "mrp-fixture-good @ https://h.example/x.whl",
      "https://h.example/x.whl",
      "./x.whl",
      "file:///x.whl",
      'mrp-fixture-good; python_version > "3"',
    ]
  ) {
    assertMatch(said(await fixture.find([text])), /"denied".*by name only/);
  }
  assertEquals(fixture.asked, []);
});

Deno.test("ScriptPools has installed what is there in no version that is asked for", async () => {
  for (const version of [">2", "==1.*", `<${"9".repeat(22)}`, ">=x"]) {
    const fixture = new Fixture(["*"]);
    assert((await fixture.open(`own-package${version}`)).pool);
    assertEquals(fixture.asked, [[`own-package${version}`]]);
  }
});

Deno.test("ScriptPools checks requires-python whether anything is installed or not", async () => {
  const old = '# requires-python = "<3.14"\n';
  for (const allowed of [[], ["*"]]) {
    for (const list of [[], ["own-package"], ["x"], ["./x.whl"]]) {
      const fixture = new Fixture(allowed);
      assertMatch(
        said(await fixture.find(list, old)),
        /"install-error".*requires Python <3\.14, and this is 3\.14\.2/,
      );
      assertEquals(fixture.asked, []);
    }
  }
});

Deno.test("ScriptPools says what is wrong with metadata", async () => {
  const fixture = new Fixture(["*"]);
  const start = '# dependencies = ["x"]\n';
  for (
    const [code, words] of [
      ["# dependencies = [\n", /is not TOML/],
      ["# dependencies = 1\n", /must be texts/],
      ["# requires-python = 3\n", /must be a text/],
      [
        `# requires-python = "<3"\n${start}`,
        /requires Python <3, and this is 3\.14\.2/,
      ],
      [
        `# requires-python = "nonsense"\n${start}`,
        /its requires-python, \\"nonsense\\", is not a range of versions/,
      ],
      [`# requires-python = ">=3,"\n${start}`, /is not a range of versions/],
      [
        `# requires-python = ">${"9".repeat(22)}"\n${start}`,
        /is not a range of versions/,
      ],
      [
        `# requires-python = "${">=3,".repeat(60)}>3"\n${start}`,
        /is not a range of versions/,
      ],
    ] as const
  ) {
    const found = await fixture.pools.find(`# /// script\n${code}# ///`);
    assertMatch(said(found), /"install-error"/);
    assertMatch(said(found), words);
  }
});

Deno.test("ScriptPools installs once for all calls that ask for the same, in any order and spelling", async () => {
  const fixture = new Fixture(["*"]);
  const found = [["a", "b>=1"], ["b>=1", "a"], ["A", "B >= 1", "a"]]
    .map((list) => fixture.find(list));
  await fixture.answer({
    installed: fixture.next(),
  });
  const [one, ...others] = await Promise.all(found);
  assert(one?.pool);
  for (const other of others) assertEquals(other, one);
  assertEquals(fixture.asked, [["a", "b>=1"]]);
});

Deno.test("ScriptPools tries again what failed", async () => {
  const fixture = new Fixture(["*"]);
  const found = fixture.find(["a"]);
  await fixture.answer({ error: "no network" });
  assertMatch(said(await found), /"install-error".*no network/);
  assert((await fixture.open("a")).pool);
  assertEquals(fixture.asked, [["a"], ["a"]]);
});

Deno.test("ScriptPools keeps two pools, and ends that which was unused for longest", async () => {
  const fixture = new Fixture(["*"]);
  await fixture.open("a");
  await fixture.open("b");
  await fixture.find(["a"]);
  await fixture.open("c");
  assertEquals(Object.fromEntries(fixture.running), { 0: 1, 1: 1, 2: 0, 3: 1 });
  // What was ended may have left the cache: it is asked for again.
  const again = fixture.find(["b"]);
  await fixture.answer({ installed: { ...ENVIRONMENT, id: "2" } });
  await again;
  assertEquals(Object.fromEntries(fixture.running), { 0: 1, 1: 0, 2: 1, 3: 1 });
  assertEquals(fixture.asked, [["a"], ["b"], ["c"], ["b"]]);
});

Deno.test("ScriptPools installs anew what no process keeps in the cache any more", async () => {
  const fixture = new Fixture(["*"]);
  const { pool } = await fixture.open("one");
  assert(await fixture.find(["one"]));
  assertEquals(fixture.asked.length, 1);
  pool?.close();
  const again = fixture.find(["one"]);
  await fixture.answer({ installed: { ...ENVIRONMENT, id: "1" } });
  assert((await again).pool);
  assertEquals(fixture.asked, [["one"], ["one"]]);
});

Deno.test("ScriptPools has the server's own packages installed, and each call waits for them", async () => {
  const fixture = new Fixture([], { isInstalled: false });
  let count = 0;
  fixture.pools.onInstalled = () => count++;
  assertEquals(fixture.asked, [[]]);
  assertEquals(fixture.pools.environment, undefined);
  const steps: string[] = [];
  const follow = { onStep: ({ message }: ProgressStep) => steps.push(message) };
  const first = fixture.pools.find("1", follow);
  fixture.onStep({ message: "Installing a 1/2", progress: 1 });
  const second = fixture.pools.find("2", follow);
  assertEquals(steps, ["Installing a 1/2", "Installing a 1/2"]);
  const installed = fixture.next();
  await fixture.answer({ installed });
  assert((await first).pool);
  assertEquals(await first, await second);
  assertEquals((await fixture.pools.find("3")).pool, fixture.own);
  assertEquals(fixture.pools.environment, installed);
  assertEquals(count, 1);
  assertEquals(Object.fromEntries(fixture.running), { 0: 1 });
});

Deno.test("ScriptPools lets no more calls wait for packages than may wait for a sandbox", async () => {
  const fixture = new Fixture([], { isInstalled: false });
  const most = SIZES.running + SIZES.waiting;
  const calls = Array.from({ length: most }, () => fixture.pools.find("1"));
  assertMatch(
    said(await fixture.pools.find("1")),
    /"busy".*as 10 calls wait for packages already\. Try again/,
  );
  await fixture.answer({
    installed: fixture.next(),
  });
  for (const found of await Promise.all(calls)) assert(found.pool);
});

Deno.test("ScriptPools has callers' installs in turn, and leaves half of those that wait to others", async () => {
  const fixture = new Fixture(["*"]);
  const ask = (name: string, caller: string) => {
    const code = `# /// script\n# dependencies = ["${name}"]\n# ///\n`;
    return fixture.pools.find(code, { client: [caller, ""] });
  };
  const names = ["b0", ...Array.from({ length: 9 }, (_, at) => `a${at}`), "b1"];
  const calls = names.map((name) => ask(name, name.slice(0, 1)));
  const { installs } = fixture.pools.shares;
  const haveAsked = () => installs.status.used + installs.status.refused;
  while (haveAsked() < names.length) await new Promise((go) => setTimeout(go));
  void (async () => {
    while (true) await fixture.answer({ installed: fixture.next() });
  })();
  const found = await Promise.all(calls);
  const refused = names.filter((_, at) => found[at]?.refused);
  assertEquals(refused, ["a5", "a6", "a7", "a8"]);
  assertEquals(fixture.asked.flat(), [
    "b0",
    "a0",
    "b1",
    "a1",
    "a2",
    "a3",
    "a4",
  ]);
});

Deno.test("ScriptPools says why the server's own packages are not there, and tries again at the next call", async () => {
  const fixture = new Fixture([], { isInstalled: false });
  const found = fixture.pools.find("1");
  await fixture.answer({ error: "no network" });
  assertEquals((await found).refused, {
    ...{ status: "install-error", error: "no network", output: [] },
  });
  assertEquals(fixture.asked, [[]]);
  const again = fixture.pools.find("1");
  assertEquals(fixture.asked, [[], []]);
  await fixture.answer({
    installed: fixture.next(),
  });
  assert((await again).pool);
});

Deno.test("ScriptPools lets no call wait for longer than it may, nor after it is cancelled", async () => {
  const fixture = new Fixture(["a"], {
    isInstalled: false,
    installWaitSeconds: 0.01,
  });
  assertMatch(
    said(await fixture.pools.find("1")),
    /"busy".*packages are being installed\. The install goes on: call again/,
  );
  fixture.onStep({ message: "Installing a 1/2", progress: 1 });
  const signal = AbortSignal.abort();
  const patient = new Fixture([], { isInstalled: false });
  assertMatch(said(await patient.pools.find("1", { signal })), /"cancelled"/);
  assertMatch(
    said(await fixture.pools.find("1")),
    /being installed\. Now: Installing a 1\/2\. The install/,
  );
});

const script = (list: string[]) =>
  `# /// script\n# dependencies = ${JSON.stringify(list)}\n# ///\n`;

Deno.test("ScriptPools refuses a session no package that it has, by whatever requirement, though its pool is gone", async () => {
  const fixture = new Fixture(["*"]);
  const packages = [{ name: "a", version: "14.1" }]
    .map((one) => ({ ...one, imports: [], file: "", url: "", sha256: "" }));
  const found = fixture.find(["a[x]", "a"]);
  await fixture.answer({ installed: { ...fixture.next(), packages } });
  const { environment } = await found;
  assert(environment);
  for (const name of ["b", "c"]) await fixture.open(name);
  assertEquals(fixture.running.get(1), 0);
  for (const list of [["a"], ["A>=10"], ["a[x]"], []]) {
    const refused = await fixture.pools.maybeRefuse(script(list), environment);
    assertEquals(refused, undefined);
  }
  for (const list of [["a>=15"], ["b"], ["a[y]"]]) {
    const refused = await fixture.pools.maybeRefuse(script(list), environment);
    assertMatch(said(refused), /"denied".*session \\"new\\"/);
  }
  assertEquals(fixture.asked.length, 3);
});

Deno.test("ScriptPools lets calls have what is installed though as many wait for other packages as may", async () => {
  const fixture = new Fixture(["*"]);
  await fixture.open("a");
  const most = SIZES.running + SIZES.waiting;
  const others = Array.from({ length: most }, () => fixture.find(["b"]));
  assertMatch(said(await fixture.find(["b"])), /"busy"/);
  assert((await fixture.find(["a"])).pool);
  await fixture.answer({ installed: fixture.next() });
  await Promise.all(others);
});

Deno.test("ScriptPools reads no metadata for a shell, whose environment has all of it", async () => {
  const fixture = new Fixture([], {
    shell: { argv: [], isPrompt: true, maxValue: null, isTerminal: false },
  });
  assertEquals((await fixture.find(["b"])).pool, fixture.own);
});

const { label } = ENGINE.profile;
const otherEngines = [{ ...TOY.profile, python: "3.0" }];

Deno.test("ScriptPools has a pool for each engine, which starts with the server's own", async () => {
  const fixture = new Fixture([], { isInstalled: false, otherEngines });
  assertEquals(fixture.other, undefined);
  const found = fixture.pools.find("1", { engine: "toy" });
  await fixture.answer({ installed: fixture.next() });
  const { pool, environment } = await found;
  assert(pool && pool === fixture.other && pool !== fixture.own);
  assertEquals(environment, {
    ...{ id: "", python: "3.0", requested: [], packages: [] },
  });
  for (const engine of [undefined, ENGINE.profile.name]) {
    assertEquals((await fixture.pools.find("1", { engine })).pool, fixture.own);
  }
  assertEquals(Object.fromEntries(fixture.running), { 0: 1, [OTHER]: 1 });
  const { status } = fixture.pools;
  assertEquals(status.ready + status.preparing, 2);
});

Deno.test("ScriptPools refuses an engine that is not served, before any install", async () => {
  const fixture = new Fixture([], { isInstalled: false, otherEngines });
  assertMatch(
    said(await fixture.pools.find("1", { engine: "x" })),
    new RegExp(`"denied".*"x.*only ${ENGINE.profile.name} and toy\\.`),
  );
});

Deno.test("ScriptPools gives an engine without packages none, and says what to leave out", async () => {
  const fixture = new Fixture(["*"], { otherEngines });
  const engine = "toy";
  const asking = script(["rich>=14"]);
  assertMatch(
    said(await fixture.pools.find(asking, { engine })),
    new RegExp(`"denied".*rich>=14.*Toy: it takes no.*engine.*on ${label}`),
  );
  const old = '# /// script\n# requires-python = ">=3.9"\n# ///';
  assertMatch(
    said(await fixture.pools.find(old, { engine })),
    /"install-error".*requires Python >=3\.9, and this is 3\.0\./,
  );
  // Packages that a program has installed are for the other engine.
  for (const code of ["1", script([])]) {
    const found = fixture.pools.find(code, { engine, dependencies: ["rich"] });
    assertEquals((await found).pool, fixture.other);
  }
  assertEquals(fixture.asked, []);
});
