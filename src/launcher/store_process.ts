import { messageOf } from "../errors.ts";
import { decodeFrame, encodeFrame, type Frame } from "../protocol/frames.ts";
import { readLines } from "../protocol/lines.ts";
import { STATE_LINE } from "../protocol/keeper_messages.ts";
import { STORE_LINE } from "../protocol/keeper_messages.ts";
import { kill } from "./kill.ts";
import { lineWriter } from "./line_writer.ts";
import { howEnded } from "./spawn.ts";

type ToServer = (line: Uint8Array<ArrayBuffer>) => Promise<boolean>;

/** The broker's way to a process that answers the server. */
export interface StoreProcess {
  /** Passes a request on; its process starts with the first. */
  send(frame: Frame): void;
  /** Lets the process end what it does. */
  close(): Promise<void>;
}

/** A process that answers the server, by its words. */
interface Answering {
  /** The process, in a sentence. */
  name: string;
  request: "store" | "state";
  answer: "stored" | "kept";
  /** Bytes of a line. */
  longest: number;
}

const STORE: Answering = {
  ...{ name: "the store", request: "store", answer: "stored" },
  longest: STORE_LINE,
};
const STATE: Answering = {
  ...{ name: "the state process", request: "state", answer: "kept" },
  longest: STATE_LINE,
};

/** Connects the store of sessions to the server. */
export function connectStore(
  start: () => Deno.ChildProcess,
  toServer: ToServer,
): StoreProcess {
  return connect(STORE, start, toServer);
}

/** Connects the process that keeps what outlives sessions to the server. */
export function connectState(
  start: () => Deno.ChildProcess,
  toServer: ToServer,
): StoreProcess {
  return connect(STATE, start, toServer);
}

/**
 * Each request is answered once: by the process, or here if the process has ended or
 * does not start; the next request starts it anew.
 */
function connect(
  words: Answering,
  start: () => Deno.ChildProcess,
  toServer: ToServer,
): StoreProcess {
  let current: StoreProcess | undefined;
  return {
    send(frame) {
      try {
        current ??= run(words, start(), toServer, () => current = undefined);
        current.send(frame);
      } catch (error) {
        const reason = `${words.name} does not start: ${messageOf(error)}`;
        toServer(refusal(words, frame.id, reason));
      }
    },
    async close() {
      await current?.close();
    },
  };
}

function run(
  words: Answering,
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
      toProcess(encodeFrame(words.request, id, payload));
    },
    async close() {
      toProcess.close();
      await ended;
    },
  };

  async function follow(): Promise<void> {
    try {
      for await (const line of readLines(process.stdout, words.longest)) {
        const { id, payload } = decodeFrame(line);
        open.delete(id);
        await toServer(encodeFrame(words.answer, id, payload));
      }
    } catch {
      // A line outside the protocol.
    }
    kill(process);
    onEnd();
    const reason = `${words.name} has ended (${
      howEnded(await process.status)
    })`;
    for (const id of open) await toServer(refusal(words, id, reason));
    await toProcess.close();
  }
}

function refusal(
  { answer }: Answering,
  id: number,
  reason: string,
): Uint8Array<ArrayBuffer> {
  return encodeFrame(answer, id, { type: "ended", reason });
}
