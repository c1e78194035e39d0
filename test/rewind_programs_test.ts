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
import { log } from "../src/log.ts";
import { openDifferences } from "./support/rewinding/differences.ts";
import { readFiles } from "./support/interpreter.ts";
import { ALL_ROUNDS } from "./support/rounds.ts";

const COUNT = Number(Deno.env.get("REWIND_COUNT") ?? (ALL_ROUNDS ? 1000 : 100));
const SEED = Number(Deno.env.get("REWIND_SEED") ?? Date.now() % 2 ** 31);
/** Least share of programs without JavaScript, libraries and work under way. */
const LEAST_REWOUND = 0.8;

Deno.test("rewind: after any program, others find a fresh interpreter", async () => {
  log(`REWIND_SEED=${SEED} REWIND_COUNT=${COUNT}`);
  const files = await readFiles();
  await using differences = await openDifferences(files);
  const wrong: string[] = [];
  for (let seed = SEED; seed < SEED + COUNT; seed++) {
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
  assert(plain.rewound >= LEAST_REWOUND * plain.all);
});
