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
import {
  type ServerEntry,
  unknownTransport,
} from "../../../protocol/downstream.ts";
import { fields } from "../../../protocol/fields.ts";

/** Each transport by the types that clients write; a new one does not compile before. */
const TYPES: Readonly<Record<ServerEntry["transport"], readonly string[]>> = {
  stdio: ["stdio", "local"],
  http: ["http", "streamable-http", "streamablehttp", "streamable_http"],
};

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
    if (type === "sse") refuseSse(SSE_REMEDY);
    const usual = raw.command === undefined ? "http" : "stdio";
    const transport = type === ""
      ? usual
      : transportsOf().find((one) => TYPES[one].includes(type));
    switch (transport) {
      case "stdio":
        if (raw.command === undefined) break;
        return toStdio({ ...raw, command: raw.command }, fill, place);
      case "http":
        if (url === undefined) break;
        // Servers of this ending that have no other transport are many.
        if (type === "" && isSsePath(url)) refuseSse(SSE_REMEDY);
        return toHttp({ url, headers: raw.headers }, fill);
      case undefined:
        throw new Unusable(
          `its type ${JSON.stringify(type)} is neither stdio nor http`,
        );
      default:
        return unknownTransport(transport);
    }
    throw new Unusable(
      `it has neither a command nor ${urls.join(" or ")}`,
      `Write "command" and "args", or "${urls[0]}".`,
    );
  };
}

function transportsOf() {
  return Object.keys(TYPES) as ServerEntry["transport"][];
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
