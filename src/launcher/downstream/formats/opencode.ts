import { fields } from "../../../protocol/fields.ts";
import { readJson } from "./documents.ts";
import { toHttp, toStdio } from "./entry.ts";
import { type FilePlace, type Format, Unusable } from "./format.ts";
import { judgeEach, readContents, type StdioOrHttp } from "./judge.ts";
import { fillBraces } from "./variables.ts";

/** opencode: `mcp`, or `mcp.servers` since its second version. */
export const opencode: Format = (text, place) =>
  readContents(place, (source) => {
    const { servers, ...direct } = fields(readJson(text).mcp);
    // A server of the first version may have this name.
    const isServer = ["local", "remote"].includes(String(fields(servers).type));
    const read = (raw: Record<string, unknown>) => readEntry(raw, place);
    return [
      ...isServer ? [] : judgeEach(servers, source, read),
      ...judgeEach(
        isServer ? { servers, ...direct } : withoutTimes(direct),
        source,
        read,
      ),
    ];
  });

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
    return toStdio(
      { command: program, args, env: environment, cwd },
      fill,
      place,
    );
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
