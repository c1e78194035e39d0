import { keeperKind } from "../../src/launcher/kinds.ts";
import { spawn } from "../../src/launcher/spawn.ts";
import { parseTrusted } from "../../src/protocol/channel.ts";
import {
  type FromKeeper,
  type KeeperBounds,
  STATE_BOUNDS,
  type ToKeeper,
} from "../../src/protocol/keeper_messages.ts";
import type { Answered, Asked } from "../../src/protocol/requests.ts";
import { Keeper } from "../../src/server/keeper.ts";
import { openChannel } from "./open_channel.ts";

/** A keeper's process, and the server's way to it. */
export interface TestState extends AsyncDisposable {
  kept: Keeper;
  /** The processes that were started, the last one last. */
  processes: Deno.ChildProcess[];
}

/** Connects the real process with its real permissions, for a folder. */
export function startState(
  folder: string,
  bounds: KeeperBounds = STATE_BOUNDS,
): TestState {
  const processes: Deno.ChildProcess[] = [];
  const kind = keeperKind({
    state() {
      const process = spawn("keeper", {
        places: { ...NO_PLACES, kept: [folder] },
        argument: { folder, bounds },
        logs: true,
      });
      processes.push(process);
      return process;
    },
  });
  const parse = parseTrusted<Answered<FromKeeper>>;
  const channels: ReturnType<typeof open>[] = [];
  const open = () =>
    openChannel<Asked<ToKeeper>, Answered<FromKeeper>>(
      ...[kind, { folder: "state" }, parse] as const,
    );
  const kept = new Keeper(() => {
    const channel = open();
    channels.push(channel);
    return channel;
  }, { what: "the keeper", answerMs: 30_000 });
  return {
    ...{ kept, processes },
    async [Symbol.asyncDispose]() {
      for (const channel of channels) {
        channel.kill();
        await channel.ended;
      }
    },
  };
}

const NO_PLACES = {
  ...{ cache: [], environment: [], runtime: [], program: [], sources: [] },
};
