import { openChannel } from "../../src/launcher/child.ts";
import { keeperKind } from "../../src/launcher/kinds.ts";
import { spawn } from "../../src/launcher/spawn.ts";
import { parseTrusted } from "../../src/protocol/channel.ts";
import { LostError, Requests } from "../../src/protocol/requests.ts";
import {
  STATE_BOUNDS,
  type StateBounds,
} from "../../src/protocol/state_bounds.ts";
import { decodeFromState } from "../../src/protocol/state_messages.ts";
import { BrokerKept } from "../../src/server/code_mode/broker_kept.ts";
import type { AskState } from "../../src/server/code_mode/kept.ts";

/** A state process, and the broker's way to it. */
export interface TestState extends AsyncDisposable {
  ask: AskState;
  kept: BrokerKept;
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
  const processes: Deno.ChildProcess[] = [];
  const ends: Promise<unknown>[] = [];
  const kill: (() => void)[] = [];
  const kind = keeperKind({
    state() {
      const process = spawn("state", {
        places: { ...NO_PLACES, state: [folder] },
        argument: { folder, bounds },
        logs: true,
      });
      processes.push(process);
      return process;
    },
  });
  const requests = new Requests<object, object>(() => {
    const channel = openChannel<object, object>(
      ...[kind, { folder: "state" }, parseTrusted] as const,
    );
    ends.push(channel.ended);
    kill.push(channel.kill);
    return channel;
  }, { what: "the state process", most: 8 });
  const ask: AskState = async (request) => {
    try {
      const { answer } = await requests.ask(request);
      return decodeFromState(JSON.stringify(answer));
    } catch (error) {
      if (!(error instanceof LostError)) throw error;
      return { type: "ended", reason: error.message };
    }
  };
  return {
    ...{ ask, processes, kept: new BrokerKept(ask, answerMs) },
    async [Symbol.asyncDispose]() {
      for (const one of kill) one();
      await Promise.all(ends);
    },
  };
}

const NO_PLACES = {
  ...{ cache: [], environment: [], runtime: [], program: [], sources: [] },
};
