import {
  ENCODED_CODE,
  ENCODED_GLOBALS,
  fitsEncoded,
} from "../protocol/bounds.ts";
import { toFileBounds } from "../protocol/run_files.ts";
import type { RunResult } from "../protocol/run_result.ts";
import { type Connection, openConnection } from "./connection.ts";
import { LibraryLine } from "./library_line.ts";
import {
  type AskedRun,
  LibrarySession,
  type PythonRun,
  type PythonSession,
} from "./library_session.ts";
import type { Prepared } from "./prepare.ts";
import { serve, type ServeOptions } from "./serve.ts";
import { howEnded } from "./spawn.ts";

/** Python in sandboxes; disposing of it ends all that belongs to it. */
export interface Python extends AsyncDisposable {
  /**
   * Runs code in a fresh interpreter, beside other runs.
   *
   * @returns The result; failing Python is a result, too. Files that the code
   * wrote to `/workspace` are in `written`.
   * @throws {RangeError} If code, globals, files or timeout are larger than they
   * may be.
   * @throws {Error} If the server process ends before the code does.
   */
  run(code: string, options?: PythonRun): Promise<RunResult>;
  /** Opens a session, beside other sessions and runs. */
  session(): PythonSession;
  /**
   * Opens a connection for a client of MCP, to a server process of its own.
   *
   * @returns A transport for the client's `connect()`.
   */
  connect(): Connection;
}

/**
 * Opens Python in an environment, which is given back at the end.
 *
 * @param options.server A server that has started, for the first runs; it gets
 * sandboxes ready at once.
 */
export function openPrepared(
  prepared: Prepared,
  { server, ...options }: Omit<ServeOptions, "client" | "library" | "stop"> =
    {},
): Python {
  const { settings } = prepared;
  const stop = new AbortController();
  const servers = new Set<Promise<unknown>>();
  let line = server ? openLine(server) : undefined;

  return {
    async run(code, options = {}) {
      const order = { type: "run", ...toOrder(code, options) } as const;
      return (await theLine().call(order, options)).result;
    },
    session: () => new LibrarySession(theLine, toOrder),
    connect: () => openConnection((client) => start({ client })),
    async [Symbol.asyncDispose]() {
      stop.abort();
      await Promise.allSettled(servers);
      prepared[Symbol.dispose]();
    },
  };

  function theLine(): LibraryLine {
    return line ??= openLine();
  }

  function openLine(server?: Deno.ChildProcess): LibraryLine {
    const opened = new LibraryLine(
      toFileBounds(settings),
      options.shell?.answer,
    );
    start({ library: opened, server }).then(
      (status) => new Error(`The server process ended (${howEnded(status)}).`),
      (error) => error,
    ).then((error) => {
      opened.end(error);
      // The next run starts another one.
      if (line === opened) line = undefined;
    });
    return opened;
  }

  function start(
    side: Pick<ServeOptions, "client" | "library" | "server">,
  ): Promise<Deno.CommandStatus> {
    const ended = serve(prepared, { ...options, ...side, stop: stop.signal })
      .finally(() => servers.delete(ended));
    servers.add(ended);
    return ended;
  }

  function toOrder(
    code: string,
    { globals: values = {}, timeoutSeconds, dependencies }: PythonRun,
  ): AskedRun {
    const globals = JSON.stringify(values);
    refuseLong("code", code, ENCODED_CODE);
    refuseLong("globals", globals, ENCODED_GLOBALS);
    const timeoutMs = toTimeoutMs(timeoutSeconds);
    return {
      request: { code, globals, timeoutMs },
      ...(dependencies ? { dependencies } : {}),
    };
  }

  function toTimeoutMs(seconds = settings.timeoutSeconds): number {
    const { maxTimeoutSeconds: most } = settings;
    if (seconds > 0 && seconds <= most) {
      return Math.max(1, Math.round(seconds * 1000));
    }
    throw new RangeError(
      `Cannot run code for ${seconds} seconds: timeoutSeconds must be above 0 and at most ${most} (maxTimeoutSeconds)`,
    );
  }
}

function refuseLong(name: string, text: string, bytes: number): void {
  if (fitsEncoded(text, bytes)) return;
  throw new RangeError(
    `Cannot run the code: its ${name} of ${text.length} characters are more than ${bytes} bytes as JSON. Put data in files.`,
  );
}
