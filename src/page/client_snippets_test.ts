import { assert, assertEquals } from "../../deps/assert.ts";
import { readEntries } from "../../test/support/mcp_client_files.ts";
import { claudeDesktop } from "../launcher/downstream/client_formats/claude.ts";
import { codex } from "../launcher/downstream/client_formats/codex.ts";
import type { Format } from "../launcher/downstream/client_formats/format.ts";
import { gemini } from "../launcher/downstream/client_formats/gemini.ts";
import { opencode } from "../launcher/downstream/client_formats/opencode.ts";
import {
  cursor,
  vsCode,
  windsurf,
} from "../launcher/downstream/client_formats/mcp_servers.ts";
import { TOKEN, toSnippets } from "./client_snippets.ts";

const URL_OF_DOCS = "http://127.0.0.1:3001/mcp";
const textOf = (client: string, url: string, hasToken: boolean) =>
  toSnippets(url, hasToken).find((one) => one.client === client)?.text ?? "";

Deno.test("toSnippets() writes files as clients read them, with and without a token", () => {
  const formats: Record<string, Format> = {
    ...{ Cursor: cursor, "VS Code": vsCode, Windsurf: windsurf },
    ...{ "Gemini CLI": gemini, Codex: codex, opencode },
  };
  const url = "https://python.example/some/mcp";
  for (const [client, format] of Object.entries(formats)) {
    for (const hasToken of [false, true]) {
      const read = readEntries(format, textOf(client, url, hasToken));
      const headers = hasToken ? { Authorization: `Bearer ${TOKEN}` } : {};
      assertEquals(
        read.entries.python,
        { transport: "http", url, headers },
        client,
      );
    }
  }
});

Deno.test("toSnippets() has Claude Desktop start a program that connects", () => {
  const open = (url: string, hasToken: boolean) =>
    readEntries(claudeDesktop, textOf("Claude Desktop", url, hasToken)).entries
      .python;
  const base = { transport: "stdio", command: "npx", env: {} };
  assertEquals(open(URL_OF_DOCS, false), {
    ...base,
    args: ["-y", "mcp-remote", URL_OF_DOCS],
  });
  assertEquals(open("http://box:3001/mcp", true), {
    ...base,
    args: [
      ...["-y", "mcp-remote", "http://box:3001/mcp", "--allow-http"],
      ...["--header", "Authorization:${AUTHORIZATION}"],
    ],
    env: { AUTHORIZATION: `Bearer ${TOKEN}` },
  });
});

Deno.test("toSnippets() has the lines of docs/clients.md", () => {
  const docs = Deno.readTextFileSync(
    new URL("../../docs/clients.md", import.meta.url),
  );
  const [, section = ""] = docs.split("\n## Over HTTP\n");
  const squeeze = (text: string) =>
    text.replaceAll(/\s|,(?=[\n\s]*[}\])])/g, "").replaceAll(TOKEN, "…");
  for (
    const client of [
      ...["Claude Code", "Claude Desktop", "Cursor", "VS Code"],
      ...["pydantic-ai", "fastmcp", "LangChain", "OpenAI Agents"],
    ]
  ) {
    const row = section.split("\n").find((line) =>
      line.startsWith(`| ${client} `)
    );
    const spans = [...(row ?? "").matchAll(/`([^`]+)`/g)].map(([, it]) => it);
    const code = spans.find((span) => span?.includes(URL_OF_DOCS)) ?? "";
    const whole = squeeze(code)
      .replace('"headers":{…}', '"headers":{"Authorization":"Bearer…"}');
    const text = squeeze(textOf(client, URL_OF_DOCS, true));
    assert(code !== "" && text.includes(whole), `${client}: ${code}`);
  }
});
