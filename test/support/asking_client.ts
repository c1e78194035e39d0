import {
  Client,
  StdioClientTransport,
  StreamableHTTPClientTransport,
} from "../../deps/mcp_client.ts";
import type { Era } from "./client.ts";
import { COMMAND_LINE } from "./command.ts";
import { startHttp } from "./http_server.ts";

/** A server, and its client, whose user answers questions. */
export interface AskingClient extends AsyncDisposable {
  client: Client;
  /** The questions, in their order. */
  asked: string[];
}

/**
 * Starts the real command, and connects the official client.
 *
 * @param answer What the user says to a question; without it, the client cannot ask.
 */
export async function startAsking(
  options: string[],
  { via = "stdio", era = "2025-11-25", extensions }: {
    via?: "stdio" | "http";
    era?: Era;
    /** That the client declares. */
    extensions?: Record<string, Record<string, string[]>>;
  },
  answer?: (message: string) => "accept" | "decline",
): Promise<AskingClient> {
  const asked: string[] = [];
  const client = new Client({ name: "test", version: "1" }, {
    capabilities: {
      ...answer ? { elicitation: { form: {} } } : {},
      ...extensions ? { extensions } : {},
    },
    versionNegotiation: {
      mode: era === "2025-11-25" ? "legacy" : { pin: era },
    },
  });
  if (answer) {
    client.setRequestHandler(
      "elicitation/create",
      ({ params: { message } }) => {
        asked.push(message);
        return { action: answer(message), content: {} };
      },
    );
  }
  const server = via === "http" ? await startHttp(options) : undefined;
  const [command = "", ...args] = [...COMMAND_LINE, ...options, "stdio"];
  const transport = server
    ? new StreamableHTTPClientTransport(server.url)
    : new StdioClientTransport({ command, args, env: Deno.env.toObject() });
  await client.connect(transport, { timeout: 900_000 });
  return {
    ...{ client, asked },
    async [Symbol.asyncDispose]() {
      await client.close();
      await server?.[Symbol.asyncDispose]();
    },
  };
}
