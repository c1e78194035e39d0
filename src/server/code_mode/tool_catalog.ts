import { parseFromBridge } from "../../protocol/bridge_messages.ts";
import type {
  DownstreamTool,
  ListedServer,
} from "../../protocol/downstream.ts";
import { fields } from "../../protocol/fields.ts";
import type { ToolList } from "./downstream_server.ts";
import type { Kept } from "../keeper.ts";

// The tools of servers, as an earlier start of this program has seen them. They are
// words of downstream servers, and of a file: they are read as carefully.

/** Undefined if they are not kept, or cannot be read. */
export async function loadTools(
  kept: Pick<Kept, "get"> | undefined,
  { fingerprint }: ListedServer,
): Promise<readonly DownstreamTool[] | undefined> {
  try {
    const found = await kept?.get("catalog", "", fingerprint);
    if (!found) return undefined;
    const list = fields(JSON.parse(found.text));
    const read = parseFromBridge({ ...list, type: "tools", id: 0 });
    return read?.type === "tools" ? read.tools : undefined;
  } catch {
    return undefined;
  }
}

/** Keeps them if that is possible: a search can do without. */
export async function saveTools(
  kept: Pick<Kept, "put"> | undefined,
  { fingerprint }: ListedServer,
  list: ToolList,
): Promise<void> {
  try {
    const text = JSON.stringify(list);
    await kept?.put("catalog", "", fingerprint, { text });
  } catch {
    // It is too large, or there are too many.
  }
}
