import { assert, assertEquals, assertMatch } from "../../../../deps/assert.ts";
import {
  clientFile,
  readEntries,
  reasonsOf,
} from "../../../../test/support/mcp_client_files.ts";
import { cursor } from "./mcp_servers.ts";

Deno.test("cursor() reads comments, trailing commas, its variables and envFile", () => {
  const { entries, skipped, notes } = readEntries(
    cursor,
    clientFile("cursor/mcp.json"),
    {
      env: { REMOTE_TOKEN: "r" },
      readTextFile(path) {
        assertEquals(path, "/srv/app/.env");
        return "# of the file\nexport PGPASSWORD='s # x'\nPGUSER=from-file # no\nPGHOST = \"h\"\n";
      },
    },
  );
  assertEquals(entries, {
    postgres: {
      ...{ transport: "stdio", command: "npx" },
      args: ["-y", "pg-mcp", "/srv/app/db", "/home/ada/x"],
      env: { PGPASSWORD: "s # x", PGUSER: "from-entry", PGHOST: "h" },
    },
    remote: {
      ...{ transport: "http", url: "https://mcp.example.com/mcp?profile=1" },
      headers: { Authorization: "Bearer r" },
    },
  });
  assertMatch(reasonsOf(skipped).old ?? "", /transport is SSE/);
  assertMatch(notes.remote?.join() ?? "", /^auth does not count here/);
});

Deno.test("cursor() skips the entry alone whose envFile cannot be read", () => {
  const { names, skipped } = readEntries(
    cursor,
    clientFile("cursor/mcp.json"),
    {
      env: { REMOTE_TOKEN: "r" },
    },
  );
  assertEquals(names, ["remote"]);
  assertMatch(
    reasonsOf(skipped).postgres ?? "",
    /^its file "\/srv\/app\/\.env" cannot be read: no such file$/,
  );
  assert(!JSON.stringify(skipped).includes("os error"));
});
