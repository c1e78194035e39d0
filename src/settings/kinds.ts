import { maybe } from "../errors.ts";
import { maybeHost, maybeMeant } from "../grants/hosts.ts";
import type { Mount } from "../grants/mounts.ts";
import { canonicalName, splitRequirements } from "../requirements/names.ts";
import { type ComponentOption, maybeComponent } from "./component_option.ts";
import type {
  CredentialKind,
  Kind,
  KindWithNone,
  LockFile,
  NumberKind,
  Place,
  SecretKind,
} from "./kind.ts";

type Credentials = CredentialKind<string[]> & KindWithNone<string[]>;

export const requirements: Credentials = {
  ...list(
    "requirements such as numpy,pandas>=2",
    (text, place) => maybeRequirements(text)?.map(place.toRequirement),
  ),
  mayHoldCredentials: true,
};

/** Bounds for versions. */
export const constraints: Credentials = {
  ...requirements,
  parse: (text, place) => maybeRequirements(text)?.map(place.toConstraint),
};

/** Names of packages, as an index writes them; `*` is any. */
export const packageNames: KindWithNone<string[]> = listOfEach(
  "names of packages without versions, such as numpy,rich, or *",
  (name) =>
    /^(\*|[a-z\d]([\w.-]*[a-z\d])?)$/i.test(name)
      ? canonicalName(name)
      : undefined,
);

/** Names whose order counts; a name that comes twice is in the list twice. */
export const names: KindWithNone<string[]> = {
  ...listOfEach(
    "names, with commas between",
    (name) => /^[a-z\d-]+$/i.test(name) ? name : undefined,
  ),
  join: (values) => values.flat(),
};

/** Hosts, with or without a port; `*` is any of the internet. */
export const hosts: KindWithNone<string[]> = {
  ...listOfEach(
    "hosts such as example.com,*.example.org:443,10.0.0.5:8080,[::1] or *, without http:// and without a path",
    maybeHost,
  ),
  instead: (text) =>
    allOf(split(text).map((one) => maybeHost(one) ?? maybeMeant(one)))
      ?.join(","),
};

/** Variables by name; the value of a name alone is this program's own. */
export const variables: SecretKind<Record<string, string>> = {
  wants:
    "NAME=VALUE, NAME for one of this program's own variables, or a JSON object of texts; names are of letters, digits and _",
  toml: "table",
  isSecret: true,
  none: {},
  parse(text, place) {
    const found = text.startsWith("{")
      ? maybeTexts(text)
      : { [text.replace(/=.*/s, "")]: /=(.*)/s.exec(text)?.[1] };
    const isNamed = (name: string) => /^[a-z_]\w*$/i.test(name);
    if (!found || !Object.keys(found).every(isNamed)) return undefined;
    return Object.fromEntries(
      Object.entries(found).map(([name, value]) => [
        name,
        value ?? place.toVariable(name),
      ]),
    );
  },
  join: (values) => Object.assign({}, ...values),
  shown: (text) => text.startsWith("{") ? "{…}" : text.replace(/=.*/s, "=…"),
};

export const path: Kind<string> = pathTo((place) => place.toPath);

export const paths: KindWithNone<string[]> = listOf(path);

/** Paths, or a word that stands for some. */
export function pathsOr(word: string): KindWithNone<string[]> {
  const parse: Kind<string>["parse"] = (text, place) =>
    text === word ? word : path.parse(text, place);
  return listOf({ wants: `a path, or ${word}`, parse });
}

/** A folder that an install takes files from. */
export const folder: Kind<string> = pathTo((place) => place.toFolder);

export const folders: KindWithNone<string[]> = listOf(folder);

export const lockFile: CredentialKind<LockFile> = {
  ...pathTo((place) => place.toLockFile),
  mayHoldCredentials: true,
};

export const mounts: KindWithNone<Mount[]> = {
  wants: "folders such as data:/mnt/data:ro",
  none: [],
  parse(text, place) {
    const texts = split(text);
    const areFolders = texts.length > 0 && !text.startsWith("--");
    return areFolders ? texts.map(place.toMount) : undefined;
  },
  join: (values) => values.flat(),
};

export const components: KindWithNone<ComponentOption[]> = {
  wants:
    "a component as [name=]FILE[#sha256:HASH][@POLICY], such as calc=./calc.wasm@./calc.yaml, whose name begins with a letter and has at most 32 letters, digits, - and _",
  none: [],
  parse(text, place) {
    const one = maybeComponent(text, place.toPath);
    return one && [one];
  },
  join: (values) => values.flat(),
};

/** Source code; every text is of this kind. */
export const code: Kind<string> = {
  wants: "Python code",
  parse: (text) => text,
};

/** On or off; off if not given. */
export const toggle: KindWithNone<boolean> = {
  wants: "0, 1, true or false",
  choices: ["true", "false"],
  toml: "boolean",
  none: false,
  parse(text) {
    if (text === "1" || text === "true") return true;
    return text === "0" || text === "false" ? false : undefined;
  },
};

export const seconds: NumberKind = {
  wants: "a number of seconds above 0, and at most 86400",
  toml: "number",
  parse(text) {
    const value = /^\d*\.?\d+$/.test(text) ? Number(text) : 0;
    // A timer of more than 2^31 ms would ring at once.
    return value > 0 && value <= 86_400 ? value : undefined;
  },
};

/** Milliseconds in the units of an age. */
const UNITS = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** An age, in milliseconds. */
export const age: Kind<number> = {
  wants: "an age such as 12h, 30d or 8w",
  parse(text) {
    const [, count, unit] = /^(\d{1,4})([mhdw])$/.exec(text) ?? [];
    const ms = Object.entries(UNITS).find(([name]) => name === unit)?.[1];
    return ms === undefined ? undefined : Number(count) * ms;
  },
};

/** A whole number of things, or of the unit that is named. */
export function integer(
  min: number,
  max: number = Number.MAX_SAFE_INTEGER,
  unit?: string,
): NumberKind {
  const range = max === Number.MAX_SAFE_INTEGER
    ? `above ${min - 1}`
    : `from ${min} to ${max}`;
  return {
    wants: `a whole number ${unit === undefined ? "" : `of ${unit} `}${range}`,
    toml: "number",
    parse(text) {
      const value = /^\d+$/.test(text) ? Number(text) : NaN;
      return value >= min && value <= max ? value : undefined;
    },
  };
}

export function oneOf<const V extends string>(...choices: V[]): Kind<V> {
  return {
    wants: choices.join(", ").replace(/, (\S+)$/, " or $1"),
    choices,
    parse: (text) => choices.find((choice) => choice === text),
  };
}

const FORMS = oneOf("full", "fitted", "none");

/** A form of structured content; it was a switch before. */
export const structured: Kind<"full" | "fitted" | "none"> = {
  ...FORMS,
  toml: "boolean",
  parse(text, place) {
    const isOn = toggle.parse(text, place);
    if (isOn === undefined) return FORMS.parse(text, place);
    return isOn ? "fitted" : "none";
  },
};

export const webAddress: CredentialKind<string> = {
  wants: "an http or https URL",
  parse: maybeWebAddress,
  mayHoldCredentials: true,
};

/** A URL that others compare as a text, so that it stays as it is. */
export const exactUrl: Kind<string> = {
  wants: "an http or https URL without user, query and #",
  parse(text) {
    const url = URL.parse(text);
    const isPlain = /^[!-~]+$/.test(text) && !/[@?#"\\]/.test(text);
    return isPlain && /^https?:$/.test(url?.protocol ?? "") ? text : undefined;
  },
};

/** With spaces between, as in pip's variable. */
export const webAddresses: Credentials = {
  ...list(
    webAddress.wants,
    (text) => allOf(text.trim().split(/\s+/).map(maybeWebAddress)),
  ),
  mayHoldCredentials: true,
};

export const webAddressOrFolder: CredentialKind<string> = {
  ...folder,
  parse: (text, place) => maybeWebAddress(text) ?? folder.parse(text, place),
  mayHoldCredentials: true,
};

/** An address to listen on. */
export const listenHost: Kind<string> = {
  wants:
    "an address or name of this machine, such as 127.0.0.1, ::1, localhost or 0.0.0.0 (all of them)",
  parse(text) {
    const bare = text.replace(/^\[(.*)\]$/, "$1");
    const isHost = /^[a-z\d]([a-z\d.-]*[a-z\d])?$/i.test(bare) ||
      bare.includes(":") && URL.canParse(`http://[${bare}]`);
    return isHost ? bare.toLowerCase() : undefined;
  },
};

/** Names of the `Host` header, without port; IPv6 addresses in brackets. */
export const hostNames: KindWithNone<string[]> = listOfEach(
  "names such as python.example.com, without http://, port and path",
  maybeHostName,
);

/** Name of a header of requests. */
export const headerName = {
  wants: "the name of a header such as X-User, of letters, digits, - and _",
  parse: (text: string) =>
    /^\w[\w-]{0,63}$/.test(text) ? text.toLowerCase() : undefined,
} satisfies Kind<string>;

/** Name of a server, at the start of addresses and of ids. */
export const serverName = {
  wants: "a name of 1 to 32 lower-case letters, digits and -",
  parse: (text: string) => /^[a-z\d-]{1,32}$/.test(text) ? text : undefined,
} satisfies Kind<string>;

/** Server, a dot and tool; `*` is any text. */
export const toolPatterns: KindWithNone<string[]> = listOfEach(
  "patterns of a server, a dot and a tool, such as time.*, *.read_* or git.git_log",
  (one) => /^[^.]+\../.test(one) ? one : undefined,
);

/** Origins of web pages, as browsers send them. */
export const origins: KindWithNone<string[]> = listOfEach(
  "origins such as https://app.example.com, without a path, or none",
  (one) => one === "none" ? one : maybeOrigin(one),
);

export const words: KindWithNone<string[]> = list(
  "words such as python:run, with spaces or commas between",
  (text) => {
    const all = text.split(/[\s,]+/).filter((word) => word !== "");
    return all.every((word) => /^[!#-[\]-~]+$/.test(word)) ? all : undefined;
  },
);

function maybeHostName(text: string): string | undefined {
  const url = URL.parse(`http://${text}`);
  return url && url.port === "" && url.href === `http://${url.hostname}/`
    ? url.hostname
    : undefined;
}

function maybeOrigin(text: string): string | undefined {
  const url = URL.parse(text);
  const isOrigin = url && /^https?:$/.test(url.protocol) &&
    `${url.origin}/` === url.href;
  return isOrigin ? url.origin : undefined;
}

/** Reads an http or https URL. */
export function maybeWebAddress(text: string): string | undefined {
  const url = URL.parse(text);
  return /^https?:$/.test(url?.protocol ?? "") ? url?.href : undefined;
}

/** A list of texts, which may be given several times; each counts once. */
function list(
  wants: string,
  parse: Kind<string[]>["parse"],
): KindWithNone<string[]> {
  const join = (values: string[][]) => [...new Set(values.flat())];
  return { wants, parse, none: [], join };
}

/** Texts in one text, with commas between. */
function listOfEach(
  wants: string,
  read: (one: string) => string | undefined,
): KindWithNone<string[]> {
  return list(wants, (text) => allOf(split(text).map(read)));
}

/** Texts that are given one at a time. */
function listOf({ wants, parse }: Kind<string>): KindWithNone<string[]> {
  return list(wants, (text, place) => allOf([parse(text, place)]));
}

function allOf<V>(values: (V | undefined)[]): V[] | undefined {
  return values.every((value) => value !== undefined) ? values : undefined;
}

/** A text that looks like an option is an option in the wrong place. */
function pathTo<V>(reader: (place: Place) => (text: string) => V): Kind<V> {
  return {
    wants: "a path",
    parse: (text, place) =>
      /^(?!--)./s.test(text) ? reader(place)(text) : undefined,
  };
}

function maybeRequirements(text: string): string[] | undefined {
  const list = splitRequirements(text);
  return list.some((one) => one.startsWith("-")) ? undefined : list;
}

function split(text: string): string[] {
  return text.split(",").map((one) => one.trim()).filter((one) => one !== "");
}

/** An object of JSON whose values are all texts. */
function maybeTexts(json: string): Record<string, string> | undefined {
  const found: Record<string, string> | undefined = maybe(() =>
    JSON.parse(json)
  );
  const isText = (value: unknown) => typeof value === "string";
  return found && Object.values(found).every(isText) ? found : undefined;
}
