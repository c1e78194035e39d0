import { decodeFrame, encodeFrame, type Frame } from "../protocol/frames.ts";
import { readLines } from "../protocol/lines.ts";
import { type FromStore, STORE_LINE } from "../protocol/store_messages.ts";
import { kill } from "./kill.ts";
import { lineWriter } from "./line_writer.ts";
import { howEnded } from "./spawn.ts";

type ToServer = (line: Uint8Array<ArrayBuffer>) => Promise<boolean>;

/** The broker's way to the store of sessions. */
export interface StoreProcess {
  /** Passes a request on; its process starts with the first. */
  send(frame: Frame): void;
  /** Lets the process end what it does. */
  close(): Promise<void>;
}

/**
 * Connects the store to the server. Each request is answered once: by the store, or
 * here if the store has ended or does not start; the next request starts it anew.
 */
export function connectStore(
  start: () => Deno.ChildProcess,
  toServer: ToServer,
): StoreProcess {
  let current: StoreProcess | undefined;
  return {
    send(frame) {
      try {
        current ??= run(start(), toServer, () => current = undefined);
        current.send(frame);
      } catch (error) {
        toServer(refusal(frame.id, `the store does not start: ${error}`));
      }
    },
    async close() {
      await current?.close();
    },
  };
}

function run(
  process: Deno.ChildProcess,
  toServer: ToServer,
  onEnd: () => void,
): StoreProcess {
  const toProcess = lineWriter(process.stdin);
  const open = new Set<number>();
  const ended = follow();
  return {
    send({ id, payload }) {
      open.add(id);
      toProcess(encodeFrame("store", id, payload));
    },
    async close() {
      toProcess.close();
      await ended;
    },
  };

  async function follow(): Promise<void> {
    try {
      for await (const line of readLines(process.stdout, STORE_LINE)) {
        const { id, payload } = decodeFrame(line);
        open.delete(id);
        await toServer(encodeFrame("stored", id, payload));
      }
    } catch {
      // A line outside the protocol.
    }
    kill(process);
    onEnd();
    const reason = `the store has ended (${howEnded(await process.status)})`;
    for (const id of open) await toServer(refusal(id, reason));
    await toProcess.close();
  }
}

function refusal(id: number, reason: string): Uint8Array<ArrayBuffer> {
  const answer: FromStore = { type: "ended", reason };
  return encodeFrame("stored", id, answer);
}
