import { readJson } from "./documents.ts";
import type { Format } from "./format.ts";
import { judgeEach, readContents } from "./judge.ts";
import { readUsual } from "./mcp_servers.ts";
import { fillEditor } from "./variables.ts";

/** Windsurf: `serverUrl`, with variables such as `${env:VAR}` and `${file:path}`. */
export const windsurf: Format = (text, place) =>
  readContents(place, (source) =>
    judgeEach(
      readJson(text).mcpServers,
      source,
      readUsual(fillEditor(place), place, ["serverUrl", "url"]),
    ));
