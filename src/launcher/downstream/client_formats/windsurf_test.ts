import { assert, assertEquals, assertMatch } from "../../../../deps/assert.ts";
import {
  clientFile,
  readEntries,
  reasonsOf,
} from "../../../../test/support/mcp_client_files.ts";
import { windsurf } from "./mcp_servers.ts";

Deno.test("windsurf() reads serverUrl and its variables, and skips what is disabled", () => {
  const { entries, skipped, notes } = readEntries(
    windsurf,
    clientFile("windsurf/mcp_config.json"),
    { env: { WIND_TOKEN: "w" } },
  );
  assertEquals(entries, {
    remote: {
      ...{ transport: "http", url: "https://mcp.example.com/mcp" },
      headers: { Authorization: "Bearer w" },
    },
    ollama: {
      ...{ transport: "stdio", command: "py", args: ["-m", "ollama"], env: {} },
    },
  });
  assertEquals(reasonsOf(skipped), { git: "its file disables it" });
  assertMatch(notes.remote?.join() ?? "", /--allow-tool '!remote\.…'/);
  assert(!("ollama" in notes));
});
