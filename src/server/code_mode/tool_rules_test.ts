import { assert, assertEquals, assertMatch } from "../../../deps/assert.ts";
import { matches, ToolRules } from "./tool_rules.ts";

const NONE = { allowTool: [] };

Deno.test("ToolRules allow all without a pattern, and with patterns only those tools", () => {
  assert(new ToolRules(NONE).mayCall("time", "get_time"));
  const rules = new ToolRules({ allowTool: ["time.*", "*.read_*"] });
  assert(rules.mayCall("time", "get_time"));
  assert(rules.mayCall("files", "read_file"));
  assert(!rules.mayCall("files", "write_file"));
  assert(!rules.mayCall("timer", "get"));
  assertMatch(
    rules.maybeDenial("files", "write_file") ?? "",
    /--allow-tool allows time\.\*, \*\.read_\* only/,
  );
});

Deno.test("ToolRules deny a tool whatever allows it", () => {
  const rules = new ToolRules({
    allowTool: ["files.*", "!*.delete_*", "!git.push"],
  });
  assert(rules.mayCall("files", "read"));
  assert(!rules.mayCall("files", "delete_all"));
  assertMatch(
    rules.maybeDenial("files", "delete_all") ?? "",
    /--allow-tool !\*\.delete_\* denies it/,
  );
  const noPush = new ToolRules({ allowTool: ["!git.push"] });
  assert(!noPush.mayCall("git", "push"));
  assert(noPush.mayCall("git", "push_tags"));
  assert(noPush.mayCall("Git", "push"));
  assert(noPush.mayCall("git", "Push"));
});

Deno.test("matches() takes the whole text, with dots and signs as they are", () => {
  const right = [
    ["a.b", "a.b"],
    ["a.*", "a.b.c"],
    ["a.b.*", "a.b.c"],
    ["*.c", "a.b.c"],
    ["*.*", "a.b"],
    ["a.*b*", "a.xxbyy"],
    ["a.**", "a."],
    ["a.(b)+[c]?", "a.(b)+[c]?"],
  ] as const;
  for (const [pattern, text] of right) assert(matches(pattern, text), pattern);
  const wrong = [
    ["a.b", "a.bc"],
    ["a.b", "xa.b"],
    ["a.b", "a-b"],
    ["a.*c", "a.b"],
    ["a.b", "a"],
    ["a.[a-z]", "a.b"],
    ["", "a"],
  ] as const;
  for (const [pattern, text] of wrong) assert(!matches(pattern, text), pattern);
});

Deno.test("matches() takes no exponential time for a hostile name", () => {
  const pattern = "a.*" + "a*".repeat(200) + "b";
  assert(!matches(pattern, `a.${"a".repeat(20_000)}`));
});

Deno.test("ToolRules log once each pattern that no tool can match", () => {
  const lines: unknown[] = [];
  const log = {
    write: (...[level, event, facts]: unknown[]) =>
      void lines.push([level, event, facts]),
  };
  const rules = new ToolRules({
    allowTool: [
      ...["time.*", "tiem.*", "*.read", "!files.delet_file", "!time.none"],
    ],
  }, log);
  const tools = new Map([["files", [{ name: "delete_file" }]]]);
  const note = () =>
    rules.note(["files", "time"], (server) => tools.get(server));
  note();
  const told = (option: string, pattern: string, more: object) => [
    ...["warning", "tool-pattern"],
    { option, pattern, ...more },
  ];
  const first = [
    told("--allow-tool", "tiem.*", {
      reason: "it matches no server that is configured",
      nearest: ["time"],
    }),
    told("--allow-tool !", "files.delet_file", {
      reason: "it matches no tool",
      nearest: ["files.delete_file"],
    }),
  ];
  assertEquals(lines, first);
  tools.set("time", [{ name: "get_time" }]);
  note();
  note();
  assertEquals(
    lines.slice(2).map((line) => Object(line)[2].pattern),
    ["*.read", "time.none"],
  );
});
