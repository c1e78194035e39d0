/**
 * What a caller is told by the answer to a call of a session, as far as it is about
 * the session's state.
 */
export type Told =
  /** The code has run, on a state that had all calls but the last of this line. */
  | { is: "line"; line: string[]; resumed: boolean; next?: "back" | "gone" }
  /** A file is written, which the next run of code puts into the line. */
  | { is: "kept" }
  /** The lines that a file of the session has, or those of the state before a call. */
  | { is: "seen"; line: string[] }
  /** The code has not run. */
  | { is: "refused" }
  /** The state is gone: `session-lost`. */
  | { is: "lost" }
  /** The code may have run; `next` is what its error says of the state. */
  | { is: "unknown"; next?: "back" | "gone" };

/** The answer to a call. */
export interface Judged {
  /** The call's name in the line. */
  call: string;
  told: Told;
  /** When it was sent, and answered: by `performance.now()`. */
  begun: number;
  ended: number;
}

/** A session's state, by its answers so far. */
export interface State {
  /** The calls whose changes the state has, in their order, as far as answers told. */
  line: string[];
  /** Calls that may have run, or may run yet. */
  maybe: ReadonlySet<string>;
  /** Files that were written since. */
  kept: readonly string[];
  /** What an answer said of the state after it. */
  next: "back" | "gone" | undefined;
}

/** What an answer says: as it should be; that the state went back, or is lost. */
export type Verdict = "right" | "resumed" | "lost" | "refused" | "unknown";

/** Answers that are judged in an order in which their calls may have run. */
export interface Try {
  state: State;
  wrong: string[];
  dropped: { calls: string[]; isToldInVain: boolean }[];
  verdicts: Map<string, Verdict>;
}

/** Judges an answer, and has the state after it. */
export function judgeOne(tried: Try, { call, told }: Judged): void {
  const { state } = tried;
  const verdict = (one: Verdict) => void tried.verdicts.set(call, one);
  switch (told.is) {
    case "refused":
      return verdict("refused");
    case "unknown":
      end(tried, told.next ?? state.next);
      return verdict("unknown");
    case "kept":
      tried.state = { ...state, kept: [...state.kept, call] };
      return verdict("right");
    case "lost":
      end(tried, "gone");
      return verdict("lost");
    case "seen": {
      const strays = told.line.filter((one) => !isOf(state, one));
      if (strays.length > 0) tried.wrong.push(`its file has ${strays}`);
      return verdict("right");
    }
    case "line":
      return verdict(judgeLine(tried, call, told));
  }
}

/** Notes what the state is after a call; a state that is gone is lost once. */
function end(tried: Try, next: State["next"]): void {
  const { line, kept } = tried.state;
  if (next === "gone" && tried.state.next !== "gone") {
    tried.dropped.push({ calls: [...line, ...kept], isToldInVain: false });
  }
  tried.state = { ...tried.state, next };
}

function judgeLine(
  tried: Try,
  call: string,
  { line: all, resumed, next }: Told & { is: "line" },
): Verdict {
  const { state, wrong } = tried;
  const line = all.slice(0, -1);
  if (all.at(-1) !== call) wrong.push(`${call} is answered with ${all.at(-1)}`);
  if (new Set(all).size < all.length) {
    wrong.push(`a call has run twice: ${all}`);
  }
  const same = commonLength(state.line, line);
  const added = line.slice(same);
  const kept = state.kept.filter((one) => added.includes(one));
  const strays = added.filter((one) => !isOf({ ...state, line: [] }, one));
  const dropped = [
    ...state.line.slice(same),
    ...state.kept.filter((one) => !added.includes(one)),
  ];
  if (strays.length > 0) {
    const isBranch = dropped.length > 0 ? "a forked state: " : "";
    wrong.push(
      `${isBranch}after ${
        state.line.slice(-3)
      } it has ${strays}, which had not run there`,
    );
  }
  if (dropped.length > 0) {
    // An error that says so tells of all losses before.
    const isTold = resumed || next === "back" || state.next !== undefined;
    // The code of a call whose answer is lost has run on the older state, and it told;
    // or it has told that there is none.
    const isToldInVain = !isTold &&
      (added.some((one) => state.maybe.has(one)) ||
        line.length === 0 && state.maybe.size > 0);
    if (!isTold && !isToldInVain) {
      wrong.push(`a lost update: it does not have ${dropped}, untold`);
    }
    // A session that is lost was judged when that was told.
    if (state.next !== "gone") {
      tried.dropped.push({ calls: dropped, isToldInVain });
    }
  }
  tried.state = {
    line: all,
    maybe: state.maybe.difference(new Set([...added, ...kept])),
    kept: [],
    next: undefined,
  };
  end(tried, next);
  return resumed ? "resumed" : "right";
}

/** Whether a call may be in a state. */
function isOf({ line, maybe, kept }: State, call: string): boolean {
  return line.includes(call) || maybe.has(call) || kept.includes(call);
}

function commonLength(
  one: readonly string[],
  other: readonly string[],
): number {
  const at = one.findIndex((call, at) => call !== other[at]);
  return at < 0 ? one.length : at;
}

/** All orders of some items. */
export function ordersOf<T>(items: readonly T[]): T[][] {
  if (items.length < 2) return [[...items]];
  return items.flatMap((item, at) =>
    ordersOf(items.toSpliced(at, 1)).map((rest) => [item, ...rest])
  );
}
