import { maybeHost, maybeMeant } from "../grants/hosts.ts";
import { canonicalName } from "../requirements/canonical_name.ts";
import { LONGEST_CALL, MOST_CODE, MOST_OUTPUT } from "../protocol/bounds.ts";
import type { Isolation, ReturnMode } from "../settings.ts";
import { splitRequirements } from "./requirements/split_requirements.ts";

const CACHE_ACTIONS = ["dir", "list", "prune", "clean"] as const;

/** What `cache` does with the cache. */
export type CacheAction = typeof CACHE_ACTIONS[number];

/** A kind of value: what it takes, and how it is read. */
export interface Kind<T> {
  /** Ends the sentence "… as it must be". */
  wants: string;
  choices?: readonly string[];
  /** What is between several values in one text, if there can be. */
  separator?: string;
  /** The value, or `undefined` if the text is none of this kind. */
  parse(text: string): T | undefined;
  /** What to write in the place of a text that is none, if that is known. */
  instead?(text: string): string | undefined;
  /** Of a text that holds secrets, what may be told. */
  shown?(text: string): string;
}

/** Requirements, separated by commas. */
export const requirements: Kind<string[]> = {
  wants: "requirements such as numpy,pandas>=2",
  separator: ",",
  parse(text) {
    const list = splitRequirements(text);
    return list.some((one) => one.startsWith("-")) ? undefined : list;
  },
};

/** Names of packages, as an index writes them; `*` is any. */
export const packageNames: Kind<string[]> = {
  wants: "names of packages without versions, such as numpy,rich, or *",
  separator: ",",
  parse(text) {
    const names = splitList(text);
    return names.every((name) => /^(\*|[a-z\d]([\w.-]*[a-z\d])?)$/i.test(name))
      ? names.map(canonicalName)
      : undefined;
  },
};

/** Hosts, with or without a port; `*` is any of the internet. */
export const hosts: Kind<string[]> = {
  wants: "hosts such as example.com,*.example.org:443,10.0.0.5:8080,[::1] " +
    "or *, without http:// and without a path",
  separator: ",",
  parse(text) {
    const all = splitList(text).map(maybeHost);
    return all.every((host) => host !== undefined) ? all : undefined;
  },
  instead(text) {
    const all = splitList(text).map((one) => maybeHost(one) ?? maybeMeant(one));
    return all.includes(undefined) ? undefined : all.join(",");
  },
};

/** Variables by name; one without a value is taken from this program's own. */
export const variables: Kind<Record<string, string | undefined>> = {
  wants: "NAME=VALUE, NAME for one of this program's own variables, or a " +
    "JSON object of texts; names are of letters, digits and _",
  parse(text) {
    const found = text.startsWith("{")
      ? maybeTexts(text)
      : { [text.replace(/=.*/s, "")]: /=(.*)/s.exec(text)?.[1] };
    const isNamed = (name: string) => /^[a-z_]\w*$/i.test(name);
    return found && Object.keys(found).every(isNamed) ? found : undefined;
  },
  shown: (text) => text.startsWith("{") ? "{…}" : text.replace(/=.*/s, "=…"),
};

/** A path; one that looks like an option is an option in the wrong place. */
export const path: Kind<string> = {
  wants: "a path",
  parse: (text) => text === "" || text.startsWith("--") ? undefined : text,
};

/** Folders to mount, separated by commas. */
export const mounts: Kind<string[]> = {
  wants: "folders such as data:/mnt/data:ro",
  separator: ",",
  parse(text) {
    const list = text.split(",").map((one) => one.trim())
      .filter((one) => one !== "");
    return list.length === 0 || text.startsWith("--") ? undefined : list;
  },
};

/** Source code; any text will do. */
export const code: Kind<string> = {
  wants: "Python code",
  parse: (text) => text,
};

/** A form of results. */
export const returnMode: Kind<ReturnMode> = {
  wants: "xml or json",
  choices: ["xml", "json"],
  parse: (text) => text === "xml" || text === "json" ? text : undefined,
};

const ISOLATIONS: readonly Isolation[] = ["none", "auto", "bwrap"];

/** A second wall around sandbox processes. */
export const isolation: Kind<Isolation> = {
  wants: "none, auto or bwrap",
  choices: ISOLATIONS,
  parse: (text) => ISOLATIONS.find((one) => one === text),
};

/** On or off. */
export const toggle: Kind<boolean> = {
  wants: "0, 1, true or false",
  choices: ["true", "false"],
  parse(text) {
    if (text === "1" || text === "true") return true;
    return text === "0" || text === "false" ? false : undefined;
  },
};

/** A length of time. */
export const seconds: Kind<number> = {
  wants: "a number of seconds above 0, and at most 86400",
  parse(text) {
    const value = /^\d*\.?\d+$/.test(text) ? Number(text) : 0;
    // A timer of more than 2^31 ms would ring at once.
    return value > 0 && value <= 86_400 ? value : undefined;
  },
};

/** An amount of memory that WebAssembly can have. */
export const mebibytes = wholeNumber(
  128,
  4096,
  "a whole number of MiB from 128 to 4096",
);

/** How many processes. */
export const poolSize = wholeNumber(
  1,
  1000,
  "a whole number from 1 to 1000",
);

/** What files may hold. */
export const filesMebibytes = wholeNumber(
  1,
  4096,
  "a whole number of MiB from 1 to 4096",
);

/** How many files; each takes a little memory of the process. */
export const fileCount = wholeNumber(
  1,
  1_000_000,
  "a whole number from 1 to 1000000",
);

/**
 * A length of text. An answer has it up to four times, output and value as text
 * and as structure, and each character as up to seven bytes: at a message of
 * more than 10 MiB the official client closes the connection.
 */
export const characters = wholeNumber(
  1,
  MOST_OUTPUT,
  `a whole number of characters from 1 to ${MOST_OUTPUT}`,
);

/** A size of code. */
export const codeBytes = wholeNumber(
  1,
  MOST_CODE,
  `a whole number of bytes from 1 to ${MOST_CODE}`,
);

/** How many of something. */
export const count = wholeNumber(
  1,
  Number.MAX_SAFE_INTEGER,
  "a whole number above 0",
);

/** Characters of a message; the longest still is one line between processes. */
export const messageSize = wholeNumber(
  1024,
  LONGEST_CALL,
  `a whole number from 1024 to ${LONGEST_CALL}`,
);

/** Where something is served. */
export const webAddress: Kind<string> = {
  wants: "an http or https URL",
  parse(text) {
    const url = URL.parse(text);
    return /^https?:$/.test(url?.protocol ?? "") ? url?.href : undefined;
  },
};

/** Several of those, with spaces between, as in pip's variable. */
export const webAddresses: Kind<string[]> = {
  wants: webAddress.wants,
  separator: " ",
  parse(text) {
    const urls = text.trim().split(/\s+/).map(webAddress.parse);
    return urls.every((url) => url !== undefined) ? urls : undefined;
  },
};

/** How many pictures. */
export const imageCount = wholeNumber(0, 100, "a whole number from 0 to 100");

/** What a picture may have: all of a run are one message, of at most 10 MiB. */
export const imageMebibytes = wholeNumber(
  1,
  5,
  "a whole number of MiB from 1 to 5",
);

/** What can be done with the cache. */
export const cacheAction: Kind<CacheAction> = {
  wants: "dir, list, prune or clean",
  choices: CACHE_ACTIONS,
  parse: (text) => CACHE_ACTIONS.find((action) => action === text),
};

function splitList(text: string): string[] {
  return text.split(",").map((one) => one.trim()).filter((one) => one !== "");
}

/** An object of JSON that has texts only. */
function maybeTexts(json: string): Record<string, string> | undefined {
  try {
    const found: Record<string, string> = JSON.parse(json);
    return Object.values(found).every((value) => typeof value === "string")
      ? found
      : undefined;
  } catch {
    return undefined;
  }
}

function wholeNumber(min: number, max: number, wants: string): Kind<number> {
  return {
    wants,
    parse(text) {
      const value = /^\d+$/.test(text) ? Number(text) : NaN;
      return value >= min && value <= max ? value : undefined;
    },
  };
}
