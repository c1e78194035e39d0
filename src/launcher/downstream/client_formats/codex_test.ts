import { assert, assertEquals, assertMatch } from "../../../../deps/assert.ts";
import {
  clientFile,
  readEntries,
  reasonsOf,
} from "../../../../test/support/mcp_client_files.ts";

import { codex } from "./codex.ts";

Deno.test("codex() reads tables, tokens and headers that variables hold", () => {
  const env = { GITHUB_TOKEN: "g", FIGMA_TOKEN: "f", FIGMA_TEAM: "t" };
  const { entries, skipped, notes } = readEntries(
    codex,
    clientFile("codex/config.toml"),
    { env },
  );
  assertEquals(entries, {
    context7: {
      ...{ transport: "stdio", command: "npx" },
      args: ["-y", "@upstash/context7-mcp"],
      env: { GITHUB_TOKEN: "g", MODE: "stdio" },
      cwd: "/srv/context7",
    },
    figma: {
      ...{ transport: "http", url: "https://mcp.figma.com/mcp" },
      headers: {
        "X-Figma-Region": "us-east-1",
        "X-Team": "t",
        Authorization: "Bearer f",
      },
    },
    narrow: { transport: "stdio", command: "narrow-mcp", args: [], env: {} },
  });
  assertEquals(reasonsOf(skipped), {
    off: "its file disables it",
    inline: "Codex reads no bearer_token",
  });
  assert(!JSON.stringify(skipped).includes("not-allowed-by-codex"));
  assertEquals(notes.narrow?.length, 2);
});

Deno.test("codex() skips a server whose token is not set, with the variable's name", () => {
  const { skipped } = readEntries(codex, clientFile("codex/config.toml"));
  assertMatch(reasonsOf(skipped).figma ?? "", /FIGMA_TE?/);
});

Deno.test("codex() says the line of a file that is not TOML, and quotes none of it", () => {
  const { fault } = readEntries(codex, '[mcp_servers.a]\nkey = "secret\n');
  assertMatch(fault ?? "", /^line 2 is not TOML/);
  assert(!fault?.includes("secret"));
});
