import { assertEquals } from "../../../deps/assert.ts";
import { hostCall } from "../host_calls/host_call.ts";
import { auditingKept } from "./audited_kept.ts";
import type { Kept } from "./kept.ts";

const TIMES = { created: 0, updated: 0, revision: "1" };

function openKept(): Kept {
  const values = new Map<string, string>();
  return {
    list: () => Promise.resolve([]),
    get: () => Promise.resolve(undefined),
    put(_space, _owner, key, { text, ifRevision }) {
      if (ifRevision !== undefined) return Promise.resolve(undefined);
      values.set(key, text);
      return Promise.resolve({ key, bytes: text.length, ...TIMES });
    },
    delete: (_space, _owner, key) => Promise.resolve(values.delete(key)),
  };
}

Deno.test("auditingKept() has a line for each value that is written or deleted, and none for others", async () => {
  const call = auditingKept(openKept(), (kept) =>
    hostCall({
      name: "keep",
      parse: () => null,
      async answer() {
        await kept.put("memory", "ada", "k", { text: "a secret" });
        await kept.put("memory", "ada", "k", { text: "", ifRevision: "0" });
        await kept.delete("memory", "ada", "k");
        await kept.delete("memory", "ada", "k");
        return await kept.list("memory", "ada").then(({ length }) => length);
      },
    }));
  const lines: unknown[] = [];
  const { signal } = new AbortController();
  const codeMode = {
    ...{ servers: [], owner: "ada" },
    audit: (...line: unknown[]) => void lines.push(line),
    approve: () => Promise.resolve("unable" as const),
  };
  assertEquals(call.name, "keep");
  assertEquals(await call.perform(null, { run: { codeMode }, signal }), 0);
  assertEquals(lines, [
    ["kept", { space: "memory", action: "save", key: "k", bytes: 8 }],
    ["kept", { space: "memory", action: "delete", key: "k" }],
  ]);
  assertEquals(await call.perform(null, { run: {}, signal }), 0);
  assertEquals(lines.length, 2);
});
