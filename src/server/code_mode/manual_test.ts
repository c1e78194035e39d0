import { assert, assertEquals } from "../../../deps/assert.ts";
import { CODE_MODE_NAMES } from "../../protocol/code_mode.ts";
import {
  isManualUri,
  MANUAL,
  MANUAL_URI,
  mcpManual,
  readManual,
} from "./manual.ts";

Deno.test("the manual is short; it and the docs show each name that a run has", async () => {
  assert(MANUAL.split("\n").length < 150);
  const docs = await Deno.readTextFile(
    new URL("../../../docs/code_mode.md", import.meta.url),
  );
  const [, table = ""] = docs.split("## Names in Python");
  for (const text of [MANUAL, table.split("\n## ")[0] ?? ""]) {
    // Both say that a name with this ending does the same without `await`.
    const bare = (name: string) => name.replace(/(?<=\w)_sync$/, "");
    const words = new Set(text.match(/\w+/g)?.map(bare));
    const missing = CODE_MODE_NAMES.filter((name) => !words.has(bare(name)));
    assertEquals(missing, []);
    assert(words.has("_sync"));
  }
});

Deno.test("mcp_manual gives Python the text of the resource", async () => {
  const { signal } = new AbortController();
  const answer = await mcpManual.perform({}, { run: {}, signal });
  const uri = "resource://mcp-server-code-execution-mode/capabilities";
  assert(isManualUri(MANUAL_URI) && isManualUri(uri));
  const { text, ...rest } = readManual(uri);
  assertEquals(answer, { text });
  assertEquals(rest, { uri, mimeType: "text/markdown" });
});
