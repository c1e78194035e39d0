import { reasonOf } from "../errors.ts";
import { SERVER_LINE } from "../protocol/bounds.ts";
import { readLines } from "../protocol/lines.ts";
import { ProgramClient } from "../protocol/program_client.ts";
import { toAnswer, toRefusal } from "../protocol/run_messages.ts";
import type { Json } from "../protocol/run_result.ts";
import type { Prepared } from "./prepare.ts";
import { serve, type ServeOptions } from "./serve.ts";
import { howEnded } from "./spawn.ts";

/** Python in sandboxes; disposing of it ends all processes that belong to it. */
export interface Python extends AsyncDisposable {
  client: ProgramClient;
}

export type PythonOptions =
  & Pick<ServeOptions, "keptPermissions" | "spawnSandbox">
  & { shell?: ShellSide };

/** This process's side of a run for a shell. */
export interface ShellSide {
  setup: NonNullable<ServeOptions["shell"]>;
  /**
   * Answers a call of the code; its arguments are data of a hostile guest.
   *
   * @throws {TypeError | RangeError} Python's `TypeError` or `ValueError`.
   */
  answer(name: string, args: unknown): Promise<Json>;
}

/** Starts a server in an environment, which is given back at the end. */
export function openPrepared(
  prepared: Prepared,
  { shell, ...options }: PythonOptions = {},
): Python {
  const stop = new AbortController();
  const toServer = new TransformStream<Uint8Array<ArrayBuffer>>();
  const toClient = new TransformStream<Uint8Array<ArrayBuffer>>();
  const writer = toServer.writable.getWriter();
  const client = new ProgramClient(
    (line) =>
      void writer.write(new TextEncoder().encode(`${line}\n`)).catch(() => {}),
    shell && { answer: (name, args) => answerAsk(shell, name, args) },
  );
  const end = (error: Error) => client.end(error);
  const served = serve(prepared, {
    ...options,
    ...(shell ? { shell: shell.setup } : {}),
    isForPrograms: true,
    client: { input: toServer.readable, output: toClient.writable },
    stop: stop.signal,
  }).then(
    (status) =>
      end(new Error(`The server process ended (${howEnded(status)}).`)),
    end,
  );
  read().catch(end);
  return {
    client,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await served;
      prepared[Symbol.dispose]();
    },
  };

  async function read(): Promise<void> {
    for await (const line of readLines(toClient.readable, SERVER_LINE)) {
      await client.take(new TextDecoder().decode(line));
    }
  }
}

/** Python's answer to a call, or its exception. */
async function answerAsk(
  { answer }: ShellSide,
  name: string,
  args: string,
): Promise<string> {
  try {
    return toAnswer(0, await answer(name, JSON.parse(args))).answer;
  } catch (error) {
    // Deno's messages name paths of this machine.
    const [kind, message] = error instanceof RangeError
      ? ["ValueError", error.message] as const
      : error instanceof TypeError
      ? ["TypeError", error.message] as const
      : ["RuntimeError", reasonOf(error)] as const;
    return toRefusal(0, kind, message).answer;
  }
}
