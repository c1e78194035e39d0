import { fields } from "../../../protocol/fields.ts";
import { readJson } from "./documents.ts";
import type { FilePlace, Format, FoundServer } from "./format.ts";
import { judgeEach, readContents } from "./judge.ts";
import { readUsual } from "./mcp_servers.ts";
import { fillEditor } from "./variables.ts";

/** VS Code: `servers` of its `mcp.json`, and `mcp.servers` of its settings. */
export const vsCode: Format = (text, place) =>
  readContents(place, (source) => {
    const document = readJson(text);
    return [
      ...readServers(document.servers, source, place),
      ...readServers(fields(document.mcp).servers, source, place),
      ...readServers(document["mcp.servers"], source, place),
    ];
  });

function readServers(
  servers: unknown,
  source: string,
  place: FilePlace,
): FoundServer[] {
  return judgeEach(servers, source, readUsual(fillEditor(place), place));
}
