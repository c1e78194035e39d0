import { maybe } from "../errors.ts";

/** A text without some escapes. */
interface Plain {
  text: string;
  /** Where its units, and its end, stand in the text as it is written. */
  placeOf(unit: number): number;
}

/** Escapes within escapes, as in JSON within JSON. */
const MOST_LEVELS = 5;

/** A character as JSON, addresses, HTML and most languages can write it. */
const ESCAPE = new RegExp(
  [
    ...[String.raw`\\u([\da-f]{4})|\\x([\da-f]{2})|\\([^])`],
    ...[String.raw`&#x([\da-f]{1,5});|&#(\d{1,6});|&(amp|lt|gt|quot|apos);`],
    ...[String.raw`%[0-7][\da-f]|%[cd][\da-f]%[89ab][\da-f]`],
    ...[
      String.raw`%e[\da-f](?:%[89ab][\da-f]){2}|%f[0-7](?:%[89ab][\da-f]){3}`,
    ],
  ].join("|"),
  "gi",
);
const LETTERS = new Map(Object.entries({ n: "\n", r: "\r", t: "\t" }));
const SIGNS = new Map(
  Object.entries({ amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" }),
);

/** Writes `***` for each of some texts, in whatever way a text has them escaped. */
export function coverTexts(text: string, hidden: readonly string[]): string {
  if (hidden.length === 0) return text;
  const found: [number, number][] = [];
  const look = ({ text, placeOf }: Plain) => {
    for (const one of hidden) {
      for (let at = 0; (at = text.indexOf(one, at)) >= 0; at += one.length) {
        found.push([placeOf(at), placeOf(at + one.length)]);
      }
    }
  };
  let plain: Plain | undefined = { text, placeOf: (unit) => unit };
  for (let level = 0; plain && level <= MOST_LEVELS; level++) {
    look(plain);
    plain = maybeUnescape(plain);
  }
  return withoutParts(text, found);
}

/** A text as it is meant: without its outer escapes. */
export function toMeant(text: string): string {
  return maybeUnescape({ text, placeOf: (unit) => unit })?.text ?? text;
}

/** Undefined if there are no escapes. */
function maybeUnescape({ text, placeOf }: Plain): Plain | undefined {
  const parts: string[] = [];
  const places: number[] = [];
  let from = 0;
  const keep = (end: number) => {
    parts.push(text.slice(from, end));
    while (from < end) places.push(placeOf(from++));
  };
  for (const match of text.matchAll(ESCAPE)) {
    keep(match.index);
    const meant = meaningOf(match);
    parts.push(meant);
    for (const _ of meant.split("")) places.push(placeOf(from));
    from += match[0].length;
  }
  if (from === 0) return undefined;
  keep(text.length);
  places.push(placeOf(text.length));
  return { text: parts.join(""), placeOf: (unit) => places[unit] ?? 0 };
}

function meaningOf(
  [whole, unit, byte, letter, hex, decimal, sign]: RegExpMatchArray,
): string {
  const code = unit ?? byte ?? hex;
  if (code !== undefined) return String.fromCodePoint(parseInt(code, 16));
  if (decimal !== undefined) return String.fromCodePoint(Number(decimal));
  if (letter !== undefined) return LETTERS.get(letter) ?? letter;
  if (sign !== undefined) return SIGNS.get(sign.toLowerCase()) ?? whole;
  return maybe(() => decodeURIComponent(whole)) ?? whole;
}

/** @param parts From where to where, in any order. */
function withoutParts(text: string, parts: [number, number][]): string {
  let shown = "";
  let from = 0;
  for (const [start, end] of parts.sort(([a], [b]) => a - b)) {
    if (start >= from) shown += `${text.slice(from, start)}***`;
    from = Math.max(from, end);
  }
  return shown + text.slice(from);
}
