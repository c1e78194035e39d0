import { assertEquals } from "../../../deps/assert.ts";
import type { Facts } from "../../protocol/state_messages.ts";
import { SavedFunctions } from "./saved_functions.ts";

type Kept = Map<string, { text: string; revision: string; updated?: number }>;

function open(kept: Kept) {
  const got: string[] = [];
  const warned: string[] = [];
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
      const text = kept.get(key)?.text;
      return Promise.resolve(
        text === undefined || text === "gone"
          ? undefined
          : { facts: toFacts(key), text },
      );
    },
  }, (sentence) => warned.push(sentence));
  return { saved, got, warned };
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

Deno.test("SavedFunctions gives a run none if they cannot be read", async () => {
  const { saved, warned } = open(new Map());
  assertEquals(await saved.of("broken"), []);
  assertEquals(warned, [
    "Running without saved functions: The folder is gone",
  ]);
});
