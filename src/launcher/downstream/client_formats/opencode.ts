import { fields } from "../../../protocol/fields.ts";
import { readJson } from "./documents.ts";
import { toHttp, toStdio } from "./entry.ts";
import { type FilePlace, type Format, Unusable } from "./format.ts";
import { judgeEach, type StdioOrHttp } from "./judge.ts";
import { fillBraces } from "./variables.ts";

/** opencode: `mcp`, or `mcp.servers` since its second version. */
export const opencode: Format = (text, place) => {
  const { servers, ...direct } = fields(readJson(text).mcp);
  const judge = (some: unknown) =>
    judgeEach(some, place.path, (raw) => readEntry(raw, place));
  // A server of the first version may have this name.
  const isServer = ["local", "remote"].includes(String(fields(servers).type));
  return isServer
    ? judge({ servers, ...direct })
    : [...judge(servers), ...judge(withoutTimes(direct))];
};

function readEntry(
  raw: Record<string, unknown>,
  place: FilePlace,
): StdioOrHttp {
  const { type, command, environment, cwd, url, headers } = raw;
  const fill = fillBraces(place);
  const isLocal = type === "local" ||
    type === undefined && command !== undefined;
  if (isLocal) {
    const words = typeof command === "string" ? [command] : command;
    if (!Array.isArray(words) || words.length === 0) {
      throw new Unusable("its command is not a list of texts");
    }
    const [program, ...args] = words;
    const parts = { command: program, args, env: environment, cwd };
    return toStdio(parts, fill, place);
  }
  if (url === undefined) {
    throw new Unusable(
      "its type is neither local with a command nor remote with a url",
    );
  }
  return toHttp({ url, headers }, fill);
}

/** The second version keeps its time limits beside the servers. */
function withoutTimes(
  { timeout, ...servers }: Record<string, unknown>,
): Record<string, unknown> {
  const { command, url } = fields(timeout);
  return command === undefined && url === undefined
    ? servers
    : { timeout, ...servers };
}
