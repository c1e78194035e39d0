import { assert, assertEquals, assertMatch } from "../../../../deps/assert.ts";
import {
  clientFile,
  readEntries,
  reasonsOf,
} from "../../../../test/support/mcp_client_files.ts";
import { antigravity } from "./mcp_servers.ts";

Deno.test("antigravity() reads serverUrl, which counts before a command", () => {
  const { entries, skipped } = readEntries(
    antigravity,
    clientFile("antigravity/mcp_config.json"),
  );
  assertEquals(entries, {
    "docs-langchain": {
      ...{ transport: "http", url: "https://docs.langchain.com/mcp" },
      headers: {},
    },
    "chrome-devtools": {
      ...{ transport: "stdio", command: "npx", env: {} },
      args: ["chrome-devtools-mcp@latest", "-y"],
    },
    both: { transport: "http", url: "https://both.example/mcp", headers: {} },
  });
  assertEquals(reasonsOf(skipped), { off: "its file disables it" });
  assertMatch(skipped.off?.remedy ?? "", /Remove "disabled": true/);
});

Deno.test("antigravity() takes the empty file that its editor makes for no servers", () => {
  const { names, fault } = readEntries(antigravity, "");
  assertEquals(names, []);
  assert(fault === undefined);
});
