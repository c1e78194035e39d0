import { readJson } from "./documents.ts";
import type { Format } from "./format.ts";
import { judgeEach, readContents } from "./judge.ts";
import { readUsual } from "./mcp_servers.ts";
import { fillEditor } from "./variables.ts";

/** Cursor: `mcpServers`, with the variables and the `envFile` of VS Code. */
export const cursor: Format = (text, place) =>
  readContents(
    place,
    (source) =>
      judgeEach(
        readJson(text).mcpServers,
        source,
        readUsual(fillEditor(place), place),
      ),
  );
