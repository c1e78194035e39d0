import {
  type FilePlace,
  type Format,
  type FoundServer,
  Unusable,
} from "./format.ts";
import { refuseSse, toHttp, toStdio } from "./entry.ts";
import { judgeEach, type Read, type StdioOrHttp } from "./judge.ts";
import { type Fill, fillEditor, fillNothing } from "./variables.ts";
import { readJson } from "./documents.ts";
import { fields } from "../../../protocol/fields.ts";

const HTTP = ["http", "streamable-http", "streamablehttp", "streamable_http"];
const STDIO = ["stdio", "local"];

/**
 * Reads entries as Claude Desktop began them, and as most clients write them:
 * `command`, `args`, `env` and `cwd`, or `type`, `url` and `headers`.
 *
 * @param urls The client's keys for a URL of streamable HTTP, the first that is
 * there counts.
 */
export function readUsual(
  fill: Fill,
  place: FilePlace,
  urls: readonly string[] = ["url"],
): Read {
  return (raw): StdioOrHttp => {
    const type = toType(raw);
    const key = urls.find((one) => raw[one] !== undefined);
    const url = key === undefined ? undefined : raw[key];
    const isHttp = HTTP.includes(type);
    if (type === "sse") refuseSse(SSE_REMEDY);
    if (type !== "" && !isHttp && !STDIO.includes(type)) {
      throw new Unusable(
        `its type ${JSON.stringify(type)} is neither stdio nor http`,
      );
    }
    if (raw.command !== undefined && !isHttp) {
      return toStdio({ ...raw, command: raw.command }, fill, place);
    }
    if (url !== undefined && !STDIO.includes(type)) {
      // Servers of this ending that have no other transport are many.
      if (type === "" && isSsePath(url)) refuseSse(SSE_REMEDY);
      return toHttp({ url, headers: raw.headers }, fill);
    }
    throw new Unusable(
      `it has neither a command nor ${urls.join(" or ")}`,
      `Write "command" and "args", or "${urls[0]}".`,
    );
  };
}

const SSE_REMEDY =
  'If the server speaks streamable HTTP, write its URL of that with "type": "http".';

function toType({ type, transport, transportType }: Record<string, unknown>) {
  const given = type ?? transport ?? transportType;
  return typeof given === "string" ? given.toLowerCase() : "";
}

function isSsePath(url: unknown): boolean {
  return typeof url === "string" && /\/sse\/?(\?.*)?$/.test(url);
}

/** Cursor: `mcpServers`, with the variables and the `envFile` of VS Code. */
export const cursor: Format = (text, place) =>
  judgeEditors(readJson(text).mcpServers, place);

/** Windsurf: `serverUrl`, with variables such as `${env:VAR}` and `${file:path}`. */
export const windsurf: Format = (text, place) =>
  judgeEditors(readJson(text).mcpServers, place, ["serverUrl", "url"]);

/** Antigravity: `serverUrl`, which counts before a `command`; no variables. */
export const antigravity: Format = (text, place) => {
  const read = readUsual(fillNothing, place, ["serverUrl", "url"]);
  return judgeEach(readJson(text).mcpServers, place.path, (raw, name) => {
    const { command: _, ...remote } = raw;
    return read(raw.serverUrl === undefined ? raw : remote, name);
  });
};

/** VS Code: `servers` of its `mcp.json`, and `mcp.servers` of its settings. */
export const vsCode: Format = (text, place) => {
  const { servers, mcp, "mcp.servers": dotted } = readJson(text);
  return [servers, fields(mcp).servers, dotted]
    .flatMap((some) => judgeEditors(some, place));
};

function judgeEditors(
  servers: unknown,
  place: FilePlace,
  urls?: readonly string[],
): FoundServer[] {
  const read = readUsual(fillEditor(place), place, urls);
  return judgeEach(servers, place.path, read);
}
