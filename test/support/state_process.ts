import { connectState } from "../../src/launcher/store_process.ts";
import { spawn } from "../../src/launcher/spawn.ts";
import { decodeFrame, encodeFrame } from "../../src/protocol/frames.ts";
import {
  STATE_BOUNDS,
  type StateBounds,
} from "../../src/protocol/keeper_messages.ts";
import {
  decodeFromState,
  type FromState,
} from "../../src/protocol/keeper_messages.ts";
import { type AskState, Keeper } from "../../src/server/keeper.ts";

/** A state process, and the broker's way to it. */
export interface TestState extends AsyncDisposable {
  ask: AskState;
  kept: Keeper;
  /** The processes that were started, the last one last. */
  processes: Deno.ChildProcess[];
}

/** Connects the real process with its real permissions, for a folder. */
export function startState(
  folder: string,
  { bounds = STATE_BOUNDS, answerMs }: {
    bounds?: StateBounds;
    answerMs?: number;
  } = {},
): TestState {
  const open = new Map<number, (answer: FromState) => void>();
  const processes: Deno.ChildProcess[] = [];
  const state = connectState(() => {
    const process = spawn("state", {
      places: { ...NO_PLACES, state: [folder] },
      argument: { folder, bounds },
      logs: true,
    });
    processes.push(process);
    return process;
  }, (line) => {
    const { id, payload } = decodeFrame(line.subarray(0, -1));
    open.get(id)?.(decodeFromState(new TextDecoder().decode(payload)));
    open.delete(id);
    return Promise.resolve(true);
  });
  let last = 0;
  const ask: AskState = (request) => {
    const id = ++last;
    const frame = decodeFrame(
      encodeFrame("state", id, request).subarray(0, -1),
    );
    return new Promise((resolve) => {
      open.set(id, resolve);
      state.send(frame);
    });
  };
  return {
    ...{ ask, processes, kept: new Keeper(ask, answerMs) },
    [Symbol.asyncDispose]: () => state.close(),
  };
}

const NO_PLACES = {
  ...{ cache: [], environment: [], pyodide: [], program: [], sources: [] },
};
