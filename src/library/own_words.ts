// Messages of the launcher in the words of this library: `dependencies` in the place
// of `--deps`. The library for Python has its own, in `_words.py`.
import { FLAGS, LISTS } from "./options.ts";

const PHRASES: Readonly<Record<string, string>> = {
  "\nSee mcp-run-python --help.": "",
  "Ask the user to start the server with": "Create the sandbox with",
  "ask the user to start the server with": "create the sandbox with",
  "the user can start the server with": "create the sandbox with",
  "that the user grants with": "of",
  "the call's timeout, or --timeout": "timeoutSeconds",
  "MCP_RUN_PYTHON_ENV": "env",
  "sent with the call (files)": "given by files",
  "pass them in global_variables": "give them by globals",
};
const PHRASE = new RegExp(
  Object.keys(PHRASES).join("|").replaceAll(/[.()]/g, "\\$&"),
  "g",
);
/** What begins a remedy that names an option. */
const HINT = /(?:[Aa]llow more with|as writable:) --/;
const FLAG =
  /(with |: )?'?--([a-z][a-z-]+)'?(?: ([\w*\/.[][^\s;]*[^\s;.,)>]))?/g;

const NAMES = {
  ...FLAGS,
  env: "env",
  allowedHosts: "allowed-host",
  allowedOrigins: "allowed-origin",
};

/** A message of this program. */
export function inOwnWords(text: string): string {
  return text.replaceAll(PHRASE, (phrase) => PHRASES[phrase] ?? phrase)
    .replaceAll(FLAG, toOption);
}

/** An error of code, in which only some lines are this program's. */
export function hintsInOwnWords(error: string): string {
  return error.split("\n").map((line) =>
    line.search(PHRASE) >= 0 || HINT.test(line) ? inOwnWords(line) : line
  ).join("\n");
}

function toOption(
  _: string,
  before = "",
  flag: string,
  value: string | undefined,
): string {
  const [name] = Object.entries(NAMES).find(([, known]) => known === flag) ??
    [];
  if (name && LISTS.includes(name) && before && value !== undefined) {
    return `${before}${name}: ${JSON.stringify(value.split(","))}`;
  }
  const rest = value === undefined ? "" : ` ${value}`;
  return `${before}${name ?? `options: { "${flag}": … }`}${rest}`;
}
