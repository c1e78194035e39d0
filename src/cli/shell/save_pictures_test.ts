import { join } from "node:path";
import { assertEquals, assertMatch } from "../../../deps/assert.ts";
import type { Image } from "../../protocol/run_result.ts";
import { namesIn, tempFolder } from "../../../test/support/folder.ts";
import { savePictures } from "./save_pictures.ts";

const image: Image = {
  mimeType: "image/svg+xml",
  data: "new",
  size: 3,
  uri: "",
};

Deno.test("savePictures() takes free names, and follows no link", async () => {
  await using temp = await tempFolder();
  const at = (name: string) => join(temp.path, name);
  await Deno.writeTextFile(at("picture-2.svg"), "old");
  await Deno.symlink(at("outside"), at("picture-3.svg"));
  const png: Image = { ...image, mimeType: "image/png", data: btoa("png") };
  assertEquals(await savePictures([image, image, png, image], temp.path), {
    saved: [1, 4, 6].map((number) => `picture-${number}.svg`)
      .toSpliced(2, 0, "picture-5.png"),
    failures: [],
  });
  const texts = [1, 2, 4, 6].map((number) =>
    Deno.readTextFileSync(at(`picture-${number}.svg`))
  );
  assertEquals(texts, ["new", "old", "new", "new"]);
  assertEquals(await Deno.readTextFile(at("picture-5.png")), "png");
  assertEquals((await namesIn(temp.path)).includes("outside"), false);
});

Deno.test("savePictures() tells of each picture that it cannot save", async () => {
  await using temp = await tempFolder();
  const gone = join(temp.path, "gone");
  const { saved, failures } = await savePictures([image, image], gone);
  assertEquals([saved, failures.length], [[], 2]);
  assertMatch(failures.join(), /^Cannot save a picture: No such file/);
});
