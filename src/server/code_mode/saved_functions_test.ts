import { assertEquals, assertMatch } from "../../../deps/assert.ts";
import type { Facts } from "../../protocol/state_messages.ts";
import { KeptError } from "./broker_kept.ts";
import { SavedFunctions } from "./saved_functions.ts";

function facts(key: string, revision: string): Facts {
  return { key, revision, bytes: 1, created: 1, updated: 1 };
}

/** Functions whose list a test changes. */
function openSaved() {
  const listed: { entries: Facts[] | undefined } = { entries: [] };
  const read: string[] = [];
  const warnings: string[] = [];
  const saved = new SavedFunctions({
    list: () =>
      listed.entries
        ? Promise.resolve(listed.entries)
        : Promise.reject(new KeptError("no folder")),
    get(_space, owner, key) {
      read.push(`${owner} ${key}`);
      if (key === "bad") return Promise.reject(new KeptError("damaged"));
      if (key === "gone") return Promise.resolve(undefined);
      return Promise.resolve({ facts: facts(key, "r"), text: `def ${key}` });
    },
  }, (sentence) => warnings.push(sentence));
  return { saved, listed, read, warnings };
}

Deno.test("SavedFunctions reads a source once, until it changes", async () => {
  const { saved, listed, read } = openSaved();
  listed.entries = [facts("f", "1"), facts("gone", "1")];
  const both = [{ name: "f", source: "def f" }];
  assertEquals(await saved.of("ada"), both);
  assertEquals(await saved.of("ada"), both);
  assertEquals(read.filter((one) => one === "ada f").length, 1);
  await saved.of("eve");
  listed.entries = [facts("f", "2")];
  await saved.of("ada");
  assertEquals(read.filter((one) => one === "ada f").length, 2);
});

Deno.test("SavedFunctions has a problem in the place of a function that cannot be read", async () => {
  const { saved, listed, warnings } = openSaved();
  listed.entries = [facts("bad", "1"), facts("f", "1")];
  assertEquals(await saved.of("ada"), [
    { name: "bad", source: "", problem: "damaged" },
    { name: "f", source: "def f" },
  ]);
  listed.entries = undefined;
  assertEquals(await saved.of("ada"), []);
  assertEquals(warnings, [
    ...['Skipping the saved tool "bad": damaged'],
    ...["Running without saved functions: no folder"],
  ]);
});

Deno.test("SavedFunctions gives no run more than it can start with", async () => {
  const { saved, listed, read } = openSaved();
  const large = { bytes: 600_000 };
  listed.entries = ["a", "b"].map((key) => ({ ...facts(key, "1"), ...large }));
  const [first, second] = await saved.of("ada");
  assertEquals([first?.source, second?.source], ["def a", ""]);
  assertMatch(second?.problem ?? "", /more than 1048576 bytes: delete_saved/);
  assertEquals(read, ["ada a"]);
});
