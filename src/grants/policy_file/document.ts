// The form of a policy file: that of wassette's policies 1.0, and keys of our own.
import { parseYaml, type Yaml } from "../../../deps/yaml.ts";
import { z } from "../../../deps/zod.ts";
import { didYouMean } from "../../did_you_mean.ts";
import { messageOf, usageError } from "../../errors.ts";

/** Characters of a policy: some hundred times those of a long one. */
const MOST_CHARACTERS = 65_536;

const access = z.array(z.enum(["read", "write"])).min(1);
const text = z.string().min(1);
const numberOrText = z.union([z.number(), z.string()]);
const denial = z.strictObject({ uri: text, access });
const host = z.strictObject({
  host: text.optional(),
  cidr: text.optional(),
  defaults: z.boolean().optional(),
});

const PERMISSIONS = z.strictObject({
  storage: z.strictObject({
    allow: z.array(denial.extend({ "x-mount": text.optional() })).nullish(),
    deny: z.array(denial).nullish(),
  }).nullish(),
  network: z.strictObject({
    allow: z.array(host).nullish(),
    deny: z.array(host).nullish(),
  }).nullish(),
  environment: z.strictObject({
    allow: z.array(z.strictObject({ key: text })).nullish(),
  }).nullish(),
  resources: z.strictObject({
    limits: z.strictObject({
      cpu: numberOrText.nullish(),
      memory: numberOrText.nullish(),
    }).nullish(),
    // An earlier form, whose units are nowhere written.
    ...{
      cpu: z.unknown().optional(),
      memory: z.unknown().optional(),
      io: z.unknown().optional(),
    },
  }).nullish(),
  // Of other runtimes.
  ...{ runtime: z.unknown().optional(), ipc: z.unknown().optional() },
});

const DOCUMENT = z.strictObject({
  $schema: z.string().nullish(),
  version: numberOrText,
  description: z.string().nullish(),
  permissions: PERMISSIONS.nullish(),
  "x-limits": z.strictObject({
    timeout: numberOrText.nullish(),
    memory: z.string().nullish(),
    output: z.number().int().min(1).nullish(),
  }).nullish(),
  "x-instance": z.enum(["fresh", "kept"]).nullish(),
});

/** All keys, for the nearest of a wrong one. */
const KEYS = [
  ..."version description permissions storage network environment".split(" "),
  ..."resources limits cpu memory allow deny uri access host cidr".split(" "),
  ..."key timeout output x-limits x-instance x-mount".split(" "),
];

/** The place of a value in a policy: keys, and indexes from 0. */
export type Path = readonly PropertyKey[];

export type PolicyDocument = z.infer<typeof DOCUMENT>;

export type Fault = (path: Path, reason: string) => Error;

/**
 * Reads the form of a policy.
 *
 * @returns `fault` makes an error; its reason completes "line 3, version …".
 * @throws {UserError} If the text has another form.
 */
export function parseDocument(
  text: string,
  file: string,
): { document: PolicyDocument; fault: Fault } {
  const refuse = (reason: string) =>
    usageError(`Cannot use the policy "${file}": ${reason}`);
  if (text.length > MOST_CHARACTERS) {
    throw refuse(
      `it has ${text.length} characters, and at most ${MOST_CHARACTERS} are read.`,
    );
  }
  const { value, lineOf } = parse(text, refuse);
  if (value === null || value === undefined) {
    throw refuse(
      'it is empty: write version: "1.0" and permissions: {} to grant nothing.',
    );
  }
  const fault: Fault = (path, reason) => {
    const end = /[.?]$/.test(reason) ? "" : ".";
    return refuse(`line ${lineOf(path)}, ${toKey(path)} ${reason}${end}`);
  };
  const { data, error } = DOCUMENT.safeParse(value);
  if (data) return { document: data, fault };
  // A key with a typing error is missing, too.
  const isUnknown = ({ code }: z.core.$ZodIssue) =>
    code === "unrecognized_keys";
  const issue = error.issues.find(isUnknown) ?? error.issues[0];
  const { path = [] } = issue ?? {};
  if (issue?.code === "unrecognized_keys") {
    const [key = ""] = issue.keys;
    const hint = didYouMean(key, KEYS.filter((one) => one !== key));
    throw fault([...path, key], `is a key that no policy has.${hint}`);
  }
  throw fault(path, wrongType(issue, value));
}

function parse(text: string, refuse: (reason: string) => Error): Yaml {
  try {
    return parseYaml(text);
  } catch (error) {
    throw refuse(`${messageOf(error)}.`);
  }
}

/** A place in a policy, as a user would say it: `permissions.network.allow[0].host`. */
export function toKey(path: Path): string {
  const keys = path.map((key) =>
    typeof key === "number" ? `[${key}]` : `.${String(key)}`
  );
  return keys.join("").replace(/^\./, "") || "the policy";
}

const WORDS: Readonly<Record<string, string>> = {
  string: "a text",
  array: "a list, whose entries start with a dash",
  object: "keys with values",
  boolean: "true or false",
  number: "a number",
  int: "a whole number",
};

function wrongType(
  issue: z.core.$ZodIssue | undefined,
  value: unknown,
): string {
  const { path = [] } = issue ?? {};
  const found = path.reduce((at: unknown, key) => Object(at)[key], value);
  const isMissing = found === undefined;
  const be = isMissing ? "is missing: it must be" : "must be";
  switch (issue?.code) {
    case "invalid_type":
      return `${be} ${WORDS[issue.expected] ?? issue.expected}`;
    case "invalid_value":
      return `${be} ${issue.values.join(" or ")}`;
    case "invalid_union":
      return `${be} a number or a text`;
    case "too_small":
      return "must not be empty";
    default:
      return "is not of its kind";
  }
}
