import { FileReceiver, toPieces } from "../../protocol/run_files.ts";
import type { RunRequest } from "../../protocol/run_messages.ts";
import type { RunResult } from "../../protocol/run_result.ts";
import type { ServerSettings } from "../../protocol/server_settings.ts";
import { fitResult } from "../../results/fit_result.ts";
import type { BrokerLine } from "../broker_line.ts";
import type { RunOptions } from "../pool/pool.ts";
import type { ScriptPools } from "../pool/script_pools.ts";
import { RunLog } from "../run_log.ts";

interface LibraryCall {
  files: FileReceiver;
  cancel: AbortController;
}

/** Serves the calls of the launcher's own process. */
export async function serveLibrary(
  broker: BrokerLine,
  pools: Pick<ScriptPools, "find">,
  settings: ServerSettings,
): Promise<never> {
  const { isShell, maxOutput = Infinity } = settings;
  const client = { name: isShell ? "shell" : "library" };
  const runs = new RunLog(broker.log, settings);
  const calls = new Map<number, LibraryCall>();
  while (true) {
    const { id, message } = await broker.calls.next();
    if (message.type === "cancel") {
      // Its result may have gone out meanwhile.
      calls.get(id)?.cancel.abort();
      continue;
    }
    const call = calls.get(id) ?? {
      files: new FileReceiver(),
      cancel: new AbortController(),
    };
    calls.set(id, call);
    if (message.type === "file") call.files.take(message);
    else {
      serve(id, message.request, call).finally(() => calls.delete(id))
        .catch((error) => broker.fail(error));
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
    { files, cancel, onEnd }: LibraryCall & Pick<RunOptions, "onEnd">,
  ): Promise<RunResult> {
    // The environment of a shell has all that its script asks for.
    const pool = await pools.find(isShell ? "" : request.code);
    if (!("run" in pool)) return pool;
    return await pool.run(request, {
      ...{ signal: cancel.signal, onEnd },
      ...(isShell ? {} : { files: files.files }),
      onOutput: (stream, text) =>
        void broker.reply(id, { type: "output", stream, text }),
      onProgress: (progress) =>
        void broker.reply(id, { type: "progress", progress }),
    });
  }
}
