/**
 * The story that README shows: a table with faults goes in; its picture, the
 * cleaned table and the figures come back. And stories of sessions.
 *
 * @module
 */
import { fileURLToPath } from "node:url";
import {
  assert,
  assertEquals,
  assertMatch,
  assertRejects,
} from "../deps/assert.ts";
import { CACHE, CLI, command } from "./support/command.ts";
import { FOLDER_027, PACKAGES_027 } from "./support/each_pyodide.ts";
import { tempFolder } from "./support/folder.ts";
import { ALL_ROUNDS } from "./support/rounds.ts";
import {
  type Era,
  ERAS,
  startServer,
  type TestServer,
  type Via,
} from "./support/server.ts";

const STORY = fileURLToPath(import.meta.resolve("../docs/story"));
/** Writes what came back beside the story, for README. */
const KEEP = Deno.env.get("KEEP_STORY") === "1";
/** Each era and each transport; in `deno task slow` each era over each of them. */
const WAYS = ERAS.flatMap((era, at) =>
  (["stdio", "http"] as const)
    .filter((_, index) => ALL_ROUNDS || index === at)
    .map((via): { era: Era; via: Via } => ({ era, via }))
);

for (const { era, via } of WAYS) {
  Deno.test({
    name:
      `story: load this CSV, clean it, plot it, give me both (${era}, ${via})`,
    ignore: FOLDER_027 === "",
    async fn() {
      // A client has not the patience that this takes on a busy machine.
      const installed = await command([
        ...["--cache-dir", CACHE, ...PACKAGES_027, "install"],
      ]);
      assertEquals(installed.code, 0, installed.stderr);
      await using server = await startServer(PACKAGES_027, era, CLI, via);
      const measurements = await Deno.readTextFile(`${STORY}/measurements.csv`);
      const { content, structuredContent } = await server.client.callTool({
        name: "run_python_code",
        arguments: {
          python_code: await Deno.readTextFile(`${STORY}/clean_and_plot.py`),
          files: [{ path: "measurements.csv", text: measurements }],
        },
      });

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

for (const { era, via } of WAYS) {
  Deno.test({
    name:
      `story: load data once, ask ten questions, time out, cancel, go on after a restart, break a copy, go back (${era}, ${via})`,
    ignore: Deno.build.os === "windows",
    async fn() {
      await using folder = await tempFolder();
      const start = () =>
        startServer(["--session-store", folder.path], era, CLI, via);
      const measurements = await Deno.readTextFile(`${STORY}/measurements.csv`);
      let session: unknown;
      {
        await using server = await start();
        const loaded = await server.call(
          `
import csv
from datetime import date
rows = list(csv.DictReader(open("measurements.csv")))
def column(name): return [row[name] for row in rows]
len(rows)`,
          {
            session: "new",
            files: [{ path: "measurements.csv", text: measurements }],
          },
        );
        session = loaded.structured.session;
        const ask = asker(server, session);
        const lines = measurements.trim().split("\n").slice(1);
        assertEquals(loaded.returnValue, lines.length, loaded.text);
        const [header = ""] = measurements.split("\n");
        assertEquals(await ask("list(rows[0])"), header.trim().split(","));
        for (let question = 1; question < 9; question++) {
          assertEquals(
            await ask(
              `asked = ${question}; ",".join(rows[${question}].values())`,
            ),
            lines[question]?.trim(),
          );
        }
        assertEquals(await ask("asked, len(column('city'))"), [
          8,
          lines.length,
        ]);

        const late = await server.call("asked = 9\nwhile True: pass", {
          ...{ session, timeout: 0.3 },
        });
        assertEquals(late.status, "timeout");
        assert(late.error?.includes("The session goes on"), late.error);
        assertEquals(await ask("asked"), 9);

        const steps: unknown[] = [];
        const cancel = new AbortController();
        const cancelled = server.call(
          "notify_progress('half', 1, 2)\nwhile True: pass",
          { session },
          {
            signal: cancel.signal,
            onprogress({ message, progress, total }) {
              steps.push([message, progress, total]);
              cancel.abort();
            },
          },
        );
        await assertRejects(cancelled);
        assertEquals(steps, [["half", 1, 2]]);
        const wrong = await server.call("asked / 0", { session });
        assertMatch(String(wrong.error), /ZeroDivisionError/);
        assertEquals(await ask("asked"), 9);
        await server.end();
      }
      await using server = await start();
      const ask = asker(server, session);
      assertEquals(await ask("asked += 1; asked, len(rows)"), [10, 22]);
      const forked = await server.client.callTool({
        ...{ name: "fork_session", arguments: { session } },
      });
      const { session: copy } = Object(forked.structuredContent);
      const broken = await server.call(
        "rows.clear()\nimport os; os.remove('measurements.csv'); os.abort()",
        { session: copy },
      );
      assertEquals(broken.status, "crashed", broken.text);
      assertEquals(await ask("len(rows), 'os' in globals()"), [22, false]);
      assertEquals(await ask("open('measurements.csv').read()"), measurements);
      assertEquals(await ask("date(2026, 1, 2).isoformat()"), "2026-01-02");
    },
  });
}

/** Asks a session, and gives the value. */
function asker(server: TestServer, session: unknown) {
  return async (code: string) => {
    const { returnValue, text } = await server.call(code, { session });
    assert(returnValue !== undefined, text);
    return returnValue;
  };
}
