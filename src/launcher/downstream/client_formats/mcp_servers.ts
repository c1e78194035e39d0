import {
  type FilePlace,
  type Format,
  type FoundServer,
  Unusable,
} from "./format.ts";
import { refuseSse } from "./entry.ts";
import { judgeEach, type Read, type StdioOrHttp } from "./judge.ts";
import { WRITTEN } from "../transports/transport.ts";
import { type Fill, fillEditor, fillNothing } from "./variables.ts";
import { readJson } from "./documents.ts";
import { fields } from "../../../protocol/fields.ts";

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
    if (type === "sse") refuseSse();
    const usual = raw.command !== undefined
      ? WRITTEN.stdio
      : raw.wasm === undefined
      ? WRITTEN.http
      : WRITTEN.wasm;
    const written = type === ""
      ? usual
      : Object.values(WRITTEN).find(({ types }) => types.includes(type));
    if (!written) {
      throw new Unusable(
        `its type ${JSON.stringify(type)} is not one of stdio, http and wasm`,
      );
    }
    const isTyped = type !== "";
    const entry = written.read({ ...raw, url }, { fill, place, isTyped });
    if (entry) return entry;
    throw new Unusable(
      `it has neither a command nor ${urls.join(" or ")}`,
      `Write "command" and "args", or "${urls[0]}".`,
    );
  };
}

function toType({ type, transport, transportType }: Record<string, unknown>) {
  const given = type ?? transport ?? transportType;
  return typeof given === "string" ? given.toLowerCase() : "";
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
