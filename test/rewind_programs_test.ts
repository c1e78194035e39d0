/**
 * A rewound interpreter is not to be told from a fresh one: whatever a program has
 * left behind, another program prints what it prints in a fresh interpreter, and so
 * does an inventory of all that Python can see.
 *
 * `REWIND_SEED` and `REWIND_COUNT` choose the programs.
 *
 * @module
 */
import { assert, assertEquals } from "../deps/assert.ts";
import process from "node:process";
import { log } from "../src/log.ts";
import { openDifferences } from "./support/rewinding/differences.ts";
import { REAL_DEPS } from "./support/command.ts";
import { FOLDER_027, PACKAGES_027 } from "./support/each_pyodide.ts";
import { NO_INDEX } from "./support/real_index.ts";
import { readFiles } from "./support/interpreter.ts";
import { differ } from "./support/rewinding/differ.ts";
import inventory from "./support/rewinding/inventory.py" with { type: "text" };
import { openRealm, runClean, runFresh } from "./support/rewinding/realm.ts";
import { ALL_ROUNDS } from "./support/rounds.ts";

const COUNT = Number(Deno.env.get("REWIND_COUNT") ?? (ALL_ROUNDS ? 1000 : 100));
/** The short suite has the same programs each time. */
const FIRST = ALL_ROUNDS ? Date.now() % 2 ** 31 : 1000;
const SEED = Number(Deno.env.get("REWIND_SEED") ?? FIRST);
/** Least share of programs without JavaScript, libraries and work under way. */
const LEAST_REWOUND = 0.8;
/** A share of fewer programs says little. */
const LEAST_COUNTED = 20;

interface Environment {
  /** Options of its install. */
  deps: string[];
  pyodide?: string;
  /** Marks of the pieces that need it. */
  packages: string[];
  /** Share of the programs. */
  share: number;
  ignore: boolean;
}

const ENVIRONMENTS: Record<string, Environment> = {
  "Python": { deps: [], packages: [], share: 0.8, ignore: false },
  "pydantic": {
    deps: ["--deps", REAL_DEPS],
    packages: ["pydantic"],
    share: 0.1,
    ignore: NO_INDEX !== undefined,
  },
  "Pyodide 0.27 with pandas": {
    deps: PACKAGES_027.slice(2),
    pyodide: FOLDER_027,
    packages: ["numpy"],
    share: 0.05,
    // A start takes seconds.
    ignore: FOLDER_027 === "" || !ALL_ROUNDS,
  },
};

for (const [name, environment] of Object.entries(ENVIRONMENTS)) {
  const { deps, packages, share, ignore, pyodide = "" } = environment;
  Deno.test({
    name: `rewind: after any program, others find a fresh interpreter: ${name}`,
    ignore,
    async fn() {
      const count = Math.ceil(COUNT * share);
      log(`REWIND_SEED=${SEED}, ${count} programs`);
      const files = await readFiles({ deps, pyodide });
      await using differences = await openDifferences(files, packages);
      const wrong: string[] = [];
      for (let seed = SEED; seed < SEED + count; seed++) {
        wrong.push(...await differences.find(seed));
      }
      const { plain, others, causes } = differences.tally;
      log(
        `${plain.rewound} of ${plain.all} plain programs, ${others.rewound} of ${others.all} others rewound`,
      );
      for (const [cause, count] of Object.entries(causes)) {
        log(`${count}: ${cause}`);
      }
      assertEquals(wrong.join("\n\n"), "");
      if (plain.all < LEAST_COUNTED) return;
      assert(plain.rewound >= LEAST_REWOUND * plain.all);
    },
  });
}

Deno.test("rewind: a rewound interpreter is told from a fresh one by places in memory alone", async () => {
  const files = await readFiles();
  const LEVEL = "lines";
  const looks = await Promise.all([
    runFresh(files, [inventory], { LEVEL }),
    runClean(files, inventory, { LEVEL }),
  ]);
  const [fresh = "", clean = ""] = looks.map(([text = ""]) =>
    text.split("\n").filter((line) => !PLACES.test(line)).join("\n")
  );
  assert(fresh.length > 100_000);
  assertEquals(differ(LEVEL, [clean], [fresh]), []);
});

/** Lines that show where the next object is to lie. */
const PLACES = /^(interned|address|sys\.getallocatedblocks)/;

Deno.test("rewind: the last of many takes no more time and memory than the first", async () => {
  await using realm = await openRealm(await readFiles());
  const costs: { cpu: number; rss: number }[] = [];
  for (let part = 0; part < PARTS; part++) {
    const before = process.cpuUsage();
    for (let round = 0; round < MANY / PARTS; round++) {
      for (const [code, value] of USUAL) {
        const heard = await realm.run(code, { n: round });
        assert(heard.includes(value(round)), `${part}, ${round}: ${heard}`);
        assertEquals(await realm.rewind(), undefined);
      }
    }
    const { user, system } = process.cpuUsage(before);
    costs.push({ cpu: user + system, rss: Deno.memoryUsage().rss / MIB });
  }
  log(
    costs.map(({ cpu, rss }) =>
      `${
        (cpu / 1000 / (MANY / PARTS * USUAL.length)).toFixed(1)
      } ms of CPU a run, ${rss.toFixed()} MiB`
    ).join("\n"),
  );
  const [, first, ...rest] = costs;
  const last = rest.at(-1);
  assert(first && last);
  assert(last.cpu < MOST_SLOWER * first.cpu);
  assert(last.rss < first.rss + MOST_MORE_MIB);
});

const MIB = 1 << 20;
/** The first part warms up. */
const PARTS = 5;
const MANY = ALL_ROUNDS ? 5000 : 100;
const MOST_SLOWER = 2;
/** Less than 7 KB a rewind, if it is not garbage that V8 has not collected. */
const MOST_MORE_MIB = 128;

/** Runs, and what their clients see; `n` is bound. */
const USUAL: [code: string, value: (n: number) => string][] = [
  [
    "import re, json\nlen(re.findall('a', json.dumps('a' * n)))",
    (n) => `"value":"${n}"`,
  ],
  [
    `import asyncio
async def add(at):
    await asyncio.sleep(0)
    return at
sum(await asyncio.gather(*(add(at) for at in range(n))))`,
    (n) => `"value":"${n * (n - 1) / 2}"`,
  ],
  [
    "from pathlib import Path\nPath('a').write_text('x' * n)\n1 / 0",
    () => "ZeroDivisionError",
  ],
  [
    "import time\ntime.sleep(0)\nclass Left: pass\nprint(n, 'printed')",
    (n) => `${n} printed`,
  ],
];
