import type { ToOwnCall } from "../../protocol/own_calls.ts";
import {
  FileReceiver,
  toFileBounds,
  toPieces,
} from "../../protocol/run_files.ts";
import type { RunRequest } from "../../protocol/run_messages.ts";
import type { RunResult } from "../../protocol/run_result.ts";
import type { ServerSettings } from "../../protocol/server_settings.ts";
import type { BrokerLine } from "../broker_line.ts";
import type { ScriptPools } from "../pool/script_pools.ts";
import { toCallLimits, toImageLimits } from "../run_bounds.ts";

type Run = Extract<ToOwnCall, { type: "run" }>;

/** One call, from its first file to its result. */
interface OwnCall {
  files: FileReceiver;
  cancel: AbortController;
}

/** Serves the calls of the launcher's own process, as long as that is there. */
export async function serveOwnCalls(
  broker: BrokerLine,
  pools: Pick<ScriptPools, "find" | "own">,
  settings: ServerSettings,
): Promise<never> {
  const calls = new Map<number, OwnCall>();
  while (true) {
    const { id, message } = await broker.calls.next();
    const call = calls.get(id) ?? {
      files: new FileReceiver({ bytes: Infinity, count: Infinity }),
      cancel: new AbortController(),
    };
    calls.set(id, call);
    if (message.type === "file") call.files.take(message);
    else if (message.type === "cancel") call.cancel.abort();
    else {
      serve(id, message, call).finally(() => calls.delete(id))
        .catch((error) => broker.fail(error));
    }
  }

  async function serve(id: number, run: Run, call: OwnCall): Promise<void> {
    const { written = [], ...result } = await runIn(id, run, call);
    for (const file of written) {
      for (const piece of toPieces(file)) await broker.reply(id, piece);
    }
    await broker.reply(id, { type: "result", result });
  }

  async function runIn(
    id: number,
    run: Run,
    { files, cancel }: OwnCall,
  ): Promise<RunResult> {
    // What a script of the shell asks for is in the server's own environment.
    const pool = run.isShell ? pools.own : await pools.find(run.code);
    if (!("run" in pool)) return pool;
    return await pool.run(toRequest(run, settings), {
      signal: cancel.signal,
      ...(run.isShell ? {} : {
        files: { put: files.files, bounds: toFileBounds(settings) },
      }),
      onOutput: (stream, text) =>
        void broker.reply(id, { type: "output", stream, text }),
      onProgress: (progress) =>
        void broker.reply(id, { type: "progress", progress }),
    });
  }
}

function toRequest(
  { code, globals, timeoutMs, isShell }: Run,
  settings: ServerSettings,
): RunRequest {
  return {
    ...{ code, globals, timeoutMs },
    maxOutput: isShell ? null : settings.maxOutput,
    installable: settings.allowInstall,
    hostCalls: toCallLimits(settings),
    images: toImageLimits(settings),
    variables: settings.variables,
  };
}
