import { assert, assertEquals, assertMatch } from "../../../deps/assert.ts";
import {
  assertProperty,
  jsonValue,
  property,
} from "../../../deps/fast_check.ts";
import { readAnswer, toForm } from "./approval_form.ts";

const QUESTION = {
  ...{ server: "files", revision: "1" },
  ...{ tool: "delete", arguments: "{}" },
};

function show(args: unknown, names: { server?: string; tool?: string } = {}) {
  const question = { ...QUESTION, ...names, arguments: JSON.stringify(args) };
  return toForm(question, { canRemember: true }).message;
}

/** The lines between the first and the last sentence. */
function blockOf(message: string): string[] {
  const [first, ...parts] = message.split("\n\n");
  assertEquals(first, "Python code asks to call a tool of an MCP server:");
  assertEquals(parts.pop(), "Allow this call?");
  return parts.join("\n\n").split("\n");
}

Deno.test("toForm() shows server, tool and arguments as an indented block", () => {
  assertEquals(blockOf(show({ path: "/a", deep: { list: [1, "é", null] } })), [
    '    server: "files"',
    '    tool: "delete"',
    "    arguments: {",
    '      "path": "/a",',
    '      "deep": {',
    '        "list": [',
    "          1,",
    '          "é",',
    "          null",
    "        ]",
    "      }",
    "    }",
  ]);
});

Deno.test("toForm() lets no name or argument leave its line, hide, or be markup", () => {
  const bad = [
    "a\n\nAllow this call? It is safe.",
    "\x1b[2J\x1b[31mred\x07\r",
    "```\nend",
    "<img src=x onerror=y> &lt;",
    "[click](https://example.com)",
    "\u202etxt.exe\u2066 \u200b\u3164\u2800\u00a0\u2028\ufe0f\u{e0041}",
    "\ud800 lone",
  ];
  for (const text of bad) {
    const message = show({ [text]: text }, { server: text, tool: text });
    const lines = blockOf(message);
    assertEquals(lines.length, 5, message);
    for (const line of lines) assertMatch(line, /^ {4}[ !-~]*$/);
    assert(!/[`<>&]|\]\(/.test(lines.join("\n")), message);
    const shown = /^ {4}tool: (.*)$/.exec(lines[1] ?? "")?.[1] ?? "";
    assertEquals(JSON.parse(shown), text);
  }
});

Deno.test("toForm() cuts what is long, and says outside of the texts how much is missing", () => {
  const long = show({ text: "x".repeat(1000), list: Array(100).fill(1) });
  assertMatch(long, /^ {6}"text": "x{300}" … 700 characters more …,$/m);
  assertMatch(long, /^ {8}… 70 more …$/m);
  const wide = Object.fromEntries(
    Array.from({ length: 30 }, (_, at) => [`k${at}`, Array(30).fill("long")]),
  );
  const message = show(wide);
  assertMatch(message, /^ {4}… 8\d\d lines more …$/m);
  assert(message.length < 9000);
  const texts = Object.fromEntries(
    Array.from({ length: 30 }, (_, at) => [`k${at}`, "\u200b".repeat(300)]),
  );
  assert(show(texts).length < 9000);
  let deep: unknown = [];
  for (let depth = 0; depth < 50; depth++) deep = [deep];
  assertMatch(show(deep), /\[ … 1 more … \]/);
});

Deno.test("toForm() shows what a server starts whose entry has changed, and lets none of it hide", () => {
  const starts = { command: "sh", args: ["-c", "x\n\nStart\u202e"] };
  const { message, requestedSchema } = toForm({
    ...{ server: "files", revision: "1", source: "/a/mcp.json" },
    changed: { how: "changed", starts },
  }, { canRemember: false });
  const [first, block, last] = message.split("\n\n");
  assertMatch(`${first}`, /entry was changed after/);
  assertEquals(last, "Start this server?");
  assertEquals(block?.split("\n"), [
    '    server: "files"',
    '    file: "/a/mcp.json"',
    "    starts: {",
    '      "command": "sh",',
    '      "args": [',
    '        "-c",',
    '        "x\\n\\nStart\\u202e"',
    "      ]",
    "    }",
  ]);
  assertEquals(requestedSchema.properties, {});
});

Deno.test("toForm() keeps all arguments in its block", () => {
  assertProperty(property(jsonValue(), (value) => {
    for (const line of blockOf(show({ value }))) assertMatch(line, /^ {4}/);
  }));
});

Deno.test("toForm() offers to remember the answer only if that can be done", () => {
  const properties = (canRemember: boolean) =>
    Object.keys(toForm(QUESTION, { canRemember }).requestedSchema.properties);
  assertEquals(properties(true), ["remember"]);
  assertEquals(properties(false), []);
});

Deno.test("readAnswer() takes nothing but a clear yes for a yes", () => {
  const no = { isAccepted: false, isRemembered: false };
  const nos: unknown[] = [
    ...[undefined, null, "accept", ["accept"], {}, { action: "decline" }],
    { action: "cancel", content: { remember: true } },
    { action: "ACCEPT" },
  ];
  for (const data of nos) assertEquals(readAnswer(data), no);
  const once = { isAccepted: true, isRemembered: false };
  assertEquals(readAnswer({ action: "accept" }), once);
  const unclear = { action: "accept", content: { remember: "yes" } };
  assertEquals(readAnswer(unclear), once);
  const always = { action: "accept", content: { remember: true } };
  assertEquals(readAnswer(always), { isAccepted: true, isRemembered: true });
});
