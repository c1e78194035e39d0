import { FileReceiver, toPieces } from "../../protocol/run_files.ts";
import { HostCallError } from "../host_calls/host_call.ts";
import type { Answer, RunRequest } from "../../protocol/run_messages.ts";
import type { Json, RunResult } from "../../protocol/run_result.ts";
import type { ServerSettings } from "../../protocol/server_settings.ts";
import { fitResult } from "../../results/fit_result.ts";
import type { BrokerLine } from "../broker_line.ts";
import type { RunOptions } from "../pool/pool.ts";
import type { ScriptPools } from "../pool/script_pools.ts";
import { RunLog } from "../run_log.ts";

interface LibraryCall {
  files: FileReceiver;
  cancel: AbortController;
  interrupt: AbortController;
  /** Calls of the code that wait for the shell. */
  asked: Map<number, PromiseWithResolvers<Json>>;
}

/** Serves the calls of the launcher's own process, until it wants no more. */
export async function serveLibrary(
  broker: BrokerLine,
  pools: Pick<ScriptPools, "find">,
  settings: ServerSettings,
): Promise<void> {
  const { shell, maxOutput = Infinity } = settings;
  const client = { name: shell ? "shell" : "library" };
  const runs = new RunLog(broker.log, settings);
  const calls = new Map<number, LibraryCall>();
  let asks = 0;
  return await Promise.race([broker.eof, takeCalls()]);

  async function takeCalls(): Promise<never> {
    while (true) {
      const { id, message } = await broker.calls.next();
      if (message.type === "cancel") {
        // Its result may have gone out meanwhile.
        calls.get(id)?.cancel.abort();
        continue;
      }
      if (message.type === "interrupt") {
        calls.get(id)?.interrupt.abort();
        continue;
      }
      if (message.type === "answer") {
        calls.get(id)?.asked.get(message.id)?.resolve(readAnswer(message));
        continue;
      }
      const call = calls.get(id) ?? {
        files: new FileReceiver(),
        cancel: new AbortController(),
        interrupt: new AbortController(),
        asked: new Map(),
      };
      calls.set(id, call);
      if (message.type === "file") call.files.take(message);
      else {
        serve(id, message.request, call).finally(() => calls.delete(id))
          .catch((error) => broker.fail(error));
      }
    }
  }

  async function serve(id: number, request: RunRequest, call: LibraryCall) {
    const { written = [], ...whole } = await runs.follow(
      request,
      client,
      (onEnd) => runIn(id, request, { ...call, onEnd }),
    );
    for (const file of written) {
      for (const piece of toPieces(file)) await broker.reply(id, piece);
    }
    const result = fitResult(whole, maxOutput);
    await broker.reply(id, { type: "result", result });
  }

  async function runIn(
    id: number,
    request: RunRequest,
    { files, cancel, interrupt, asked, onEnd }:
      & LibraryCall
      & Pick<RunOptions, "onEnd">,
  ): Promise<RunResult> {
    // The environment of a shell has all that its script asks for.
    const pool = await pools.find(shell ? "" : request.code);
    if (!("run" in pool)) return pool;
    return await pool.run(request, {
      ...{ signal: cancel.signal, interrupt: interrupt.signal, onEnd },
      files: files.files,
      async askShell(name, args) {
        const answer = Promise.withResolvers<Json>();
        const number = ++asks;
        asked.set(number, answer);
        const text = JSON.stringify(args);
        await broker.reply(id, {
          type: "ask",
          id: number,
          name,
          arguments: text,
        });
        return await answer.promise.finally(() => asked.delete(number));
      },
      onOutput: (stream, text) =>
        void broker.reply(id, { type: "output", stream, text }),
      onProgress: (progress) =>
        void broker.reply(id, { type: "progress", progress }),
    });
  }
}

/** @throws {HostCallError} If the launcher has refused the call. */
async function readAnswer({ answer }: Answer): Promise<Json> {
  const { value, error, message } = await JSON.parse(answer);
  if (error) throw new HostCallError(error, message);
  return value;
}
