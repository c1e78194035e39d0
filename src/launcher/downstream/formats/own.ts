import { posix, win32 } from "node:path";
import { fields } from "../../../protocol/fields.ts";
import { codex } from "./codex.ts";
import { readJson } from "./documents.ts";
import type { FilePlace, Format } from "./format.ts";
import { judgeEach, readContents } from "./judge.ts";
import { readUsual, vsCode } from "./mcp_servers.ts";
import { opencode } from "./opencode.ts";
import { fillAny } from "./variables.ts";

/**
 * A file for this program: in the format of any client, which its keys tell; or
 * a single entry, whose name is that of the file.
 */
export const own: Format = (text, place) => {
  if (/\.toml$/i.test(place.path)) return codex(text, place);
  return readContents(place, (source) => {
    const document = readJson(text);
    const { mcpServers, servers, mcp } = document;
    const read = readUsual(fillAny(place), place, [
      "url",
      "serverUrl",
      "httpUrl",
    ]);
    if (mcpServers !== undefined) return judgeEach(mcpServers, source, read);
    if (servers !== undefined) return judgeEach(servers, source, read);
    if (isEntry(document)) {
      return judgeEach({ [nameOf(place)]: document }, source, read);
    }
    const all = fields(mcp);
    const isOpencode = Object.values({ ...fields(all.servers), ...all }).some(
      (one) => ["local", "remote"].includes(String(fields(one).type)),
    );
    const { servers: found, fault } = isOpencode
      ? opencode(text, place)
      : vsCode(text, place);
    if (fault !== undefined) throw new SyntaxError(fault);
    const keys = Object.keys(document);
    const isOurs = keys.length === 0 || keys.includes("mcp") ||
      keys.includes("mcp.servers");
    if (!isOurs) {
      throw new SyntaxError(
        'it has none of the keys "mcpServers", "servers", "mcp" and "mcp.servers"',
      );
    }
    return found;
  });
};

function isEntry(
  { command, url, serverUrl, httpUrl }: Record<string, unknown>,
) {
  return [command, url, serverUrl, httpUrl].some((one) =>
    typeof one === "string"
  );
}

function nameOf({ path, os }: FilePlace): string {
  const { parse } = os === "windows" ? win32 : posix;
  return parse(path).name;
}
