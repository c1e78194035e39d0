import { usageError } from "../errors.ts";
import { sha256 } from "../disk.ts";
import type { NamedToken } from "../protocol/server_settings.ts";
import { type Settings, TOKEN_VARIABLE } from "../settings.ts";
import { readPrivate } from "./read_private.ts";

/** A text that may stand in the Authorization header (RFC 6750). */
const TOKEN = /^[\w.~+/-]{16,1024}=*$/;
const NAME = /^[\w.@-]{1,64}$/;

interface Entry {
  /** Undefined if it has none. */
  name?: string | undefined;
  token: string;
  /** Where it stands, for errors: they never show a token. */
  place: string;
  number: number;
}

/** Takes the variable's tokens from the environment: no child of this process sees it. */
export function takeTokenVariable(): string {
  const variable = Deno.env.get(TOKEN_VARIABLE) ?? "";
  Deno.env.delete(TOKEN_VARIABLE);
  return variable;
}

/**
 * The tokens of the file and of the variable.
 *
 * @throws {UserError} If a line is not a token, or two are one.
 */
export function readTokens(
  { tokenFile, mounts }: Pick<Settings, "tokenFile" | "mounts">,
  variable: string = takeTokenVariable(),
): NamedToken[] {
  const text = tokenFile === undefined
    ? ""
    : readPrivate(tokenFile, { flag: "--token-file", mounts });
  const inFile = parseTokenLines(text, `"${tokenFile}"`);
  if (tokenFile !== undefined && inFile.length === 0) {
    throw usageError(
      `Cannot take tokens from "${tokenFile}" as it has none: write a line for each, a name, a space and the token.`,
    );
  }
  return toNamedTokens([...inFile, ...parseTokenVariable(variable)]);
}

/** Lines of a name and a token, or of a token alone; `#` starts a comment. */
export function parseTokenLines(text: string, file: string): Entry[] {
  return text.replace(/^\ufeff/, "").split(/\r?\n/).flatMap((line, at) => {
    const words = line.trim().split(/\s+/);
    const number = at + 1;
    const place = `line ${number} of ${file}`;
    if (line.trim() === "" || line.trim().startsWith("#")) return [];
    if (words.length > 2) throw refuse(place, "it has more than two words");
    const [name, token = ""] = words.length === 2 ? words : [, words[0]];
    return [{ name, token, place, number }];
  });
}

/** Tokens with commas or lines between, each of which may follow a name and a colon. */
export function parseTokenVariable(text: string): Entry[] {
  const all = text.split(/[\s,]+/).filter((one) => one !== "");
  return all.map((one, at) => {
    const [, name, token = one] = /^([^:]*):(.*)$/.exec(one) ?? [];
    const number = at + 1;
    return {
      name,
      token,
      place: `token ${number} of ${TOKEN_VARIABLE}`,
      number,
    };
  });
}

/** Owners of stored sessions of servers that ask for no token. */
const RESERVED = ["local", "stdio"];

/**
 * Two tokens may have one name: the old and the new one of a caller, while its clients
 * change to the new one. A number is not such a name: two tokens may have it by chance.
 *
 * @throws {UserError} If a token or name is not well formed, a token is there twice, or
 * a name three times.
 */
export function toNamedTokens(entries: readonly Entry[]): NamedToken[] {
  const places = new Map<string, string>();
  const named = new Map<string, Entry[]>();
  return entries.map((entry) => {
    const { token, place, number } = entry;
    const name = entry.name ?? `token-${number}`;
    if (!NAME.test(name)) {
      throw refuse(
        place,
        "its name is not 1 to 64 letters, digits, -, _, . or @",
      );
    }
    if (RESERVED.includes(name)) {
      throw refuse(place, `clients without tokens have the name ${name}`);
    }
    if (!TOKEN.test(token)) {
      throw refuse(
        place,
        "it is not 16 to 1024 letters, digits, -, _, ., ~, + or /",
      );
    }
    const hash = sha256(token);
    const same = places.get(hash);
    if (same !== undefined) throw refuse(place, `${same} has the token, too`);
    const others = named.get(name) ?? [];
    const [first, second] = others.map(({ place }) => place);
    if (second !== undefined) {
      throw refuse(place, `${first} and ${second} have the name ${name}, too`);
    }
    const isByChance = [entry, ...others].some(({ name }) => !name);
    if (first !== undefined && isByChance) {
      const remedy = "write a name before each of the two";
      throw refuse(place, `${first} has the name ${name}, too: ${remedy}`);
    }
    places.set(hash, place);
    named.set(name, [...others, entry]);
    return { name, sha256: hash };
  });
}

/**
 * Where a line has gone, the tokens below it have other numbers, and sessions belong to
 * names.
 *
 * @throws {UserError} If a token has the number of another caller by that.
 */
export function refuseMoved(
  now: readonly NamedToken[],
  before: readonly NamedToken[],
): void {
  for (const { name, sha256 } of now) {
    const was = before.find((one) => one.sha256 === sha256)?.name ?? name;
    if (was === name || !/^token-\d+$/.test(name)) continue;
    throw usageError(
      `Cannot take these tokens as the token ${was} would be ${name}, whose sessions it would get: write its name before it, ${was} for example.`,
    );
  }
}

function refuse(place: string, reason: string) {
  return usageError(
    `Cannot use ${place} as a token: ${reason}. Make a token with: openssl rand -hex 32`,
  );
}
