import { assert, assertEquals } from "../../../deps/assert.ts";
import type { Facts } from "../../protocol/keeper_messages.ts";
import { SavedFunctions } from "./saved_functions.ts";

type Kept = Map<string, { text: string; revision: string; updated?: number }>;

function open(kept: Kept) {
  const got: string[] = [];
  const toFacts = (key: string): Facts => {
    const { text = "", revision = "", updated = 0 } = kept.get(key) ?? {};
    const bytes = new TextEncoder().encode(text).length;
    return { key, bytes, created: 0, updated, revision };
  };
  const saved = new SavedFunctions({
    list: (space, owner) => {
      if (owner === "broken") throw new Error("The folder is gone");
      const isOurs = space === "tools" && owner === "o";
      return Promise.resolve(isOurs ? [...kept.keys()].map(toFacts) : []);
    },
    get: (_space, _owner, key) => {
      got.push(key);
      if (key === "damaged") {
        return Promise.reject(new Error("its hash is another"));
      }
      const text = kept.get(key)?.text;
      return Promise.resolve(
        text === undefined || text === "gone"
          ? undefined
          : { facts: toFacts(key), text },
      );
    },
  });
  return { saved, got };
}

Deno.test("SavedFunctions reads what an owner has saved, and again only what has changed", async () => {
  const kept: Kept = new Map([
    ["f", { text: "def f(): 1", revision: "1" }],
    ["g", { text: "def g(): 1", revision: "1" }],
  ]);
  const { saved, got } = open(kept);
  assertEquals(await saved.of("o"), [
    { name: "f", source: "def f(): 1" },
    { name: "g", source: "def g(): 1" },
  ]);
  await saved.of("o");
  assertEquals(got, ["f", "g"]);
  kept.set("g", { text: "def g(): 2", revision: "2" });
  kept.delete("f");
  kept.set("h", { text: "gone", revision: "1" });
  assertEquals(await saved.of("o"), [{ name: "g", source: "def g(): 2" }]);
  assertEquals(got, ["f", "g", "g", "h"]);
  assertEquals(await saved.of("another"), []);
});

Deno.test("SavedFunctions gives a run no more than fits, the latest first", async () => {
  const text = "x".repeat(300_000);
  const kept: Kept = new Map(
    Array.from({ length: 10 }, (_, at) => [
      `f${at}`,
      { text, revision: "1", updated: at },
    ]),
  );
  const { saved, got } = open(kept);
  const found = await saved.of("o");
  assertEquals(found.map(({ name }) => name), ["f9", "f8", "f7"]);
  assertEquals(got.length, 3);
  assert(JSON.stringify(JSON.stringify(found)).length < 32 << 20);
});

Deno.test("SavedFunctions gives a run none if they cannot be read", async () => {
  const { saved } = open(new Map());
  assertEquals(await saved.of("broken"), []);
});

Deno.test("SavedFunctions has the problem in the place of a function that is damaged", async () => {
  const kept: Kept = new Map([
    ["damaged", { text: "", revision: "1" }],
    ["f", { text: "def f(): 1", revision: "1" }],
  ]);
  const { saved, got } = open(kept);
  const problem = "its hash is another";
  const both = [
    { name: "damaged", source: "", problem },
    { name: "f", source: "def f(): 1" },
  ];
  assertEquals(await saved.of("o"), both);
  assertEquals(await saved.of("o"), both);
  assertEquals(got, ["damaged", "f", "damaged"]);
});
