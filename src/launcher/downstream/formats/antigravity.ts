import { readJson } from "./documents.ts";
import type { Format } from "./format.ts";
import { judgeEach, readContents } from "./judge.ts";
import { readUsual } from "./mcp_servers.ts";
import { fillNothing } from "./variables.ts";

/** Antigravity: `serverUrl`, which counts before a `command`; no variables. */
export const antigravity: Format = (text, place) =>
  readContents(place, (source) => {
    const read = readUsual(fillNothing(), place, ["serverUrl", "url"]);
    return judgeEach(readJson(text).mcpServers, source, (raw, name) => {
      const { command: _, ...remote } = raw;
      return read(raw.serverUrl === undefined ? raw : remote, name);
    });
  });
