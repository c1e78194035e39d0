import { StdioClientTransport } from "../../deps/mcp_client.ts";
import { connectBy, type Era, IN_SESSIONS, type TestClient } from "./client.ts";
import { CACHE, CLI, POOL, withConstants } from "./command.ts";
import { startHttp } from "./http_server.ts";

export { connectBy, ERAS, listen, WANTED } from "./client.ts";
export type { Called, CallOptions, Era, TestClient, Told } from "./client.ts";

/** A real server, with the official client. */
export interface TestServer extends TestClient {
  /** Process id of the launcher. */
  pid: number;
  /** Ends the server by a signal, and waits for its end. */
  end(): Promise<void>;
}

/** A way to a server. */
export type Via = "stdio" | "http";

/** `TEST_TRANSPORT=http` has tests call their servers over HTTP. */
export const VIA: Via = Deno.env.get("TEST_TRANSPORT") === "http"
  ? "http"
  : "stdio";

/** Over HTTP, a request may be as large as over stdio. */
const LARGEST = ["+maxBodyMiB=64"];
const SESSIONS = IN_SESSIONS ? ["+maxSessions=4"] : [];

/** Starts the real command and connects to it. */
export async function startServer(
  args: string[] = [],
  era: Era = "2025-11-25",
  cli: string = CLI,
  // Other programs serve stdio alone.
  via: Via = cli === CLI ? VIA : "stdio",
): Promise<TestServer> {
  if (via === "stdio") {
    const options = ["--cache-dir", CACHE, ...POOL, ...SESSIONS];
    return await connectTo([cli, ...options, ...args, "stdio"], { era });
  }
  const server = await startHttp([...LARGEST, ...SESSIONS, ...args], { cli });
  const client = await server.connect(era);
  const end = async () => {
    await client[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  };
  return { ...client, pid: server.pid, end, [Symbol.asyncDispose]: end };
}

/**
 * Starts a program that serves as the real command does, and connects to it.
 *
 * @param args The program, and its arguments.
 * @param options.env Variables it has beside those of this process.
 * @param options.cwd Its current folder.
 */
export async function connectTo(
  args: string[],
  { era = "2025-11-25", env = {}, ...options }: {
    era?: Era;
    env?: Record<string, string>;
    cwd?: string;
  } = {},
): Promise<TestServer> {
  const transport = new StdioClientTransport({
    command: Deno.execPath(),
    args: withConstants(["run", "-A", ...args]),
    env: { ...Deno.env.toObject(), ...env },
    ...options,
  });
  const connected = await connectBy(transport, era);
  const { pid } = transport;
  if (pid === null) throw new Error("The server has no process");
  return {
    ...connected,
    pid,
    end: () => endBySignal(connected, pid),
  };
}

/** Ends a server as a client would that does not kill a server that takes its time. */
export async function endBySignal(
  { client }: TestClient,
  pid: number,
): Promise<void> {
  const closed = Promise.withResolvers<void>();
  client.onclose = closed.resolve;
  Deno.kill(pid, "SIGTERM");
  await closed.promise;
}
