import source from "./fragments.py" with { type: "text" };
import { Random } from "../../bench/soak/random.ts";

/** A program that leaves something behind; the same for the same seed. */
export interface Program {
  /** The code of its runs, one after another in one interpreter. */
  runs: string[];
  /** Names of its pieces. */
  pieces: string[];
  /** Whether an interpreter is to be rewound after it, in most cases at least. */
  isPlain: boolean;
  /** Whether two fresh interpreters print the same. */
  isSteady: boolean;
}

/** A program that prints this is endless: it is to be interrupted. */
export const SPINNING = "spinning ";

/** Pieces of programs: `fragments.py` explains their marks. */
interface Piece {
  name: string;
  marks: string[];
  code: string;
}

const PIECES: readonly Piece[] = source.split(/^# --- /m).slice(1)
  .map((text) => {
    const end = text.indexOf("\n");
    const [name = "", marks = ""] = text.slice(0, end).split(": ");
    return { name, marks: marks.split(" "), code: text.slice(end + 1).trim() };
  });
const isLast = ({ marks }: Piece) => marks.includes("last");
const LAST = PIECES.filter(isLast);
const PROBES = PIECES.filter(({ marks }) =>
  marks.includes("probe") && !marks.includes("varies")
);
/** Few programs have these, as what comes after them proves nothing. */
const IMPURE = ["pending", "javascript", "library", "grows"];
/** An interrupt comes before an instruction or behind it. */
const UNSTEADY = ["varies", "pending", "javascript", "interrupted"];
const isPure = ({ marks }: Piece) => !marks.some((it) => IMPURE.includes(it));
/** Packages without which a piece proves nothing. */
const PACKAGES = ["pydantic", "numpy"];
const needsPackage = ({ marks }: Piece) =>
  marks.some((it) => PACKAGES.includes(it));
const ANY = PIECES.filter((it) => !isLast(it) && !needsPackage(it));
const PURE = ANY.filter(isPure);
const OTHERS = ANY.filter((it) => !isPure(it));

const MOST_PIECES = 6;
const WORDS = ["ash", "birch", "cedar", "fir", "oak", "pine", "yew"];

/**
 * Makes a program of pieces, each in a frame of another kind.
 *
 * @param packages Those of `PACKAGES` that are there: half of the pieces use them.
 */
export function makeProgram(
  seed: number,
  packages: readonly string[] = [],
): Program {
  const random = new Random(seed);
  const own = PIECES.filter(({ marks }) =>
    marks.some((it) => packages.includes(it))
  );
  const count = 1 + Math.floor(random.next() * MOST_PIECES);
  const pieces = Array.from({ length: count }, () => pickPiece(random, own));
  if (random.isIn(0.3)) pieces.push(pick(random, LAST));
  const parts = pieces.map((piece, at) => inFrame(piece, at, random));
  const cut = random.isIn(0.2) ? 1 + Math.floor(random.next() * count) : 0;
  const runs = [parts.slice(0, cut), parts.slice(cut)]
    .filter(({ length }) => length > 0)
    .map((some) => some.join("\n"));
  const has = (mark: string) =>
    pieces.some(({ marks }) => marks.includes(mark));
  return {
    runs,
    pieces: pieces.map(({ name }) => name),
    isPlain: pieces.every(isPure),
    isSteady: !UNSTEADY.some(has),
  };
}

/** Makes a program that computes and prints, and leaves nothing on purpose. */
export function makeProbe(seed: number): string {
  const random = new Random(seed);
  return Array.from({ length: 3 }, () => pick(random, PROBES))
    .map((piece, at) => inFrame(piece, at, random)).join("\n");
}

function pickPiece(random: Random, own: readonly Piece[]): Piece {
  if (own.length > 0 && random.isIn(0.5)) return pick(random, own);
  return pick(random, random.isIn(0.06) ? OTHERS : PURE);
}

function inFrame({ code, marks }: Piece, at: number, random: Random): string {
  const head = [
    `N, M, S = ${1 + Math.floor(random.next() * 9)}`,
    100 + Math.floor(random.next() * 900),
    `"${pick(random, WORDS)}"`,
  ].join(", ");
  const waits = /\bawait |\basync (with|for) /.test(code);
  const frames = [plain, guarded, inFunction, inTask, inGenerator];
  // An endless piece ends its program, and other pieces are not to.
  const frame = marks.includes("last") ? plain : pick(random, frames);
  return `${head}\n${frame(code, `part_${at}`, waits)}`;
}

const indented = (code: string) => code.replaceAll(/^(?=.)/gm, "    ");
const plain = (code: string) => code;
const guarded = (code: string) =>
  `try:\n${
    indented(code)
  }\nexcept BaseException as error: print(repr(error)[:99])`;

function inFunction(code: string, name: string, waits: boolean): string {
  return waits
    ? `async def ${name}():\n${indented(code)}\nawait ${name}()`
    : `def ${name}():\n${indented(code)}\n${name}()`;
}

function inTask(code: string, name: string): string {
  return `import asyncio\nasync def ${name}():\n${
    indented(code)
  }\nawait asyncio.create_task(${name}())`;
}

/** A frame that stays open. */
function inGenerator(code: string, name: string, waits: boolean): string {
  const body = `${indented(code)}\n    yield 1`;
  return waits
    ? `async def ${name}():\n${body}\nopen_${name} = ${name}()\nawait anext(open_${name})`
    : `def ${name}():\n${body}\nopen_${name} = ${name}()\nnext(open_${name})`;
}

function pick<T>(random: Random, items: readonly T[]): T {
  const item = random.pick(items);
  if (item === undefined) throw new RangeError("nothing to pick from");
  return item;
}
