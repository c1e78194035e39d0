import { assertEquals, assertMatch } from "../../../deps/assert.ts";
import type { Fault } from "./faults.ts";
import { SessionHistory } from "./history.ts";
import type { Told } from "./line.ts";

/** A fault that may be the cause of all losses. */
const KILL: Fault = { kind: "a kill", at: 100 };

/** A session whose calls take 1 ms each, ten of them a second. */
function open(...faults: Fault[]) {
  const history = new SessionHistory({
    between: (from) => faults.filter(({ until = Infinity }) => until >= from),
  });
  let begun = 0;
  const judge = (calls: Record<string, Told>) => {
    begun += 100;
    return history.judge(
      Object.entries(calls)
        .map(([call, told]) => ({ call, told, begun, ended: begun + 1 })),
    );
  };
  return {
    ...{ history, judge },
    /** A call whose answer has this line, with the call at its end. */
    line: (line: string, how: Partial<Told & { is: "line" }> = {}) =>
      judge({ [line.split(" ").at(-1) ?? ""]: lineOf(line, how) }),
    get wrong() {
      return history.violations.map(({ what }) => what);
    },
  };
}

function lineOf(line: string, how: Partial<Told & { is: "line" }> = {}): Told {
  return { is: "line", line: line.split(" "), resumed: false, ...how };
}

Deno.test("SessionHistory takes a line that each call makes longer", () => {
  const session = open();
  assertEquals(
    [session.line("a"), session.line("a b"), session.line("a b c")],
    [
      ...[["right"], ["right"], ["right"]],
    ],
  );
  assertEquals(session.wrong, []);
  assertEquals(session.history.losses, []);
});

Deno.test("SessionHistory names a lost update, and its last ten events", () => {
  const session = open(KILL);
  for (let calls = 1; calls <= 12; calls++) {
    session.line(Array.from({ length: calls }, (_, at) => `c${at}`).join(" "));
  }
  session.line("c0 c1 d");
  const [violation, ...more] = session.history.violations;
  assertEquals(more, []);
  assertMatch(violation?.what ?? "", /a lost update: .*c11, untold/);
  assertEquals(violation?.events.length, 10);
  assertMatch(violation?.events.at(-1) ?? "", /d → 3 calls, c0,c1,d/);
});

Deno.test("SessionHistory names a forked state: calls that had not run in this one", () => {
  const session = open(KILL);
  session.line("a");
  session.line("a b");
  session.line("a c", { resumed: true });
  assertEquals(session.wrong, []);
  session.line("a b d");
  const [first = "", second = ""] = session.wrong;
  assertMatch(first, /a forked state: after a,c it has b/);
  assertMatch(second, /a lost update: .* c, untold/);
});

Deno.test("SessionHistory names the same state twice, of calls at once", () => {
  const session = open(KILL);
  session.line("a");
  session.judge({ b: lineOf("a b"), c: lineOf("a c") });
  assertMatch(
    session.wrong.join(),
    /^a lost update: it does not have b, untold$/,
  );
});

Deno.test("SessionHistory takes calls at once in the order in which they ran", () => {
  const session = open();
  session.line("a");
  session.judge({ b: lineOf("a c b"), c: lineOf("a c"), d: { is: "refused" } });
  session.line("a c b e");
  assertEquals(session.wrong, []);
});

Deno.test("SessionHistory names a call that has run twice, and an answer to another call", () => {
  const session = open();
  session.line("a a");
  session.judge({ c: lineOf("a a b") });
  const [first = "", ...others] = session.wrong;
  assertMatch(first, /run twice: a,a/);
  assertMatch(others.join(), /c is answered with b/);
});

Deno.test("SessionHistory takes a call without an answer in, or not, or later", () => {
  const session = open();
  session.line("a");
  session.judge({ b: { is: "unknown" }, c: { is: "unknown" } });
  session.line("a b d");
  session.line("a b d c e");
  assertEquals(session.wrong, []);
  session.line("a b d c e b f");
  assertMatch(session.wrong.join(), /run twice/);
});

Deno.test("SessionHistory counts a loss that was told, by its age before the fault", () => {
  const session = open({ ...KILL, at: 501, until: 600 });
  session.line("a");
  session.line("a b");
  session.line("a b c");
  assertEquals(session.line("a d", { resumed: true }), ["resumed"]);
  assertEquals(session.wrong, []);
  // `b` was answered at 201.
  assertEquals(session.history.losses, [
    { session: undefined, calls: 2, ageMs: 300, causes: ["a kill"] },
  ]);
});

Deno.test("SessionHistory names a loss without a fault after the lost calls", () => {
  const session = open({ ...KILL, until: 101 });
  session.line("a");
  session.line("a b");
  session.line("a c", { resumed: true });
  assertMatch(session.wrong.join(), /1 calls are lost, and no fault/);
});

Deno.test("SessionHistory takes an error that says that the state went back for both losses", () => {
  const session = open(KILL);
  session.line("a");
  session.line("a b");
  session.line("a c", { next: "back" });
  session.line("a d");
  assertEquals(session.wrong, []);
  assertEquals(session.history.losses.map(({ calls }) => calls), [1, 1]);
});

Deno.test("SessionHistory lets a lost session begin anew, and counts it once", () => {
  for (const told of [{ is: "unknown", next: "gone" }, undefined] as const) {
    const session = open(KILL);
    session.line("a");
    if (told) session.judge({ x: told });
    session.judge({ b: { is: "lost" } });
    session.line("c");
    assertEquals(session.wrong, []);
    assertEquals(session.history.losses.length, 1);
    session.line("a c d");
    assertMatch(session.wrong.join(), /a forked state/);
  }
});

Deno.test("SessionHistory notes a loss that a call without an answer was told", () => {
  const session = open(KILL);
  session.line("a");
  session.line("a b");
  session.judge({ c: { is: "unknown" } });
  session.line("a c d");
  assertEquals(session.wrong, []);
  assertMatch(session.history.toldInVain[0]?.what ?? "", /b are lost/);
});

Deno.test("SessionHistory has a written file in the next line, unless it went back", () => {
  const session = open(KILL);
  session.line("a");
  session.judge({ file: { is: "kept" } });
  session.line("a file b");
  assertEquals(session.wrong, []);
  session.judge({ more: { is: "kept" } });
  session.line("a file b c");
  assertMatch(session.wrong[0] ?? "", /a lost update: .* more, untold/);
});

Deno.test("SessionHistory names calls that a session's file has of another", () => {
  const session = open();
  session.line("a");
  session.judge({ r: { is: "seen", line: ["a"] } });
  assertEquals(session.wrong, []);
  session.judge({ r: { is: "seen", line: ["a", "z"] } });
  assertMatch(session.wrong.join(), /its file has z/);
});

Deno.test("SessionHistory names a secret of another session, and not that of a copy", () => {
  const { history } = open();
  const copy = history.copy("copy");
  history.read(`${copy.secret} and ${history.secret}`);
  assertEquals(history.violations.length, 0);
  const { secret } = open().history;
  history.read(`told ${secret}`);
  assertMatch(history.violations[0]?.what ?? "", /of another session/);
});

Deno.test("SessionHistory has a copy go on from where its original was", () => {
  const session = open();
  session.line("a");
  const copy = session.history.copy("copy");
  session.line("a b");
  const times = { begun: 500, ended: 501 };
  copy.judge([{ call: "c", told: lineOf("a c"), ...times }]);
  assertEquals(copy.violations.length, 0);
  copy.judge([{ call: "d", told: lineOf("a b d"), ...times }]);
  assertMatch(copy.violations[0]?.what ?? "", /a forked state/);
});

Deno.test("SessionHistory counts what a copy has lost by the age of the copy", () => {
  const at = performance.now();
  const { history } = open({ ...KILL, at, until: Infinity });
  history.judge([{ call: "a", told: lineOf("a"), begun: 0, ended: 1 }]);
  const copy = history.copy("copy");
  const times = { begun: at, ended: at };
  copy.judge([{ call: "b", told: { is: "lost" }, ...times }]);
  assertEquals(copy.losses.map(({ calls, ageMs }) => [calls, ageMs]), [[1, 0]]);
});

Deno.test("SessionHistory takes a session that starts from nothing if an answer that did not arrive may have said so", () => {
  const session = open({ ...KILL, until: Infinity });
  session.line("a");
  session.judge({ b: { is: "unknown" } });
  session.line("c");
  assertEquals(session.wrong, []);
  assertMatch(session.history.toldInVain[0]?.what ?? "", /a are lost/);
  const other = open({ ...KILL, until: Infinity });
  other.line("a");
  other.line("c");
  assertMatch(other.wrong.join(), /untold/);
});
