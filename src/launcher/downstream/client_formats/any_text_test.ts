import { assert } from "../../../../deps/assert.ts";
import {
  assertProperty,
  constantFrom,
  dictionary,
  jsonValue,
  oneof,
  property,
  string,
} from "../../../../deps/fast_check.ts";
import type { ServerEntry } from "../../../protocol/downstream.ts";
import {
  filePlace,
  readContents,
} from "../../../../test/support/mcp_client_files.ts";
import { claudeCode, claudeDesktop } from "./claude.ts";
import { codex } from "./codex.ts";
import type { Format } from "./format.ts";
import { gemini } from "./gemini.ts";
import { opencode } from "./opencode.ts";
import { own } from "./own.ts";
import { antigravity, cursor, vsCode, windsurf } from "./mcp_servers.ts";

const FORMATS: Record<string, Format> = {
  ...{ antigravity, claudeCode, claudeDesktop, codex, cursor, gemini },
  ...{ opencode, own, vsCode, windsurf },
};

const GOOD = { command: "good", type: "stdio" };

const key = constantFrom(
  ...["command", "args", "env", "cwd", "url", "httpUrl", "serverUrl", "type"],
  ...["headers", "environment", "enabled", "disabled", "envFile", "x"],
);
const value = oneof(
  constantFrom(
    "http",
    "sse",
    "local",
    "https://x.example/mcp",
    "${X}",
    "\0",
  ),
  jsonValue({ maxDepth: 2 }),
);
const entry = oneof(jsonValue(), dictionary(key, value));

Deno.test("formats take any text, and never throw", () => {
  assertProperty(property(string(), (text) => {
    for (const format of Object.values(FORMATS)) {
      readContents(format, text, filePlace());
    }
  }));
});

Deno.test("formats judge any entry alone, and keep the good one beside it", () => {
  assertProperty(
    property(dictionary(string(), entry), (servers) => {
      const all = { ...servers, good: GOOD };
      const text = JSON.stringify({ mcpServers: all });
      for (
        const format of [claudeCode, claudeDesktop, cursor, windsurf, own]
      ) {
        const found = readContents(format, text, filePlace()).servers;
        assert(found.length === Object.keys(all).length);
        assert(
          found.some((one) => "entry" in one && one.entry.name === "good"),
        );
        for (const one of found) if ("entry" in one) check(one.entry);
      }
    }),
  );
});

function check(entry: ServerEntry): void {
  const texts = entry.transport === "stdio"
    ? [entry.command, entry.args, Object.values(entry.env)]
    : entry.transport === "http"
    ? [entry.url, Object.values(entry.headers)]
    : [entry.file, entry.sha256];
  for (const text of texts.flat()) assert(typeof text === "string");
}
