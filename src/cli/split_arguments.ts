import { OPTIONS, OTHER_OPTIONS } from "../settings.ts";

/**
 * Splits the arguments of this program from those of the code of `run`, which
 * begin behind its file or `--code`, as they do for Python; a `--` may stand first.
 */
export function splitArguments(
  argv: readonly string[],
): { own: readonly string[]; args: string[] } {
  let command: string | undefined;
  let hasCode = false;
  let isOver = false;
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] ?? "";
    if (word === "--" && !isOver) isOver = true;
    else if (word.startsWith("-") && word !== "-" && !isOver) {
      const option = OPTIONS.find(({ flags }) =>
        flags.split(/[ ,=]+/).includes(/^--[^=]*|^-./.exec(word)?.[0] ?? "")
      );
      const isWhole = word.startsWith("--") ? !word.includes("=") : !word[2];
      if (isWhole && option && option.preset === undefined) at++;
      hasCode ||= option === OTHER_OPTIONS.code;
    } else if (command === undefined) command = word;
    else hasCode = true;
    if (command === "run" && hasCode) {
      const args = argv.slice(at + 1);
      return {
        own: argv.slice(0, at + 1),
        args: args[0] === "--" ? args.slice(1) : args,
      };
    }
    if (command !== undefined && command !== "run") break;
  }
  return { own: argv, args: [] };
}
