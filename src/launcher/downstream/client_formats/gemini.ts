import { fields } from "../../../protocol/fields.ts";
import { readJson } from "./documents.ts";
import { refuseSse } from "./entry.ts";
import { type Format, Unusable } from "./format.ts";
import { judgeEach } from "./judge.ts";
import { readUsual } from "./mcp_servers.ts";
import { fillDollar } from "./variables.ts";

/**
 * Gemini CLI: `httpUrl` is a URL of streamable HTTP, `url` of SSE if no `type` says
 * otherwise; `mcp.allowed` and `mcp.excluded` name servers.
 */
export const gemini: Format = (text, place) => {
  const { mcpServers, mcp } = readJson(text);
  const { allowed, excluded } = fields(mcp);
  const read = readUsual(fillDollar(place), place, ["httpUrl", "url"]);
  return judgeEach(mcpServers, place.path, (raw, name) => {
    const isAllowed = !Array.isArray(allowed) || allowed.length === 0 ||
      allowed.includes(name);
    if (!isAllowed || Array.isArray(excluded) && excluded.includes(name)) {
      throw new Unusable(
        `the file's mcp.${isAllowed ? "excluded" : "allowed"} disables it`,
        "Enable it there.",
      );
    }
    const { httpUrl, url, type, command } = raw;
    const isBare = httpUrl === undefined && command === undefined &&
      type === undefined;
    if (isBare && url !== undefined) {
      refuseSse(
        'If the server speaks streamable HTTP, write "httpUrl" in place of "url".',
      );
    }
    return read(raw, name);
  });
};
