import { posix, win32 } from "node:path";
import { fields } from "../../../protocol/fields.ts";
import { codex } from "./codex.ts";
import { readJson } from "./documents.ts";
import type { Format } from "./format.ts";
import { judgeEach } from "./judge.ts";
import { readUsual, vsCode } from "./mcp_servers.ts";
import { opencode } from "./opencode.ts";
import { fillAny } from "./variables.ts";

/**
 * A file for this program: in the format of any client, which its keys tell; or
 * a single entry, whose name is that of the file.
 */
export const own: Format = (text, place) => {
  if (/\.toml$/i.test(place.path)) return codex(text, place);
  const document = readJson(text);
  const { mcpServers, servers, mcp } = document;
  const urls = ["url", "serverUrl", "httpUrl"];
  const read = readUsual(fillAny(place), place, urls);
  const judge = (some: unknown) => judgeEach(some, place.path, read);
  if (mcpServers !== undefined) return judge(mcpServers);
  if (servers !== undefined) return judge(servers);
  if (isEntry(document)) {
    const { parse } = place.os === "windows" ? win32 : posix;
    return judge({ [parse(place.path).name]: document });
  }
  const all = fields(mcp);
  const isOpencode = Object.values({ ...fields(all.servers), ...all }).some(
    (one) => ["local", "remote"].includes(String(fields(one).type)),
  );
  const found = isOpencode ? opencode(text, place) : vsCode(text, place);
  const keys = Object.keys(document);
  const isOurs = keys.length === 0 || keys.includes("mcp") ||
    keys.includes("mcp.servers");
  if (isOurs) return found;
  throw new SyntaxError(
    'it has none of the keys "mcpServers", "servers", "mcp" and "mcp.servers"',
  );
};

function isEntry(document: Record<string, unknown>): boolean {
  const keys = ["command", "url", "serverUrl", "httpUrl", "wasm"];
  return keys.some((key) => typeof document[key] === "string");
}
