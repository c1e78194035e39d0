/** A token of TypeScript or Python. */
interface Token {
  text: string;
  start: number;
  end: number;
  /** Spaces in front of it; undefined unless its line starts with it. */
  indent: number | undefined;
}

/** In a pattern: any tokens, as few as match; brackets in them are closed. */
const ANY = "…";
const DECLARING = new Set(
  ("abstract async class const declare def default enum export function get " +
    "interface let override private protected public readonly set static " +
    "type var * [").split(" "),
);
const OPEN = ["(", "[", "{"];
const CLOSE = [")", "]", "}"];
const PYTHON =
  /#.*|\\\n|[rbfu]{0,2}("""[^]*?"""|'''[^]*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|\w+|[^\s\w]/giy;
const TYPESCRIPT =
  /\/\/.*|\/\*[^]*?\*\/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|[#\w$]+|[^\s\w$]/y;
const REGEX = /\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/[a-z]*/y;
const TEMPLATE = /(?:\\[^]|\$(?!\{)|[^`\\$])*(`|\$\{)/y;

/**
 * Replaces the part of a source that a pattern matches, within what has a name:
 * a function, a member of a class or a declaration. Spaces, ends of lines,
 * comments and commas in front of a bracket make no difference.
 *
 * @param where The name, or a path of names (`Pool.lease`); `*` is all of the file.
 * @param replacement Each `…` of it is what the same one of the pattern matched.
 * @throws {RangeError} If the pattern does not match exactly once.
 */
export function weaken(
  file: string,
  source: string,
  { where, pattern, replacement }: {
    where: string;
    pattern: string;
    replacement: string;
  },
): string {
  const tokens = tokenize(file, source);
  const wanted = tokenize(file, pattern);
  const found = new Map<number, [number, number][]>();
  const scopes = findScopes(tokens, where);
  if (scopes.length === 0) throw new RangeError(`it has no ${where}`);
  for (const [from, to] of scopes) {
    for (let at = from; at < to; at++) {
      const gaps = match(tokens, at, to, wanted, 0);
      if (gaps) found.set(at, gaps);
    }
  }
  const [first, ...more] = found;
  if (!first || more.length > 0) {
    throw new RangeError(`${where} has ${found.size} of: ${pattern}`);
  }
  const [at, gaps] = first;
  const last = gaps.pop()!;
  const [start, end] = [tokens[at]!.start, tokens[last[1] - 1]!.end];
  const texts = gaps.map(([from, to]) =>
    from < to ? source.slice(tokens[from]!.start, tokens[to - 1]!.end) : ""
  );
  const line = source.slice(source.lastIndexOf("\n", start) + 1, start);
  const indent = /^ */.exec(line)?.[0] ?? "";
  const put = replacement.replaceAll("\n", `\n${indent}`)
    .replaceAll(ANY, () => texts.shift() ?? "");
  return source.slice(0, start) + put + source.slice(end);
}

/** The tokens that gaps match, and then all that is matched; undefined if none. */
function match(
  tokens: Token[],
  at: number,
  to: number,
  wanted: Token[],
  next: number,
  start = at,
): [number, number][] | undefined {
  const want = wanted[next];
  if (!want) return at > start ? [[start, at]] : undefined;
  if (want.text !== ANY) {
    return at < to && tokens[at]!.text === want.text
      ? match(tokens, at + 1, to, wanted, next + 1, start)
      : undefined;
  }
  let depth = 0;
  for (let end = at; end <= to; end++) {
    const rest = depth === 0 &&
      match(tokens, end, to, wanted, next + 1, start);
    if (rest) return [[at, end], ...rest];
    const text = tokens[end]?.text ?? "";
    if (OPEN.includes(text)) depth++;
    if (CLOSE.includes(text) && --depth < 0) return undefined;
  }
  return undefined;
}

/** Where declarations of a name begin and end, by the indentation of lines. */
export function findScopes(
  tokens: Token[],
  where: string,
): [number, number][] {
  let scopes: [number, number][] = [[0, tokens.length]];
  if (where === "*") return scopes;
  for (const name of where.split(".")) {
    scopes = scopes.flatMap(([from, to]) => {
      const within: [number, number][] = [];
      for (let at = from; at < to; at++) {
        const { indent } = tokens[at]!;
        if (indent !== undefined && nameAt(tokens, at) === name) {
          within.push([at, endOf(tokens, at, to, indent)]);
        }
      }
      return within;
    });
  }
  return scopes;
}

/** The name that a line may declare. */
export function nameAt(tokens: Token[], at: number): string {
  while (DECLARING.has(tokens[at]?.text ?? "")) at++;
  return (tokens[at]?.text ?? "").replace(/^"(.*)"$/, "$1");
}

export function endOf(
  tokens: Token[],
  at: number,
  to: number,
  indent: number,
): number {
  for (let end = at + 1; end < to; end++) {
    const token = tokens[end]!;
    if (token.indent === undefined || token.indent > indent) continue;
    if (!/^[)\]}>]/.test(token.text)) return end;
  }
  return to;
}

/** The tokens of a text, without comments and without commas before a bracket. */
export function tokenize(file: string, text: string): Token[] {
  const isPython = file.endsWith(".py");
  const tokens: Token[] = [];
  /** Brackets in each open `${}` of a template. */
  const templates: number[] = [];
  for (let at = 0; at < text.length;) {
    if (/\s/.test(text[at]!)) {
      at++;
      continue;
    }
    const start = at;
    const part = readToken(text, at, isPython, templates, tokens.at(-1)?.text);
    at += part.length;
    if (isComment(part, isPython)) continue;
    if (CLOSE.includes(part) && tokens.at(-1)?.text === ",") tokens.pop();
    const before = text.slice(text.lastIndexOf("\n", start - 1) + 1, start);
    tokens.push({
      text: part.replace(/^'([^"\\]*)'$/, '"$1"'),
      start,
      end: at,
      indent: before.trim() === "" ? before.length : undefined,
    });
  }
  return tokens;
}

function isComment(part: string, isPython: boolean): boolean {
  return isPython ? /^[#\\]/.test(part) : /^\/[/*]/.test(part);
}

function readToken(
  text: string,
  at: number,
  isPython: boolean,
  templates: number[],
  before = "",
): string {
  if (isPython) return readBy(PYTHON, text, at)!;
  const depth = templates.length - 1;
  if (text[at] === "`" || (text[at] === "}" && templates[depth] === 0)) {
    if (text[at] === "}") templates.pop();
    const rest = readBy(TEMPLATE, text, at + 1) ?? "";
    if (rest.endsWith("${")) templates.push(0);
    return text[at] + rest;
  }
  if (text[at] === "{" && depth >= 0) templates[depth]!++;
  if (text[at] === "}" && depth >= 0) templates[depth]!--;
  const isValue = /[\w$)\]}"'`]$/.test(before) &&
    !/^(return|of|in)$/.test(before);
  const regex = isValue ? undefined : readBy(REGEX, text, at);
  return regex ?? readBy(TYPESCRIPT, text, at)!;
}

function readBy(form: RegExp, text: string, at: number): string | undefined {
  form.lastIndex = at;
  return form.exec(text)?.[0];
}
