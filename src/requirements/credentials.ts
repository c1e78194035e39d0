import { maybe } from "../errors.ts";

/** The credentials that a host is sent. */
export interface Credential {
  /** With a port; without it, for each port. */
  host: string;
  /** Value of the `Authorization` header. */
  authorization: string;
}

export function withoutCredentials(
  text: string,
): { url: string; credential?: Credential } {
  const url = URL.parse(text);
  if (!url?.username && !url?.password) return { url: text };
  const { host, username, password } = url;
  const authorization = basic(decode(username), decode(password));
  url.username = url.password = "";
  return { url: url.href, credential: { host, authorization } };
}

/** Takes the credentials out of a requirement that has an address. */
export function maskRequirement(
  text: string,
): { text: string; credential?: Credential } {
  const [address] = /https?:\/\/[^\s/]*@\S*/.exec(text) ?? [];
  if (!address) return { text };
  const { url, ...rest } = withoutCredentials(address);
  return { text: text.replace(address, () => url), ...rest };
}

/** A `%` that encodes nothing stands for itself. */
function decode(text: string): string {
  return maybe(() => decodeURIComponent(text)) ?? text;
}

/** Reads a netrc file as curl and pip do, and skips words that it does not know. */
export function parseNetrc(text: string): Credential[] {
  const words = text.replace(/^\s*#.*$/gm, "")
    // A macro ends at an empty line.
    .replace(/^\s*macdef[^]*?(\n\s*\n|(?![^]))/gm, "\n")
    .match(/"(?:[^"\\]|\\.)*"|\S+/g) ?? [];
  const entries: { host?: string; login?: string; password?: string }[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    if (word === "default") entries.push({});
    if (word === "machine") entries.push({ host: unquote(words[++at]) });
    const entry = entries.at(-1);
    if (!entry) continue;
    if (word === "login") entry.login = unquote(words[++at]);
    if (word === "password") entry.password = unquote(words[++at]);
    if (word === "account") at++;
  }
  return entries.flatMap(({ host, login, password }) =>
    host && login !== undefined && password !== undefined
      ? [{ host, authorization: basic(login, password) }]
      : []
  );
}

function unquote(word = ""): string {
  return word.startsWith('"')
    ? word.slice(1, -1).replace(/\\(.)/g, "$1")
    : word;
}

function basic(name: string, password: string): string {
  const bytes = new TextEncoder().encode(`${name}:${password}`);
  return `Basic ${bytes.toBase64()}`;
}
