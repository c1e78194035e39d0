import { assert, assertEquals, assertMatch } from "../../../../deps/assert.ts";
import {
  clientFile,
  filePlace,
  readEntries,
  reasonsOf,
} from "../../../../test/support/mcp_client_files.ts";

import { own } from "./own.ts";

Deno.test("own() judges each entry alone: a malformed one hides no other", () => {
  const { entries, skipped } = readEntries(
    own,
    clientFile("own/servers.json"),
    {
      env: { GOOD: "${GOOD}" },
    },
  );
  assertEquals(entries, {
    good: {
      ...{ transport: "stdio", command: "good-mcp", env: {} },
      args: ["1", "true", "${GOOD}", "${GOOD}"],
      description: "What is good",
    },
  });
  assertEquals(reasonsOf(skipped), {
    wrong: "it is not an object",
    "no-command": "it has neither a command nor url or serverUrl or httpUrl",
    args: "its args are not a list",
    header: 'its header "a b" is not valid',
    "":
      "its name is empty, longer than 128 characters, or has control characters",
    unset: "the variable NOT_SET_ANYWHERE is not set",
  });
});

Deno.test("own() names the server of a file with a single entry after the file", () => {
  const { entries } = readEntries(own, clientFile("own/single.json"), {
    path: "/home/ada/MCPs/single.json",
  });
  assertEquals(Object.keys(entries), ["single"]);
});

Deno.test("own() takes the format of any client", () => {
  const read = (name: string, path = "/f.json") =>
    readEntries(own, clientFile(name), { path, env: { TZ: "UTC" } }).names;
  assertEquals(read("vs_code/mcp.json").slice(0, 2), ["memory", "context7"]);
  assertEquals(read("vs_code/settings.json"), ["fetch", "time"]);
  assert(read("opencode/opencode.json").includes("one-text"));
  assertEquals(read("opencode/v2.jsonc"), ["playwright"]);
  assertEquals(read("codex/config.toml", "/f.toml"), ["context7", "narrow"]);
  assertEquals(read("windsurf/mcp_config.json"), ["ollama"]);
  assertEquals(read("cursor/mcp.json"), []);
});

Deno.test("own() says why a file as a whole has no servers, and quotes none of it", () => {
  const faultOf = (text: string) => readEntries(own, text).fault ?? "";
  assertMatch(faultOf('{"mcpServers": {\n"a": secret'), /^line 2 is not JSON/);
  assertEquals(faultOf("[]"), "it is not a JSON object");
  assertMatch(faultOf('{"port": 3}'), /none of the keys "mcpServers"/);
  assert(faultOf(`{"mcpServers": ${"[".repeat(100_000)}`) !== "");
  assert(!faultOf('{"a": secret').includes("secret"));
});

Deno.test("own() takes names of prototypes for names", () => {
  const servers = own(
    '{"mcpServers": {"__proto__": {"command": "p"}, "toString": {"command": "c"}}}',
    filePlace(),
  );
  assertEquals(
    servers.map((found) => "entry" in found && found.entry.name),
    ["__proto__", "toString"],
  );
});

Deno.test("own() moves the user and password of a URL into its header", () => {
  const { entries } = readEntries(
    own,
    '{"mcpServers": {"a": {"url": "https://ada:pw@a.example/mcp"}}}',
  );
  assertEquals(entries.a, {
    ...{ transport: "http", url: "https://a.example/mcp" },
    headers: { Authorization: `Basic ${btoa("ada:pw")}` },
  });
});
