import { toReadable } from "./readable_json.ts";

/** How a client is connected with this server. */
export interface Snippet {
  client: string;
  /** Where the text goes. */
  place: string;
  text: string;
}

/** Stands for a token, which the page never writes. */
export const TOKEN = "YOUR_TOKEN";

/**
 * The lines of each client, as docs/clients.md has them.
 *
 * @param url Of MCP.
 * @param hasToken Whether the server asks for a token.
 */
export function toSnippets(url: string, hasToken: boolean): Snippet[] {
  const bearer = `Bearer ${TOKEN}`;
  const headers = hasToken ? { headers: { Authorization: bearer } } : {};
  const named = (some: object) => ({ python: { ...some, ...headers } });
  const given = hasToken ? `, headers={"Authorization": "${bearer}"}` : "";
  return [
    {
      client: "Claude Code",
      place: "In a shell",
      text: `claude mcp add --transport http python ${url}${
        hasToken ? ` --header "Authorization: ${bearer}"` : ""
      }`,
    },
    {
      client: "Claude Desktop",
      place: "claude_desktop_config.json",
      text: toReadable({
        mcpServers: {
          python: {
            command: "npx",
            args: ["-y", "mcp-remote", url, ...remoteOptions(url, hasToken)],
            ...hasToken ? { env: { AUTHORIZATION: bearer } } : {},
          },
        },
      }),
    },
    {
      client: "Cursor",
      place: ".cursor/mcp.json",
      text: toReadable({ mcpServers: named({ url }) }),
    },
    {
      client: "VS Code",
      place: ".vscode/mcp.json",
      text: toReadable({ servers: named({ type: "http", url }) }),
    },
    {
      client: "Windsurf",
      place: "~/.codeium/windsurf/mcp_config.json",
      text: toReadable({ mcpServers: named({ serverUrl: url }) }),
    },
    {
      client: "Gemini CLI",
      place: "~/.gemini/settings.json",
      text: toReadable({ mcpServers: named({ httpUrl: url }) }),
    },
    {
      client: "Codex",
      place: "~/.codex/config.toml",
      text: `[mcp_servers.python]\nurl = ${JSON.stringify(url)}${
        hasToken ? `\nhttp_headers = { Authorization = "${bearer}" }` : ""
      }`,
    },
    {
      client: "opencode",
      place: "opencode.json",
      text: toReadable({ mcp: named({ type: "remote", url }) }),
    },
    {
      client: "pydantic-ai",
      place: "In Python",
      text:
        `from pydantic_ai.mcp import MCPToolset\n\ntools = MCPToolset("${url}"${given})`,
    },
    {
      client: "fastmcp",
      place: "In Python",
      text: `from fastmcp import Client\n\nclient = Client("${url}"${
        hasToken ? `, auth="${TOKEN}"` : ""
      })`,
    },
    {
      client: "LangChain",
      place: "In Python",
      text:
        `from langchain_mcp_adapters.client import MultiServerMCPClient\n\nclient = MultiServerMCPClient(${
          toReadable(named({ transport: "streamable_http", url }))
        })`,
    },
    {
      client: "OpenAI Agents",
      place: "In Python",
      text:
        `from agents.mcp import MCPServerStreamableHttp\n\nserver = MCPServerStreamableHttp(params=${
          toReadable({ url, ...headers })
        }, client_session_timeout_seconds=660)`,
    },
    {
      client: "TypeScript SDK",
      place: "In TypeScript",
      text: `new StreamableHTTPClientTransport(new URL("${url}")${
        hasToken
          ? `, { requestInit: { headers: { Authorization: "${bearer}" } } }`
          : ""
      })`,
    },
  ];
}

/** Of the program that Claude Desktop starts; Windows would split an option at its blank. */
function remoteOptions(url: string, hasToken: boolean): string[] {
  const { protocol, hostname } = new URL(url);
  const isHere = ["localhost", "127.0.0.1", "[::1]"].includes(hostname);
  return [
    ...protocol === "http:" && !isHere ? ["--allow-http"] : [],
    ...hasToken ? ["--header", "Authorization:${AUTHORIZATION}"] : [],
  ];
}
