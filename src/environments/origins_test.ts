import { assert, assertEquals } from "../../deps/assert.ts";
import { tempFolder } from "../../test/support/folder.ts";
import { NOTE, noteOrigin, originsOf } from "./origins.ts";

const URL_ = "https://index.example/simple";

function idOf(url: string | null): string {
  const [id = ""] = originsOf({ indexes: [url] }).indexes;
  return id;
}

Deno.test("originsOf() gives one source one id, however its address is written", () => {
  const same = [
    URL_,
    `${URL_}/`,
    "HTTPS://Index.Example:443/simple",
    "https://ada:s3cret@index.example/simple/",
  ];
  assertEquals(new Set(same.map(idOf)).size, 1);
});

Deno.test("originsOf() tells sources apart", () => {
  const all = [
    ...[null, URL_, `${URL_}/a`, "http://index.example/simple"].map(idOf),
    ...[undefined, URL_, "/srv/dist"].map((dist) =>
      originsOf({ indexes: [], ...(dist ? { dist } : {}) }).dist
    ),
  ];
  assertEquals(new Set(all).size, all.length);
});

Deno.test("originsOf() writes nothing of an address, as there may be a token in it", () => {
  const ids = ["s3cret@", "s3cret/", "?token=s3cret"].map((text) =>
    idOf(`https://index.example/${text}`)
  );
  for (const id of ids) assert(/^[0-9a-f]{64}$/.test(id), id);
});

Deno.test("noteOrigin() loses no note of installs at one time", async () => {
  await using folder = await tempFolder();
  const ids = Array.from({ length: 20 }, (_, at) => idOf(`${URL_}/${at}`));
  await Promise.all([...ids, ...ids].map((id) => noteOrigin(folder.path, id)));
  const names = await Array.fromAsync(Deno.readDir(folder.path));
  assertEquals(
    names.map(({ name }) => NOTE.exec(name)?.[1]).sort(),
    ids.toSorted(),
  );
});
