import inventory from "./inventory.py" with { type: "text" };
import type { InterpreterFiles } from "../../../src/engines/pyodide/host.ts";
import { differ } from "./differ.ts";
import { makeProbe, makeProgram, type Program } from "./programs.ts";
import { openRealm, runClean, runFresh } from "./realm.ts";

/** Probes that fresh interpreters have answered. */
const PROBES = 20;
/** The inventory of each class and module takes a while: one program of so many has it. */
const WHOLE_EVERY = 4;

interface Count {
  all: number;
  rewound: number;
}

export interface Tally {
  plain: Count;
  others: Count;
  /** Programs after which a new interpreter was made, by cause. */
  causes: Record<string, number>;
}

/** Compares one interpreter, rewound again and again, with fresh ones. */
export async function openDifferences(
  files: InterpreterFiles,
  packages: readonly string[] = [],
): Promise<
  AsyncDisposable & {
    tally: Tally;
    /** Runs a program; gives what differs, in it and in those that come after. */
    find(seed: number): Promise<string[]>;
  }
> {
  const realm = await openRealm(files);
  const expected = new Map<string, Promise<string>>();
  const tally: Tally = {
    plain: { all: 0, rewound: 0 },
    others: { all: 0, rewound: 0 },
    causes: {},
  };
  return {
    tally,
    async find(seed) {
      const program = makeProgram(seed, packages);
      const found: string[] = [];
      const heard: string[] = [];
      for (const code of program.runs) heard.push(await realm.run(code));
      if (program.isSteady) {
        const fresh = await runFresh(files, program.runs);
        const [own, other] = [heard, fresh].map((texts) =>
          texts.map(toComparable)
        );
        found.push(...differ("its own output", own ?? [], other ?? []));
      }
      if (await isRewound(program)) {
        for (const [what, code, globals] of probesFor(seed)) {
          const clean = await (expected.get(what) ?? ask(what, code, globals));
          const [different] = differ(what, [await realm.run(code, globals)], [
            clean,
          ]);
          if (different) found.push(different);
          if (different?.includes("all_")) {
            found.push(...await showLines(program));
          }
          const anew = await realm.rewind();
          if (anew) found.push(`after ${what}: ${anew.cause}: ${anew.detail}`);
        }
      }
      return found.map((text) =>
        `REWIND_SEED=${seed} REWIND_COUNT=1 [${program.pieces}]: ${text}`
      );
    },
    [Symbol.asyncDispose]: () => realm[Symbol.asyncDispose](),
  };

  /** Does it once more in another interpreter, to see which lines differ. */
  async function showLines({ runs }: Program): Promise<string[]> {
    await using again = await openRealm(files);
    for (const code of runs) await again.run(code);
    if (await again.rewind()) return ["another time it was not rewound"];
    const LEVEL = "lines";
    const clean = await runClean(files, inventory, { LEVEL });
    return differ(LEVEL, [await again.run(inventory, { LEVEL })], clean);
  }

  async function isRewound({ isPlain }: Program): Promise<boolean> {
    const count = isPlain ? tally.plain : tally.others;
    count.all++;
    const anew = await realm.rewind();
    if (!anew) {
      count.rewound++;
      return true;
    }
    const cause = `${
      isPlain ? "plain" : "other"
    }: ${anew.cause}: ${anew.detail}`;
    tally.causes[cause] = (tally.causes[cause] ?? 0) + 1;
    return false;
  }

  function ask(what: string, code: string, globals: object): Promise<string> {
    const answer = runClean(files, code, globals).then(([text = ""]) => text);
    expected.set(what, answer);
    return answer;
  }
}

/**
 * Where a new object lies depends on those before it; what an interpreter still says as
 * it dies, on the moment; and names of temporary files are random.
 */
function toComparable(text: string): string {
  return text.includes('"status":"crashed"')
    ? "crashed"
    : text.replaceAll(/\b0x[0-9a-f]+/g, "0x…")
      .replaceAll(/\btmp[a-z0-9_]{8}\b/g, "tmp…");
}

function probesFor(
  seed: number,
): [what: string, code: string, globals: object][] {
  const LEVEL = seed % WHOLE_EVERY === 0 ? "all" : "few";
  const probe = seed % PROBES;
  return [
    [`inventory: ${LEVEL}`, inventory, { LEVEL }],
    [`probe ${probe}`, makeProbe(probe), {}],
  ];
}
