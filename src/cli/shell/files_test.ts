import { join } from "node:path";
import { assert, assertEquals, assertMatch } from "../../../deps/assert.ts";
import { namesIn, tempFolder } from "../../../test/support/folder.ts";
import { toFramedPage } from "../../frames/to_framed_page.ts";
import type { Image } from "../../protocol/run_result.ts";
import { saveFiles, toFiles } from "./files.ts";

const bytes = new TextEncoder().encode("new");
const filesAt = (...paths: string[]) => paths.map((path) => ({ path, bytes }));

Deno.test("saveFiles() writes files in folders, over files of the same names", async () => {
  await using temp = await tempFolder();
  const [out] = await temp.make("out");
  await Deno.writeTextFile(join(out, "a.txt"), "old and longer");
  const paths = ["a.txt", "d/e/b c.txt", "d/é.txt"];
  const files = filesAt(...paths);
  assertEquals(await saveFiles(files, out), { saved: paths, failures: [] });
  for (const path of paths) {
    assertEquals(await Deno.readTextFile(join(out, path)), "new");
  }
  assertEquals(await namesIn(out), ["a.txt", "d"]);
});

Deno.test("saveFiles() writes nothing outside of its folder, and through no link", async () => {
  await using temp = await tempFolder();
  const [out, outside] = await temp.make("out", "outside");
  const secret = join(outside, "secret");
  await Deno.writeTextFile(secret, "kept");
  await Deno.symlink(outside, join(out, "link"));
  await Deno.symlink(secret, join(out, "replaced"));
  await Deno.mkdir(join(out, "folder"));
  const refused = [
    ...["../secret", "/etc/x", "a/../../secret", "", ".", "a//b", "a\0b"],
    ...["link/secret", "link/new/file", "folder", "replaced/x"],
    ...[".bashrc", ".git/hooks/post-checkout", "a/.b/c", "\x1b[2J", "a/\x07"],
    // Disks of macOS may ignore the character before the dot.
    "\u200c.git/hooks/post-checkout",
  ];
  const { saved, failures } = await saveFiles(
    filesAt(...refused, "replaced"),
    out,
  );
  assertEquals([saved, failures.length], [
    ["replaced"],
    refused.length,
  ]);
  for (const [at, path] of refused.entries()) {
    assert(failures[at]?.startsWith(`Cannot save ${JSON.stringify(path)}: `));
  }
  assertEquals(await namesIn(temp.path), ["out", "outside"]);
  assertEquals(await namesIn(outside), ["secret"]);
  assertEquals(await Deno.readTextFile(secret), "kept");
  // The link itself was replaced.
  assert((await Deno.lstat(join(out, "replaced"))).isFile);
  assertEquals(await namesIn(out), ["folder", "link", "replaced"]);
});

Deno.test("saveFiles() refuses names that Windows reads in another way", async () => {
  await using temp = await tempFolder();
  const [out] = await temp.make("out");
  const refused = ["C:\\x", "a\\..\\b", "nul", "d/CON.txt", "a:stream", "a."];
  // Another name of .git.
  refused.push("GIT~1/hooks/post-checkout", "COM\u00b9", "CONOUT$");
  const { saved, failures } = await saveFiles(
    filesAt(...refused, "console.txt"),
    out,
    { os: "windows" },
  );
  assertEquals([saved, failures.length], [
    ["console.txt"],
    refused.length,
  ]);
});

const image: Image = {
  mimeType: "image/svg+xml",
  data: "new",
  size: 3,
  uri: "",
};

Deno.test("toFiles() gives pictures free names, where saveFiles() follows no link", async () => {
  await using temp = await tempFolder();
  const at = (name: string) => join(temp.path, name);
  await Deno.writeTextFile(at("picture-2.svg"), "old");
  await Deno.symlink(at("outside"), at("picture-3.svg"));
  const png: Image = { ...image, mimeType: "image/png", data: btoa("png") };
  const pictures = toFiles({ images: [image, image, png, image] }, temp.path);
  assertEquals(await saveFiles(pictures, temp.path), {
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

Deno.test("toFiles() puts pages into frames, and gives them free names", () => {
  const page = { title: "T", about: "a", html: "<script>1</script>" };
  const files = toFiles({
    written: filesAt("page-1.html/a.txt"),
    pages: [{ ...page, uri: "", size: 18 }],
  });
  assertEquals(files[1]?.path, "page-2.html");
  assertEquals(
    new TextDecoder().decode(files[1]?.bytes),
    toFramedPage(page.html, { title: "T" }),
  );
});

Deno.test("saveFiles() tells of each picture that it cannot save", async () => {
  await using temp = await tempFolder();
  const gone = join(temp.path, "gone");
  const pictures = toFiles({ images: [image, image] }, gone);
  const { saved, failures } = await saveFiles(pictures, gone);
  assertEquals([saved, failures.length], [[], 2]);
  assertMatch(failures.join(), /^Cannot save "picture-1.svg": No such file/);
});
