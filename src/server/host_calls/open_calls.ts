import type { CodeModeRun } from "../code_mode/code_mode_run.ts";
import { Turns } from "../code_mode/turns.ts";
import type { ToolCall } from "./tool_call.ts";

/** Calls that a run, and a server, may have under way; others wait for a turn. */
export const MOST_OPEN = { run: 16, server: 32 };

/** The calls that are under way to downstream servers. */
export class OpenCalls {
  #runs = new WeakMap<CodeModeRun, Turns>();
  /** By name; they are names of servers that are configured. */
  #servers = new Map<string, Turns>();

  /** Waits for a turn of the run, then of the server. */
  async enter(
    { server }: Pick<ToolCall, "server">,
    run: CodeModeRun,
    signal: AbortSignal,
  ): Promise<Disposable> {
    const ofRun = this.#runs.get(run) ?? new Turns(MOST_OPEN.run);
    this.#runs.set(run, ofRun);
    const ofServer = this.#servers.get(server) ?? new Turns(MOST_OPEN.server);
    this.#servers.set(server, ofServer);
    using turns = new DisposableStack();
    turns.use(await ofRun.take(signal));
    turns.use(await ofServer.take(signal));
    return turns.move();
  }
}
