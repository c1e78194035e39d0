import { assert, assertEquals, assertMatch } from "../../../../deps/assert.ts";
import {
  clientFile,
  readEntries,
  reasonsOf,
} from "../../../../test/support/mcp_client_files.ts";

import { opencode } from "./opencode.ts";

Deno.test("opencode() reads commands as lists, environment and {env:X}", () => {
  const { entries, skipped } = readEntries(
    opencode,
    clientFile("opencode/opencode.json"),
    {
      env: { OPEN_KEY: "o" },
      readTextFile(path) {
        assertEquals(path, "/home/ada/.token");
        return "t\n";
      },
    },
  );
  assertEquals(entries, {
    everything: {
      ...{ transport: "stdio", command: "npx" },
      args: ["-y", "@modelcontextprotocol/server-everything"],
      env: { KEY: "o", TOKEN: "t" },
    },
    remote: {
      ...{ transport: "http", url: "https://mcp.example.com/mcp" },
      headers: { Authorization: "Bearer o" },
    },
    "one-text": {
      ...{ transport: "stdio", command: "bun x my-mcp", args: [], env: {} },
    },
  });
  assertEquals(reasonsOf(skipped), {
    off: "its file disables it",
    nothing: "its command is not a list of texts",
  });
});

Deno.test("opencode() reads mcp.servers of its second version", () => {
  const { entries, skipped } = readEntries(
    opencode,
    clientFile("opencode/v2.jsonc"),
  );
  assertEquals(entries, {
    playwright: {
      ...{ transport: "stdio", command: "npx", cwd: "/srv/app" },
      ...{ args: ["-y", "@playwright/mcp"], env: {} },
    },
  });
  assertMatch(skipped.paused?.remedy ?? "", /^Remove "disabled": true/);
  assert(Object.keys(skipped).length === 1);
});
