import type { Facts, Space } from "../../protocol/keeper_messages.ts";
import type { CodeModeRun } from "./code_mode_run.ts";
import type { Kept } from "../keeper.ts";

/** What outlives sessions, for a run: the audit has a line for each change. */
export function auditKept(
  kept: Kept,
  { audit }: Pick<CodeModeRun, "audit">,
): Kept {
  const noteSaved = (space: Space, { key, bytes }: Facts) =>
    audit("kept", { space, action: "save", key, bytes });
  return {
    list: (...place) => kept.list(...place),
    get: (...place) => kept.get(...place),
    info: (...place) => kept.info(...place),
    read: (...piece) => kept.read(...piece),
    async put(space, ...value) {
      const facts = await kept.put(space, ...value);
      if (facts) noteSaved(space, facts);
      return facts;
    },
    async delete(space, owner, key) {
      const existed = await kept.delete(space, owner, key);
      if (existed) audit("kept", { space, action: "delete", key });
      return existed;
    },
    async begin(space, ...value) {
      const draft = await kept.begin(space, ...value);
      return {
        append: (bytes) => draft.append(bytes),
        abort: () => draft.abort(),
        async commit() {
          const done = await draft.commit();
          noteSaved(space, done.facts);
          return done;
        },
      };
    },
  };
}
