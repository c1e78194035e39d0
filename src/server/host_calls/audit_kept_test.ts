import { assertEquals } from "../../../deps/assert.ts";
import type { Json } from "../../protocol/run_result.ts";
import { auditKept } from "./audit_kept.ts";
import { hostCall } from "./host_call.ts";

/** The lines of a call with these arguments and this answer. */
async function linesOf(name: string, args: unknown, answer: Json) {
  const lines: unknown[] = [];
  const call = auditKept(
    hostCall({ name, parse: () => null, answer: () => answer }),
  );
  const codeMode = {
    ...{ servers: [], owner: "ada" },
    audit: (...line: unknown[]) => void lines.push(line),
    approve: () => Promise.resolve("unable" as const),
  };
  const { signal } = new AbortController();
  assertEquals(await call.perform(args, { run: { codeMode }, signal }), answer);
  assertEquals(await call.perform(args, { run: {}, signal }), answer);
  return lines;
}

const FACTS = { key: "k", bytes: 8, created: 0, updated: 0, revision: "1" };

Deno.test("auditKept() has a line for what is kept or deleted, with its size and without its value", async () => {
  const kept = (space: string, action: string, more: object = {}) => [
    ["kept", { space, action, key: "k", ...more }],
  ];
  const cases: [string, object, Json, unknown][] = [
    [
      "save_function",
      { name: "k", source: "é" },
      {},
      kept("tools", "save", { bytes: 2 }),
    ],
    [
      "save_function",
      { name: "k", source: null },
      { existed: true },
      kept("tools", "delete"),
    ],
    [
      "memory",
      { action: "save", key: "k", value: "a secret" },
      FACTS,
      kept("memory", "save", { bytes: 8 }),
    ],
    [
      "memory",
      { action: "delete", key: "k" },
      { existed: true },
      kept("memory", "delete"),
    ],
    [
      "artifact",
      { action: "commit", draft: "d" },
      FACTS,
      kept("artifacts", "save", { bytes: 8 }),
    ],
    [
      "artifact",
      { action: "delete", name: "k" },
      { existed: true },
      kept("artifacts", "delete"),
    ],
  ];
  for (const [name, args, answer, lines] of cases) {
    assertEquals(await linesOf(name, args, answer), lines, name);
  }
});

Deno.test("auditKept() has no line for what changes nothing", async () => {
  const cases: [string, object, Json][] = [
    ["save_function", { name: "k", source: null }, { existed: false }],
    ["memory", { action: "save", key: "k", value: "1" }, { conflict: true }],
    ["memory", { action: "delete", key: "k" }, { existed: false }],
    ["memory", { action: "load", key: "k" }, { found: true, value: "1" }],
    ["memory", { action: "info", key: "k" }, { found: true, facts: FACTS }],
    ["artifact", { action: "begin", name: "k", size: 1 }, { draft: "d" }],
    ["artifact", { action: "list" }, { facts: [FACTS] }],
    ["mcp_manual", {}, FACTS],
  ];
  for (const [name, args, answer] of cases) {
    assertEquals(await linesOf(name, args, answer), [], name);
  }
});
