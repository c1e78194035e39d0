import { FROM_BRIDGE_LINE } from "../../protocol/bounds.ts";
import { encodeFrame } from "../../protocol/frames.ts";
import { Lead } from "../../protocol/lead.ts";
import { concat, NEWLINE, readLines } from "../../protocol/lines.ts";
import { lineWriter } from "../line_writer.ts";
import { kill } from "../kill.ts";
import { howEnded } from "../spawn.ts";
import type { StartedBridge } from "./start_bridge.ts";

type ToServer = (line: Uint8Array<ArrayBuffer>) => Promise<boolean>;

/** The broker's way to a bridge. */
export interface BridgeProcess {
  send(payload: Uint8Array): void;
  /** Has the bridge end its downstream server, and itself; ends both if it is late. */
  kill(): void;
  ended: Promise<void>;
}

/** Time for a bridge to end: longer than it waits for its downstream server. */
const LEAVE_MS = 6000;

/** Connects a bridge to the server, once it has its entry: that is for it alone. */
export function connectBridge(
  id: number,
  { process, open }: StartedBridge,
  toServer: ToServer,
): BridgeProcess {
  const toProcess = lineWriter(process.stdin);
  toProcess(concat([new TextEncoder().encode(JSON.stringify(open)), NEWLINE]));
  const lead = new Lead();
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    send: (payload) => void toProcess(concat([payload, NEWLINE])),
    kill() {
      if (timer !== undefined) return;
      toProcess.close();
      timer = setTimeout(() => killGroup(process), LEAVE_MS);
      Deno.unrefTimer(timer);
    },
    ended: follow().finally(() => {
      clearTimeout(timer);
      toProcess.close();
    }),
  };

  async function follow(): Promise<void> {
    try {
      for await (const line of readLines(process.stdout, FROM_BRIDGE_LINE)) {
        const frame = encodeFrame("from", id, line);
        await lead.take(frame.length, toServer(frame));
      }
    } catch {
      // A line over the limit.
    }
    toProcess.close();
    const late = setTimeout(() => killGroup(process), LEAVE_MS);
    const how = howEnded(await process.status);
    clearTimeout(late);
    await toServer(encodeFrame("ended", id, `its bridge has ended (${how})`));
  }
}

/** Ends the bridge, its downstream server, and all that this has started. */
function killGroup(process: Deno.ChildProcess): void {
  try {
    if (Deno.build.os !== "windows") Deno.kill(-process.pid, "SIGKILL");
  } catch {
    // The group has ended already.
  }
  kill(process);
}
