import type { Output } from "../../../protocol/run_messages.ts";
import type { FromWorker } from "../../shared/from_worker.ts";
import type { Post } from "../../shared/backlog.ts";

/** The most characters that are kept for the next run. */
const MOST_KEPT = 1 << 16;
/** Characters that each change of the stream counts as. */
const PIECE = 100;

/**
 * Keeps the messages of a session's tasks from the host between two runs, as the
 * host takes the messages of runs only: output waits for the next run, up to a
 * bound; pictures and notifications are dropped.
 */
export function keepBetweenRuns(post: Post) {
  /** Undefined during a run. */
  let kept: Kept | undefined = keepNothing();
  return {
    isRunning: () => kept === undefined,
    post(message: FromWorker, transfer?: Transferable[]): void {
      if (!kept) post(message, transfer);
      else if (message.type === "output") keep(message, kept);
      else if (message.type === "display") kept.pictures++;
    },
    /** Begins a run; its output starts with the output that was kept, marked. */
    begin(): void {
      const before = kept;
      kept = undefined;
      for (const output of before ? marked(before) : []) post(output);
    },
    end(): void {
      kept = keepNothing();
    },
    /** The kept text, which Python may be able to reach. */
    save: () => JSON.stringify(kept ? [...kept.output, ...notes(kept)] : []),
    restore(text: unknown): void {
      const again = keepNothing();
      for (const { stream, text: part } of JSON.parse(`${text}`)) {
        const to = stream === "stderr" ? "stderr" : "stdout";
        keep({ type: "output", stream: to, text: `${part}` }, again);
      }
      kept = again;
    },
  };
}

interface Kept {
  output: Output[];
  /** Characters for which there is room. */
  room: number;
  /** Counts of omitted parts. */
  characters: number;
  pictures: number;
}

const keepNothing = (): Kept => ({
  output: [],
  room: MOST_KEPT,
  characters: 0,
  pictures: 0,
});

function keep({ type, stream, text }: Output, kept: Kept): void {
  const last = kept.output.at(-1);
  const isMore = last?.stream === stream;
  if (!isMore) kept.room -= PIECE;
  const head = text.slice(0, Math.max(kept.room, 0));
  kept.room -= head.length;
  kept.characters += text.length - head.length;
  if (isMore) last.text += head;
  else if (head !== "") kept.output.push({ type, stream, text: head });
}

function marked(kept: Kept): Output[] {
  const lines = [...kept.output, ...notes(kept)];
  if (lines.length === 0) return [];
  const isWhole = lines.at(-1)?.text.endsWith("\n");
  return [
    note("[between runs]\n"),
    ...lines,
    note(`${isWhole ? "" : "\n"}[this run]\n`),
  ];
}

function notes({ output, characters, pictures }: Kept): Output[] {
  const leftOut = Object.entries({ characters, pictures })
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => `[left out: ${count} ${kind}]\n`).join("");
  if (leftOut === "") return [];
  const isWhole = output.at(-1)?.text.endsWith("\n") ?? true;
  return [note(`${isWhole ? "" : "\n"}${leftOut}`)];
}

const note = (text: string): Output => ({
  type: "output",
  stream: "stderr",
  text,
});
