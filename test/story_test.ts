/**
 * The story that README shows: a table with faults goes in; its picture, the
 * cleaned table and the figures come back.
 *
 * @module
 */
import { fileURLToPath } from "node:url";
import { assert, assertEquals } from "../deps/assert.ts";
import { CACHE, command } from "./support/command.ts";
import { FOLDER_027, PACKAGES_027 } from "./support/each_pyodide.ts";
import { ERAS, startServer } from "./support/server.ts";

const STORY = fileURLToPath(import.meta.resolve("../docs/story"));
/** Writes what came back beside the story, for README. */
const KEEP = Deno.env.get("KEEP_STORY") === "1";

for (const era of ERAS) {
  Deno.test({
    name: `story: load this CSV, clean it, plot it, give me both (${era})`,
    ignore: FOLDER_027 === "",
    async fn() {
      // A client has not the patience that this takes on a busy machine.
      const installed = await command([
        ...["--cache-dir", CACHE, ...PACKAGES_027, "install"],
      ]);
      assertEquals(installed.code, 0, installed.stderr);
      await using server = await startServer(PACKAGES_027, era);
      const measurements = await Deno.readTextFile(`${STORY}/measurements.csv`);
      const { content, structuredContent } = await server.client.callTool({
        name: "run_python_code",
        arguments: {
          python_code: await Deno.readTextFile(`${STORY}/clean_and_plot.py`),
          files: [{ path: "measurements.csv", text: measurements }],
        },
      }, { timeout: 120_000 });

      const result: Record<string, unknown> = { ...Object(structuredContent) };
      assertEquals(result.status, "success", JSON.stringify(result));
      assertEquals(result.output, ["22 rows read, 18 kept"]);
      assertEquals(result.return_value, [
        { city: "Lisbon", count: 7, mean: 27, max: 29 },
        { city: "Oslo", count: 5, mean: 14, max: 17.2 },
        { city: "Utrecht", count: 6, mean: 22.1, max: 25.5 },
      ]);

      const picture = content.find((block) => block.type === "image");
      assert(picture?.type === "image", JSON.stringify(content));
      assertEquals(picture.mimeType, "image/png");
      const png = Uint8Array.fromBase64(picture.data);

      const [file] = Object(result.files);
      assertEquals([file.path, file.mimeType], ["cleaned.csv", "text/csv"]);
      const { contents: [cleaned] } = await server.client.readResource({
        uri: String(file.uri),
      });
      assert(cleaned && "text" in cleaned);
      assertEquals(cleaned.text.length, file.size);

      if (KEEP) {
        await Deno.writeFile(`${STORY}/picture.png`, png);
        await Deno.writeTextFile(`${STORY}/cleaned.csv`, cleaned.text);
      }
      assertEquals(png, await Deno.readFile(`${STORY}/picture.png`));
      const expected = await Deno.readTextFile(`${STORY}/cleaned.csv`);
      assertEquals(cleaned.text, expected);
    },
  });
}
