import { deferred } from "../deferred.ts";
import { forward } from "./forward.ts";
import {
  type CommandLine,
  type SandboxOptions,
  toCommandLine,
} from "./options.ts";
import { type OnLog, Program, toDenoArguments } from "./program.ts";

/** Options of a server. */
export interface ServerOptions extends SandboxOptions {
  /** Names by which clients may call, such as `mcp.example.com`; those of this machine always may. */
  allowedHosts?: readonly string[];
  /** Origins of web pages that may call, such as `https://app.example.com`. */
  allowedOrigins?: readonly string[];
  /** Takes lines of the log. */
  onLog?: OnLog;
}

/** The options of a request. */
export interface FetchOptions {
  /**
   * The user that sends it, as you have found out: sessions, files and limits
   * belong to this name. Requests without a name are all of one caller.
   */
  caller?: string;
}

/** A server of MCP for a path of your own HTTP server. */
export interface Server extends AsyncDisposable {
  /**
   * Answers a request of MCP, at whatever path it came.
   *
   * @throws {TypeError} If there is a caller, and it is not a text.
   * @returns 503 if the server's process ends meanwhile; the next request starts it
   * again.
   */
  fetch(request: Request, options?: FetchOptions): Promise<Response>;
  /** Ends the server as SIGTERM does: calls under way have time to end. */
  close(): Promise<void>;
}

/** In which the server's process learns the caller. */
const CALLER_HEADER = "x-caller";
/** No name of a user, as these are percent-encoded. */
const ANY_CALLER = "@any";

/**
 * Creates a server of MCP over HTTP, and waits until it takes requests. Its
 * packages are installed meanwhile, for which calls wait.
 *
 * @example
 * ```ts
 * await using server = await createServer({ cacheDir: ".cache/test" });
 * await using http = Deno.serve(
 *   { hostname: "127.0.0.1", port: 0 },
 *   (request) => server.fetch(request, { caller: "ada" }),
 * );
 * ```
 *
 * @throws {TypeError} If an option is unknown.
 * @throws {SandboxError} If it cannot start; the message has the remedy.
 */
export async function createServer(
  { onLog, allowedHosts = [], allowedOrigins = [], ...options }: ServerOptions =
    {},
): Promise<Server> {
  const { args, variables } = toCommandLine({
    ...options,
    options: {
      ...options.options,
      "allowed-host": allowedHosts,
      "allowed-origin": [...allowedOrigins, "none"],
      host: "127.0.0.1",
      port: 0,
      "caller-header": CALLER_HEADER,
    },
  });
  const command = {
    args: await toDenoArguments([...args, "streamable-http"]),
    variables: { ...variables, MCP_RUN_PYTHON_UNTIL_EOF: "1" },
  };
  let listener: ReturnType<typeof startListener> | undefined;
  let isClosed = false;
  const close = async () => {
    isClosed = true;
    // A start that failed has left nothing.
    await listener?.then(({ program }) => program.close(), () => {});
  };
  const open = () => {
    const opened = listener ??= startListener(command, onLog);
    const forget = () => {
      if (listener === opened) listener = undefined;
    };
    opened.then(({ program }) => program.ended).then(forget, forget);
    return opened;
  };
  await open();
  return {
    async fetch(request, options = {}) {
      const caller = toCallerName(options);
      if (isClosed) return refuse(503, "The server of Python is closed.");
      try {
        const { url, token } = await open();
        const authorization = `Bearer ${token}`;
        const own = { authorization, [CALLER_HEADER]: caller };
        return await forward(request, url, own);
      } catch (error) {
        request.signal.throwIfAborted();
        if (error instanceof RangeError) return refuse(413, error.message);
        onLog?.(String(error));
        return refuse(
          503,
          "The server of Python has ended: send the request again, which starts it.",
        );
      }
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** @throws {TypeError} If there is a caller, and it is not a text. */
function toCallerName(options: FetchOptions): string {
  if (!("caller" in options)) return ANY_CALLER;
  const { caller } = options;
  if (typeof caller === "string" && caller !== "" && caller.isWellFormed()) {
    return encodeURIComponent(caller);
  }
  throw new TypeError(
    "The caller of a request must be a text: leave it out if all requests are of one caller.",
  );
}

async function startListener(
  { args, variables }: CommandLine,
  onLog: OnLog | undefined,
) {
  // No other process knows it, though all of this machine reach the address.
  const token = crypto.randomUUID();
  const listening = deferred<URL>();
  const program = new Program({
    args,
    variables: { ...variables, MCP_RUN_PYTHON_TOKEN: `library:${token}` },
  }, (line) => {
    const [, url] = /^Serving MCP at ([^\s,]+)/.exec(line) ?? [];
    if (url !== undefined) listening.resolve(new URL(url));
  });
  if (onLog) program.logs.add(onLog);
  program.ended.then(listening.reject);
  return { program, url: await listening.promise, token };
}

/** An answer that clients of MCP can read. */
function refuse(status: number, message: string): Response {
  const error = { code: -32000, message };
  return Response.json({ jsonrpc: "2.0", id: null, error }, {
    status,
    ...(status === 503 ? { headers: { "retry-after": "1" } } : {}),
  });
}
