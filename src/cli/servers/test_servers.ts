import { EXIT } from "../../errors.ts";
import { masksOf } from "../../protocol/masks.ts";
import type { ServerEntry } from "../../protocol/downstream.ts";
import type { DownstreamTools } from "../downstream_tools.ts";
import { toCount } from "../sizes.ts";
import { askEach, type Asked } from "./each_server.ts";

/** Starts each server, and tells how that went; 1 if one fails. */
export async function testServers(
  entries: readonly ServerEntry[],
  tools: Pick<DownstreamTools, "listTools">,
  tell: (lines: string[]) => void,
): Promise<number> {
  const all = await askEach(entries, tools, (asked) => tell(toLines(asked)));
  const failed = all.filter((asked) => "failure" in asked).length;
  const count = toCount(all.length, "server");
  tell([failed === 0 ? `${count} answered` : `${failed} of ${count} failed`]);
  return failed === 0 ? EXIT.ok : EXIT.failure;
}

function toLines(asked: Asked): string[] {
  const { entry, ms } = asked;
  const seconds = `${(ms / 1000).toFixed(1)} s`;
  if ("failure" in asked) {
    const [reason = "", ...rest] = asked.failure.split("\n");
    return [
      `${entry.name}: failed after ${seconds}: ${reason}`,
      ...rest.map((line) => `  ${line}`),
    ];
  }
  const { server: { name, version }, tools } = asked.told;
  const said = [name, version].filter((text) => text !== "").join(" ") ||
    "without a name";
  return [
    `${entry.name}: ${masksOf(entry)(said)}, ${
      toCount(tools.length, "tool")
    }, ${seconds}`,
  ];
}
