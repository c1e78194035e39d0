import { join } from "node:path";
import { assertEquals, assertRejects } from "../../deps/assert.ts";
import { tempFolder } from "../../test/support/folder.ts";
import { writeStored } from "../../test/support/stored_session.ts";
import { saying } from "../../test/support/user_error.ts";
import { needsOf, readStored } from "./stored_sessions.ts";

const E1 = "1".repeat(24);
const E2 = "2".repeat(24);
const E3 = "3".repeat(24);
const of = (environment: string) => ({ metadata: { environment } });

Deno.test("readStored() counts sessions by environment, and tells damage from other versions", async () => {
  await using folder = await tempFolder();
  assertEquals(await readStored(join(folder.path, "none")), undefined);
  await writeStored(folder.path, { key: "a", ...of(E1) });
  await writeStored(folder.path, { key: "b", ...of(E2) });
  await writeStored(folder.path, { key: "c", ...of(E1) });
  const cut = await writeStored(folder.path, { key: "d", ...of(E3) });
  await Deno.truncate(join(folder.path, cut), 9);
  const later = await writeStored(folder.path, {
    ...{ key: "e", ...of(E3) },
    version: 2,
  });
  const odd = await writeStored(folder.path, { key: "f", metadata: {} });
  const path = await writeStored(folder.path, { key: "g", ...of("../x") });
  await Deno.writeTextFile(join(folder.path, "notes"), "of the user");
  const { files = [], faults = [], environments } =
    await readStored(folder.path) ?? {};
  assertEquals(files.length, 7);
  assertEquals(environments, new Map([[E1, 2], [E2, 1]]));
  const expected = [
    {
      text: `${cut} is damaged: it is not a kept value`,
      isDamage: true,
    },
    {
      text:
        `${later} cannot be read: it has version 2, and this program reads version 1`,
      isDamage: false,
    },
    ...[odd, path].map((name) => ({
      text: `${name} cannot be read: its facts are of another form`,
      isDamage: false,
    })),
  ];
  const byText = (one: { text: string }, other: { text: string }) =>
    one.text < other.text ? -1 : 1;
  assertEquals(faults.sort(byText), expected.sort(byText));
});

Deno.test("needsOf() names the count of sessions that need an environment, and takes damage for none", async () => {
  await using folder = await tempFolder();
  for (const key of ["a", "b"]) {
    await writeStored(folder.path, { key, ...of(E1) });
  }
  const cut = await writeStored(folder.path, { key: "c", ...of(E2) });
  await Deno.truncate(join(folder.path, cut), 9);
  await writeStored(folder.path, { key: "d", ...of(E3) });
  const need = await needsOf(folder.path);
  assertEquals([E1, E2, E3].map(need), [
    "2 stored sessions need it",
    undefined,
    "1 stored session needs it",
  ]);
});

Deno.test("needsOf() refuses a folder whose needs it cannot know", async () => {
  await using folder = await tempFolder();
  await assertRejects(
    () => needsOf(join(folder.path, "none")),
    saying("none need: there is not such a folder. Name"),
  );
  await writeStored(folder.path, { key: "a", ...of(E1), version: 2 });
  await assertRejects(
    () => needsOf(folder.path),
    saying("reads version 1. Remove this file, use the version that wrote it"),
  );
});
