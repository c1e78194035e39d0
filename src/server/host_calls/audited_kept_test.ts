import { assertEquals } from "../../../deps/assert.ts";
import type { Facts } from "../../protocol/keeper_messages.ts";
import type { Kept } from "../keeper.ts";
import { auditKept } from "./kept_calls.ts";

function openKept(): Kept {
  const values = new Set<string>();
  const toFacts = (key: string, bytes: number): Facts => {
    values.add(key);
    return { key, bytes, created: 0, updated: 0, revision: "1" };
  };
  return {
    list: () => Promise.resolve([]),
    get: () => Promise.resolve(undefined),
    info: () => Promise.resolve(undefined),
    read: () => Promise.resolve(undefined),
    put: (_space, _owner, key, { text, ifRevision }) =>
      Promise.resolve(
        ifRevision === undefined ? toFacts(key, text.length) : undefined,
      ),
    delete: (_space, _owner, key) => Promise.resolve(values.delete(key)),
    begin: (_space, _owner, key, { size = 0 }) =>
      Promise.resolve({
        append: () => Promise.resolve(),
        commit: () =>
          Promise.resolve({ facts: toFacts(key, size), dropped: [] }),
        abort: () => Promise.resolve(),
      }),
  };
}

Deno.test("auditKept() has a line for each value that is written or deleted, and none for others", async () => {
  const lines: unknown[] = [];
  const kept = auditKept(openKept(), {
    audit: (...line) => void lines.push(line),
  });
  await kept.put("memory", "ada", "k", { text: "a secret" });
  await kept.put("memory", "ada", "k", { text: "", ifRevision: "0" });
  await kept.delete("memory", "ada", "k");
  await kept.delete("memory", "ada", "k");
  await kept.list("memory", "ada");
  const left = await kept.begin("artifacts", "ada", "left", { size: 1 });
  await left.abort();
  const draft = await kept.begin("artifacts", "ada", "a.bin", { size: 3 });
  await draft.append(new Uint8Array(3));
  await draft.commit();
  assertEquals(lines, [
    ["kept", { space: "memory", action: "save", key: "k", bytes: 8 }],
    ["kept", { space: "memory", action: "delete", key: "k" }],
    ["kept", { space: "artifacts", action: "save", key: "a.bin", bytes: 3 }],
  ]);
});
