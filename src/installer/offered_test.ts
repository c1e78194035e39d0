import { assertEquals } from "../../deps/assert.ts";
import { offerCached } from "./resolver.ts";

const [A, B, C] = ["a", "b", "c"].map((letter) => letter.repeat(64));

const file = (filename: string, sha256 = "", ...origins: string[]) => ({
  ...{ filename, sha256, origins },
  url: `file:///${filename}`,
});

Deno.test("offerCached() gives each source its own wheels, and pinned wheels of any source", () => {
  const offered = offerCached(
    [
      file("both", A, "first", "second"),
      file("second", B, "second", "elsewhere"),
      file("elsewhere", C, "elsewhere"),
      file("unknown", "d".repeat(64)),
      file("dist", "e".repeat(64), "dist"),
    ],
    { hashes: [C ?? ""] },
    { dist: "dist", indexes: ["first", "second", "third"] },
  );
  const names = (files: { filename: string }[]) =>
    files.map(({ filename }) => filename);
  assertEquals(offered.indexes.map(names), [["both"], ["both", "second"], []]);
  assertEquals(names(offered.dist), ["dist"]);
  assertEquals(offered.pinned, [
    {
      filename: "elsewhere",
      url: "file:///elsewhere",
      hashes: { sha256: C ?? "" },
    },
  ]);
});
