import { StreamableHTTPClientTransport } from "../../deps/mcp_client.ts";
import { connectBy, type Era, type TestClient } from "./client.ts";
import { CACHE, CLI, type Ended, POOL, withConstants } from "./command.ts";
import { share } from "./share.ts";

/** A real server over loopback HTTP; its disposal ends it as Ctrl-C does. */
export interface HttpServer extends AsyncDisposable {
  /** Of MCP. */
  url: URL;
  /** Process id of the launcher. */
  pid: number;
  /** Resolves once the command has ended. */
  ended: Promise<Ended>;
  /** Connects the official client. */
  connect(era?: Era, options?: ConnectOptions): Promise<TestClient>;
  /** Sends a request to a path of the server, `/mcp` if none is given. */
  fetch(init?: RequestInit, path?: string): Promise<Response>;
}

/** What goes with a client's requests. */
export interface ConnectOptions {
  token?: string;
  /** Beside those of the client. */
  headers?: Record<string, string>;
}

/** How a server of HTTP is started. */
export interface HttpOptions {
  command?: "streamable-http" | "streamable-http-stateless";
  env?: Record<string, string>;
  cli?: string;
}

/** Starts the real command on a port that the system picks. */
export async function startHttp(
  args: string[] = [],
  { command = "streamable-http", env = {}, cli = CLI }: HttpOptions = {},
): Promise<HttpServer> {
  const options = ["--cache-dir", CACHE, ...POOL, "--port", "0"];
  return await serveBy(Deno.execPath(), {
    args: withConstants(["run", "-A", cli, ...options, ...args, command]),
    env: { NO_COLOR: "1", ...env },
  });
}

/** Starts a server that the tests of a file share; it ends after the last one. */
export function shareHttp(
  ...how: Parameters<typeof startHttp>
): () => Promise<HttpServer> {
  return share(() => startHttp(...how));
}

/** Starts a server by another command, which prints its address likewise. */
export async function serveBy(
  program: string,
  options: Pick<Deno.CommandOptions, "args" | "env" | "clearEnv" | "cwd">,
): Promise<HttpServer> {
  const child = new Deno.Command(program, {
    ...options,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const [forAddress, forEnd] = child.stdout.tee();
  const stderr = new Response(child.stderr).text();
  const ended = Promise.all([
    child.status,
    new Response(forEnd).text(),
    stderr,
  ]).then(([{ code }, stdout, stderr]): Ended => ({ code, stdout, stderr }));
  const url = await maybeAddress(forAddress);
  if (!url) throw new Error(`The server does not listen: ${await stderr}`);
  return {
    ...{ url, pid: child.pid, ended },
    connect: (era = "2025-11-25", { token, headers } = {}) => {
      const authorization = token ? { authorization: `Bearer ${token}` } : {};
      const requestInit = { headers: { ...authorization, ...headers } };
      return connectBy(
        new StreamableHTTPClientTransport(url, { requestInit }),
        era,
      );
    },
    fetch: (init = {}, path = url.pathname) => fetch(new URL(path, url), init),
    async [Symbol.asyncDispose]() {
      try {
        child.kill("SIGINT");
      } catch {
        // It has ended.
      }
      await ended;
    },
  };
}

/** The address that the command prints; undefined if it ends without one. */
async function maybeAddress(
  stdout: ReadableStream<Uint8Array<ArrayBuffer>>,
): Promise<URL | undefined> {
  let text = "";
  for await (
    const piece of stdout.pipeThrough(new TextDecoderStream()).values({
      preventCancel: true,
    })
  ) {
    text += piece;
    const [, url] = /Serving MCP at ([^\s,]+).*\n/.exec(text) ?? [];
    if (url !== undefined) return new URL(url);
  }
}
