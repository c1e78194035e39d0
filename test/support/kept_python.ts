import { RunClock } from "../../src/protocol/run_clock.ts";
import type { Interpreter } from "../../src/engines/engine.ts";
import {
  type InterpreterFiles,
  startInterpreter,
} from "../../src/engines/pyodide/host.ts";
import type { Ending } from "../../src/protocol/run_messages.ts";
import { CLOSED_SETUP } from "../../src/protocol/run_setup.ts";
import type { CodeModeRun } from "../../src/server/code_mode/code_mode_run.ts";
import { SavedFunctions } from "../../src/server/code_mode/saved_functions.ts";
import { openArtifact } from "../../src/server/host_calls/artifact.ts";
import { openMemory } from "../../src/server/host_calls/memory.ts";
import { RunCalls } from "../../src/server/host_calls/run_calls.ts";
import { openSaveFunction } from "../../src/server/host_calls/save_function.ts";
import type { TestState } from "./state_process.ts";

const LIMITS = { count: 1000, size: 1 << 20, timeoutMs: 60_000 };

/** A session of Python, whose host has the product's own calls and state process. */
export interface KeptPython extends AsyncDisposable {
  /** Runs code with the names of code mode; gives its value. */
  run(code: string): Promise<unknown>;
  /** Runs code; gives the error's last line. */
  fail(code: string): Promise<string>;
  /** The output of the last run. */
  printed(): string;
}

/** Starts an interpreter, as a session of a client. */
export async function startKeptPython(
  files: InterpreterFiles,
  { kept }: TestState,
  { owner = "ada", size = LIMITS.size } = {},
): Promise<KeptPython> {
  const limits = { ...LIMITS, size };
  const setup = { ...CLOSED_SETUP, hostCalls: limits };
  const interpreter = await startInterpreter(files, { setup });
  const saved = new SavedFunctions(kept);
  const asks = [
    openMemory(kept, { maxCall: size }),
    openArtifact(kept, { maxCall: size }),
    openSaveFunction(kept),
  ];
  let output = "";

  async function end(code: string): Promise<Ending> {
    const calls = new RunCalls({ asks, notifications: [] }, limits, {
      ...{ run: { codeMode: toRun(owner) }, clock: new RunClock() },
      send: (answer) => interpreter.answer(answer),
    });
    output = "";
    const start = JSON.stringify(await saved.of(owner));
    const ending = await runAll(interpreter, `${START(start)}\n${code}`);
    calls.close();
    return ending;

    async function runAll(python: Interpreter, all: string): Promise<Ending> {
      const request = { code: all, globals: "{}", timeoutMs: Infinity };
      return await python.run({ request }, (message) => {
        if (message.type === "ask") calls.take(message);
        if (message.type === "output") output += message.text;
        return Promise.resolve();
      });
    }
  }

  return {
    async run(code) {
      const ending = await end(code);
      if (ending.status !== "success") throw new Error(ending.error);
      return JSON.parse(ending.value);
    },
    async fail(code) {
      const ending = await end(code);
      if (ending.status === "success") throw new Error(ending.value);
      return ending.error.trim().split("\n").at(-1) ?? "";
    },
    printed: () => output,
    [Symbol.asyncDispose]: async () => void await interpreter.end(),
  };
}

const START = (saved: string) =>
  `import json as _json
from mcp_runner import mcp_kept as _kept
globals().update(_kept.NAMES, artifacts=_kept.artifacts)
_kept.bind_saved(globals(), _json.loads(${JSON.stringify(saved)}))`;

function toRun(owner: string): CodeModeRun {
  return {
    ...{ servers: [], owner, audit() {} },
    approve: () => Promise.resolve("unable"),
  };
}
