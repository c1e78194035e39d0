import type { ElicitRequestFormParams } from "../../../deps/mcp_server.ts";
import type { Denied } from "../../grants/guest_grants.ts";
import { fields } from "../../protocol/fields.ts";
import type { Json } from "../../protocol/run_result.ts";
import { count, head } from "../../results/cut.ts";
import type { ApprovalQuestion } from "./code_mode_run.ts";

/** Characters of a text that are shown, members of a list or object, and depth. */
const MOST = { text: 300, name: 100, members: 30, depth: 6 };
/** Lines that are shown of all arguments, and characters. */
const MOST_LINES = 80;
const MOST_CHARS = 8000;

/**
 * The question to a user whether a tool may be called, or a server started. Names,
 * arguments and entries are a hostile program's: they are JSON in an indented block,
 * which Markdown shows as it is, without a character that could hide or move another.
 */
export function toForm(
  question: ApprovalQuestion,
  { canRemember }: { canRemember: boolean },
): ElicitRequestFormParams {
  const { first, facts, last } = toWords(question);
  const block = facts.join("\n").split("\n").map((line) => `    ${line}`);
  const remember = {
    type: "boolean",
    title: "Allow this tool for the rest of this session",
    description:
      "Later calls of this tool are not asked about, whatever their arguments.",
    default: false,
  } as const;
  return {
    message: `${first}\n\n${block.join("\n")}\n\n${last}`,
    requestedSchema: {
      type: "object",
      properties: canRemember ? { remember } : {},
      required: [],
    },
  };
}

function toWords(question: ApprovalQuestion) {
  const server = `server: ${quote(question.server, MOST.name)}`;
  if ("grant" in question) {
    const { kind, ...what } = question.grant;
    return {
      first:
        "A WebAssembly component asks for something that its policy does not grant. It keeps the grant until mcp-run-python ends.",
      facts: [server, `${WANTED[kind]}: ${print(what, 1)}`],
      last: "Grant it?",
    };
  }
  if (question.tool === undefined) {
    const { source, changed: { how, starts } } = question;
    return {
      first:
        `Python code is to use an MCP server whose entry was ${how} after mcp-run-python had started. Allow it only if the change is your own: code may have had another server write it.`,
      facts: [
        server,
        `file: ${quote(source, MOST.text)}`,
        `starts: ${cutLines(print(starts, MOST.depth))}`,
      ],
      last: "Start this server?",
    };
  }
  const { tool, arguments: text } = question;
  return {
    first: "Python code asks to call a tool of an MCP server:",
    facts: [
      server,
      `tool: ${quote(tool, MOST.name)}`,
      `arguments: ${cutLines(print(JSON.parse(text), MOST.depth))}`,
    ],
    last: "Allow this call?",
  };
}

const WANTED: Record<Denied["kind"], string> = {
  net: "reach",
  read: "read",
  write: "write",
  env: "variable",
};

/** Reads the answer of a client's user; all but a clear yes is a no. */
export function readAnswer(
  data: unknown,
): { isAccepted: boolean; isRemembered: boolean } {
  const { action, content } = fields(data);
  const isAccepted = action === "accept";
  const isRemembered = isAccepted && fields(content).remember === true;
  return { isAccepted, isRemembered };
}

/** JSON in lines; notes of what is left out stand outside of its texts. */
function print(value: Json, depth: number, indent = ""): string {
  if (typeof value === "string") return quote(value, MOST.text);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members: [string | undefined, Json][] = Array.isArray(value)
    ? value.map((item) => [undefined, item])
    : Object.entries(value);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  if (members.length === 0) return `${open}${close}`;
  if (depth === 0) return `${open} … ${count(members.length)} more … ${close}`;
  const inner = `${indent}  `;
  const lines = members.slice(0, MOST.members).map(([key, item]) => {
    const name = key === undefined ? "" : `${quote(key, MOST.name)}: `;
    return inner + name + print(item, depth - 1, inner);
  });
  const missing = members.length - lines.length;
  const more = missing > 0 ? [`${inner}… ${count(missing)} more …`] : [];
  return [open, [...lines, ...more].join(",\n"), indent + close].join("\n");
}

function quote(text: string, length: number): string {
  const quoted = harmless(JSON.stringify(head(text, length)));
  const missing = text.length - length;
  return missing > 0
    ? `${quoted} … ${count(missing)} characters more …`
    : quoted;
}

/** Characters that are not seen, move others, or are spaces of another width. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\p{DI}\u2800]|(?! )\p{Zs}/gu;
/** Signs that end a block of code, are HTML, or a link. */
const MARKUP = /[`<>&]|(?<=\])\(/g;

/** JSON text with visible characters only, and without markup. */
function harmless(json: string): string {
  return json.replace(UNSEEN, escape).replace(MARKUP, escape);
}

function escape(character: string): string {
  return character.split("").map((unit) =>
    `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`
  ).join("");
}

function cutLines(text: string): string {
  const lines = text.split("\n");
  let room = MOST_CHARS;
  const end = lines.findIndex((line, at) =>
    (room -= line.length) < 0 || at >= MOST_LINES
  );
  return end < 0
    ? text
    : [...lines.slice(0, end), `… ${count(lines.length - end)} lines more …`]
      .join("\n");
}
