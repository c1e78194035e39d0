import type { Output } from "../../../protocol/run_messages.ts";
import type { FromWorker } from "../worker_messages.ts";
import type { Post } from "./backlog.ts";

/** The most characters that are kept for the next run; a piece counts as some. */
const MOST_KEPT = 1 << 16;
const PIECE = 100;

const BEGINS = "[between runs]\n";
const ENDS = "[this run]\n";

/**
 * Keeps the messages of a session's tasks from the host between two runs, as the
 * host takes messages of a run only: output waits for the next run, up to a bound,
 * and pictures and notifications are dropped.
 */
export function keepBetweenRuns(post: Post) {
  let isRunning = false;
  let kept: Output[] = [];
  let room = MOST_KEPT;
  const leftOut = { characters: 0, pictures: 0 };

  const keep = ({ type, stream, text }: Output) => {
    const last = kept.at(-1);
    const isMore = last?.stream === stream;
    if (!isMore) room -= PIECE;
    const head = text.slice(0, Math.max(room, 0));
    room -= head.length;
    leftOut.characters += text.length - head.length;
    if (isMore) last.text += head;
    else if (head !== "") kept.push({ type, stream, text: head });
  };
  const notes = () =>
    Object.entries(leftOut).filter(([, count]) => count > 0).map(
      ([kind, count]) => `[left out: ${count} more ${kind}]\n`,
    );
  return {
    isRunning: () => isRunning,
    post(message: FromWorker, transfer?: Transferable[]): void {
      if (isRunning) post(message, transfer);
      else if (message.type === "output") keep(message);
      else if (message.type === "display") leftOut.pictures++;
    },
    /** Begins a run: its output starts with the output that was kept, marked. */
    begin(): void {
      if (isRunning) return;
      isRunning = true;
      const texts = notes();
      if (kept.length + texts.length === 0) return;
      const note = (text: string) =>
        post({ type: "output", stream: "stderr", text });
      note(BEGINS);
      for (const output of kept) post(output);
      const isWhole = kept.at(-1)?.text.endsWith("\n") ?? true;
      note(`${isWhole ? "" : "\n"}${texts.join("")}${ENDS}`);
      kept = [];
    },
    end(): void {
      isRunning = false;
      room = MOST_KEPT;
      Object.assign(leftOut, { characters: 0, pictures: 0 });
    },
  };
}
