import { EXIT } from "../../errors.ts";
import { log, printable } from "../../log.ts";
import type { ServerEntry } from "../../protocol/downstream.ts";
import type { DownstreamTools, NamedTools } from "../downstream_tools.ts";
import { toTable } from "../table.ts";
import { askEach } from "./each_server.ts";

/** Tools that a search shows. */
const MOST_SHOWN = 20;
const WIDTH = 100;

/** Ranks the tools of all servers that answer; 1 if none does. */
export async function searchTools(
  query: string,
  entries: readonly ServerEntry[],
  { tell, ...tools }: DownstreamTools & { tell: (lines: string[]) => void },
): Promise<number> {
  const asked = await askEach(entries, tools);
  const known = asked.flatMap((one): NamedTools[] => {
    if ("told" in one) return [{ name: one.entry.name, ...one.told }];
    const [reason] = one.failure.split("\n");
    log(printable(`warning: ${one.entry.name} is left out: ${reason}`));
    return [];
  });
  if (known.length === 0) return EXIT.failure;
  const found = await tools.search(query, known, MOST_SHOWN);
  tell(
    found.length === 0 ? [`no tool has to do with "${query}"`] : toTable(
      found.map(({ server, tool: { name, title, description } }) => [
        `${server}.${name}`,
        (description ?? title ?? "").trim().split("\n")[0] ?? "",
      ]),
      WIDTH,
    ),
  );
  return EXIT.ok;
}
