import { CODE_MODE_NAMES } from "../../protocol/code_mode.ts";
import { assert, assertEquals, assertRejects } from "../../../deps/assert.ts";
import type { Facts, Space } from "../../protocol/keeper_messages.ts";
import { Share } from "../../shares.ts";
import { openArtifact } from "./artifact.ts";
import { type HostCall, HostCallError } from "./host_call.ts";
import { toPage } from "./kept_calls.ts";
import { MOST_VALUE, openMemory } from "./memory.ts";
import { MOST_SOURCE, openSaveFunction } from "./save_function.ts";
import type { Kept } from "../keeper.ts";

const FACTS = {
  ...{ key: "k", bytes: 1, created: 1, updated: 2, revision: "r" },
};
const { signal } = new AbortController();

/** Notes what it is asked, and has nothing. */
function openKept() {
  const asked: unknown[][] = [];
  const drafts: string[] = [];
  const note = <T>(answer: T) => (...words: unknown[]) => {
    asked.push(words);
    return Promise.resolve(answer);
  };
  const kept: Kept = {
    list: note<Facts[]>([]),
    get: note(undefined),
    put: note<Facts | undefined>(FACTS),
    delete: note(true),
    info: note<Facts | undefined>(FACTS),
    read: note(undefined),
    begin(_space: Space, owner: string, key: string) {
      return Promise.resolve({
        append: () => Promise.resolve(),
        commit() {
          drafts.push(`${owner} ${key}`);
          return Promise.resolve({ facts: FACTS, dropped: [] });
        },
        abort: () => (drafts.push(`- ${owner} ${key}`), Promise.resolve()),
      });
    },
  };
  return { kept, asked, drafts };
}

function perform(
  call: HostCall,
  data: unknown,
  owner: string | null = "ada",
  wait = signal,
) {
  const codeMode = owner === null ? {} : {
    codeMode: {
      ...{ servers: [], owner, audit() {} },
      approve: () => Promise.resolve("unable" as const),
    },
  };
  return call.perform(data, { run: codeMode, signal: wait });
}

async function assertRefused(call: HostCall, wrong: unknown[]) {
  for (const data of wrong) {
    await assertRejects(
      () => perform(call, data),
      (error) =>
        error instanceof HostCallError &&
        ["TypeError", "ValueError"].includes(error.kind),
    );
  }
}

const OPTIONS = { maxCall: 1 << 20 };

Deno.test("host calls of what is kept are for runs of code mode, each with its owner", async () => {
  const { kept, asked } = openKept();
  const calls: [HostCall, unknown][] = [
    [openMemory(kept, OPTIONS), { action: "delete", key: "k", owner: "eve" }],
    [openArtifact(kept, OPTIONS), { action: "delete", name: "k" }],
    [openSaveFunction(kept), { name: "k", source: null }],
  ];
  for (const [call, data] of calls) {
    assertEquals(await perform(call, data), { existed: true });
    await assertRejects(
      () => perform(call, data, null),
      (error) =>
        error instanceof HostCallError && error.kind === "PermissionError" &&
        /--code-mode/.test(error.message),
    );
  }
  assertEquals(asked, [
    ...[["memory", "ada", "k"], ["artifacts", "ada", "k"]],
    ["tools", "ada", "k"],
  ]);
});

Deno.test("memory keeps the text of JSON, and nothing else", async () => {
  const { kept, asked } = openKept();
  const memory = openMemory(kept, OPTIONS);
  const save = { action: "save", key: "k", value: "123456789012345678901" };
  await perform(memory, { ...save, metadata: null, ifRevision: "" });
  assertEquals(asked, [
    ["memory", "ada", "k", { text: save.value, ifRevision: "" }],
  ]);
  await assertRefused(memory, [
    ...[null, [], "save", {}, { action: "drop", key: "k" }],
    ...[{ ...save, key: "" }, { ...save, key: "x".repeat(257) }],
    ...[{ ...save, key: 1 }, { ...save, key: "\ud800" }],
    ...[{ ...save, value: 1 }, { ...save, value: "{" }, { ...save, value: "" }],
    ...[{ ...save, value: "NaN" }, { ...save, value: undefined }],
    { ...save, value: `"${"x".repeat(MOST_VALUE)}"` },
    ...[{ ...save, metadata: {} }, { ...save, metadata: "{" }],
    { ...save, metadata: `"${"x".repeat(5000)}"` },
    ...[{ ...save, ifRevision: 1 }, { ...save, ifRevision: "x".repeat(65) }],
    ...[{ action: "list", after: 1 }, { action: "load" }],
  ]);
  assertEquals(asked.length, 1);
});

Deno.test("save_function takes names that a later session may bind", async () => {
  const { kept, asked } = openKept();
  const save = openSaveFunction(kept);
  const source = "def f(): pass";
  for (const name of ["f", "größe", "_x", "F2"]) {
    assertEquals(await perform(save, { name, source }), {});
  }
  const puts = () => asked.filter((words) => words.length === 4).length;
  assertEquals(puts(), 4);
  kept.list = () =>
    Promise.resolve(
      ["f", "g"].map((key) => ({ ...FACTS, key, bytes: (1 << 20) - 10 })),
    );
  await assertRejects(
    () => perform(save, { name: "f", source }),
    /all saved tools would have 1048579 bytes, and may have 1048576\. delete_saved_tool/,
  );
  kept.list = () => Promise.resolve([]);
  const names = [
    ...["", "2x", "a b", "a.b", "a-b", "f\n", "../f", "class", "None", "match"],
    ...["mcp_time", "mcp", "runtime", "save_tool", "MCPError", "artifacts"],
    ...["__builtins__", "__name__", "x".repeat(101), "ﬁ", "\ud800"],
  ];
  await assertRefused(save, [
    ...names.map((name) => ({ name, source })),
    ...[null, {}, { name: 1, source }, { name: "f" }, { name: "f", source: 1 }],
    { name: "f", source: "x".repeat(MOST_SOURCE + 1) },
    { name: "f", source: "\ud800" },
  ]);
  assertEquals(puts(), 4);
});

Deno.test("save_function keeps each name of code mode from a function", async () => {
  assert(CODE_MODE_NAMES.includes("call_tool_sync"));
  await assertRefused(
    openSaveFunction(openKept().kept),
    CODE_MODE_NAMES.map((name) => ({ name, source: `def ${name}(): pass` })),
  );
});

Deno.test("artifact gives each draft to its owner, and gives up those that were left", async () => {
  const { kept, drafts } = openKept();
  let time = 0;
  const artifact = openArtifact(kept, {
    ...{ ...OPTIONS, now: () => time },
    share: new Share(4),
  });
  const begin = async (name: string, owner = "ada") => {
    const order = { action: "begin", name, size: 1 };
    const { draft } = Object(await perform(artifact, order, owner));
    return String(draft);
  };
  const first = await begin("1");
  await assertRejects(
    () => perform(artifact, { action: "commit", draft: first }, "eve"),
    /its draft was given up/,
  );
  for (const name of ["2", "3", "4"]) await begin(name);
  await assertRejects(() => begin("5"), /as 4 are being saved: wait/);
  time = 11_000;
  await begin("5");
  assertEquals(drafts, ["- ada 1"]);
  await assertRejects(
    () => perform(artifact, { action: "append", draft: first, data: "" }),
    /its draft was given up/,
  );
  time = 11 * 60 * 1000;
  const last = await begin("6", "eve");
  assertEquals(drafts.slice(1), ["- ada 2", "- ada 3", "- ada 4", "- ada 5"]);
  assertEquals(
    await perform(artifact, { action: "commit", draft: last }, "eve"),
    FACTS,
  );
  assertEquals(drafts.at(-1), "eve 6");
});

Deno.test("artifact reads no order of another form, and no path", async () => {
  const { kept, asked } = openKept();
  const begin = { action: "begin", name: "n", size: 1 };
  const read = { action: "read", name: "n", offset: 0 };
  const names = ["", ".", "..", "a/b", "a\\b", "a\0", "a\nb", "\ud800"];
  await assertRefused(openArtifact(kept, OPTIONS), [
    ...names.map((name) => ({ ...begin, name })),
    ...[null, {}, { action: "write" }, { ...begin, size: -1 }],
    ...[{ ...begin, size: "1" }, { ...begin, metadata: 1 }],
    ...[{ ...read, offset: 0.5 }, { ...read, offset: undefined }],
    ...[{ action: "append", draft: "d", data: "%" }, { action: "append" }],
    { action: "append", draft: "d", data: "A".repeat(1 << 21) },
    ...[{ action: "commit" }, { action: "commit", draft: 1 }],
  ]);
  assertEquals(asked, []);
});

Deno.test("toPage() gives as many facts as an answer can hold, and one at least", () => {
  const all = Array.from({ length: 10 }, (_, index) => ({
    ...FACTS,
    key: `k${index}`,
  }));
  const size = JSON.stringify(all[0]).length;
  const first = toPage(all, undefined, 2 * 4 * size);
  assertEquals([first.facts.length, first.more], [4, true]);
  const rest = toPage(all, "k3", 1 << 20);
  assertEquals([rest.facts, rest.more], [all.slice(4), false]);
  assertEquals(toPage(all, "k8", 1), { facts: [all[9]!], more: false });
  assert(toPage(all, undefined, 1).more);
});

Deno.test("a client's work on what is kept waits for its own alone, and ends with its run", async () => {
  const { kept } = openKept();
  const asked: string[] = [];
  const held: (() => void)[] = [];
  const memory = openMemory({
    ...kept,
    info: (_space, owner, key) => {
      asked.push(`${owner} ${key}`);
      return new Promise((resolve) => held.push(() => resolve(undefined)));
    },
  }, { maxCall: 1000 });
  const look = (owner: string, key: string, wait?: AbortSignal) =>
    perform(memory, { action: "info", key }, owner, wait);
  const run = new AbortController();
  const all = [look("ada", "1"), look("ada", "2", run.signal)];
  const last = [look("ada", "3"), look("bob", "1")];
  const settle = () => new Promise((resolve) => setTimeout(resolve));
  await settle();
  assertEquals(asked, ["ada 1", "bob 1"]);
  run.abort();
  await assertRejects(() => all[1] ?? Promise.resolve());
  held.forEach((answer) => answer());
  await settle();
  assertEquals(asked, ["ada 1", "bob 1", "ada 3"]);
  held.forEach((answer) => answer());
  await Promise.all(last);
});
