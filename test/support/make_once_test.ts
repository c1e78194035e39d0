import { join } from "node:path";
import { assertEquals, assertRejects } from "../../deps/assert.ts";
import { namesIn } from "./folder.ts";
import { makeOnce } from "./make_once.ts";

Deno.test("makeOnce() fills a folder once, whoever asks meanwhile, and leaves none half made", async () => {
  const name = `once-${crypto.randomUUID()}`;
  let count = 0;
  const make = () =>
    makeOnce(name, async (draft) => {
      count++;
      await Deno.writeTextFile(join(draft, "file"), "");
      if (count === 1) throw new Error("the first fails");
    });
  await assertRejects(make, /the first fails/);
  const folders = await Promise.all([make(), make(), make()]);
  const [folder = ""] = folders;
  try {
    assertEquals(new Set(folders).size, 1);
    assertEquals(await namesIn(folder), [
      "file",
    ]);
    assertEquals(count, 2);
  } finally {
    await Deno.remove(folder, { recursive: true });
    await Deno.remove(`${folder}.lock`);
  }
});
