import { messageOf } from "../../errors.ts";
import { masksOf } from "../../protocol/masks.ts";
import type { ServerEntry } from "../../protocol/downstream.ts";
import type { ServerTools } from "../../launcher/downstream/ask_tools.ts";
import type { DownstreamTools } from "../downstream_tools.ts";

/** The tools of a server, or the reason why it has not told them. */
export type Asked =
  & { entry: ServerEntry; ms: number }
  & ({ told: ServerTools } | { failure: string });

/** Servers that are started at a time. */
const MOST_STARTS = 4;

/** Asks servers for their tools; one that fails stops no other. */
export async function askEach(
  entries: readonly ServerEntry[],
  { listTools }: Pick<DownstreamTools, "listTools">,
  onAsked: (asked: Asked) => void = () => {},
): Promise<Asked[]> {
  const waiting = [...entries.entries()];
  const all: Asked[] = [];
  const work = async () => {
    for (let next; (next = waiting.shift());) {
      const [at, entry] = next;
      const asked = await ask(entry, listTools);
      all[at] = asked;
      onAsked(asked);
    }
  };
  await Promise.all(Array.from({ length: MOST_STARTS }, work));
  return all;
}

async function ask(
  entry: ServerEntry,
  listTools: DownstreamTools["listTools"],
): Promise<Asked> {
  const started = performance.now();
  const since = () => performance.now() - started;
  try {
    const told = await listTools(entry);
    return { entry, ms: since(), told };
  } catch (error) {
    const failure = masksOf(entry)(messageOf(error));
    return { entry, ms: since(), failure };
  }
}
