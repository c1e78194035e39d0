import { assertEquals } from "../../deps/assert.ts";
import { assertProperty, property, string } from "../../deps/fast_check.ts";
import { type Facts, Log } from "./log_lines.ts";

/** The lines that a log writes for an event of each level. */
function linesOf(
  facts: Facts,
  { logLevel = "debug", logFormat = "text" }: Partial<
    ConstructorParameters<typeof Log>[0]
  > = {},
): string[] {
  const lines: string[] = [];
  const decoder = new TextDecoder();
  const log = new Log(
    { logLevel, logFormat },
    (line) => lines.push(decoder.decode(line)),
  );
  for (const level of ["error", "warning", "info", "debug"] as const) {
    log.write(level, "event", facts);
  }
  return lines;
}

const untimed = (line?: string) => line?.replace(/^\S+ /, "");

Deno.test("Log writes what is as severe as its level", () => {
  const levels = linesOf({}, { logLevel: "warning" }).map(untimed);
  assertEquals(levels, ["error event", "warning event"]);
});

Deno.test("Log writes words as they are, and all other text in quotes", () => {
  const facts = {
    count: 3,
    host: "example.com:443",
    hosts: ["a.example", "[::1]:80"],
    client: "Some client",
    forged: "x status=success",
    none: undefined,
    empty: "",
  };
  assertEquals(
    untimed(linesOf(facts)[0]),
    "error event count=3 host=example.com:443 hosts=a.example,[::1]:80 " +
      'client="Some client" forged="x status=success"',
  );
});

Deno.test("Log writes no control character, in either format, and loses none", () => {
  const text =
    'a\n\r\t\0\x1b[2J\x7f\x9b\u2028\u2029\u202e\u{e0001}\ud800 é 表 \\ "';
  const escaped = String
    .raw`"a\n\r\t\u0000\u001b[2J\u007f\u009b\u2028\u2029\u202e\udb40\udc01\ud800 é 表 \\ \""`;
  assertEquals(untimed(linesOf({ text })[0]), `error event text=${escaped}`);
  const isPlain = (line: string) => !/[\p{C}\p{Zl}\p{Zp}]/u.test(line);
  assertProperty(property(string({ unit: "binary" }), (text) => {
    const [plain = ""] = linesOf({ text });
    const [json = ""] = linesOf({ text }, { logFormat: "json" });
    return isPlain(plain) && isPlain(json) && JSON.parse(json).text === text;
  }));
});

Deno.test("Log has one event in a line, of which no fact takes the place", () => {
  const facts = { event: "lost", time: "0", level: "x", key: "k" };
  const [json = ""] = linesOf(facts, { logFormat: "json" });
  const { time, ...rest } = JSON.parse(json);
  assertEquals(time.length, 24);
  assertEquals(rest, {
    ...{ level: "error", event: "event", action: "lost", key: "k" },
  });
  assertEquals(untimed(linesOf(facts)[0]), "error event action=lost key=k");
});
