/**
 * What the error of a missing file says of the files that are there.
 *
 * @module
 */
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { onEachPyodide } from "./support/each_pyodide.ts";
import { tempFolder } from "./support/folder.ts";
import { startServer } from "./support/server.ts";

const MANY = 5000;
const NAMES = ["data.csv", "Data 2.xlsx", "sales/2026.csv", "notes.md"];

onEachPyodide(
  "missing files: the error has the nearest names, and the folders of the user",
  async (options) => {
    await using folder = await tempFolder();
    const [reports] = await folder.make("reports");
    await Deno.mkdir(`${reports}/many`);
    await Deno.writeTextFile(`${reports}/q1.csv`, "");
    await Deno.writeTextFile(
      `${reports}/many/\u009b31m\n${"x".repeat(230)}`,
      "",
    );
    for (let at = 0; at < MANY; at++) {
      await Deno.writeTextFile(`${reports}/many/row${at}`, "");
    }
    await using server = await startServer([...options, "--mount", reports]);
    const { session } = (await server.call("None", {
      session: "new",
      files: NAMES.map((path) => ({ path, text: "" })),
    })).structured;
    const errorOf = async (code: string) => {
      const { error } = await server.call(code, { session });
      assert(!error?.includes(reports), error);
      return error ?? "no error";
    };
    const folders = "Folders of the user: /mnt/reports\\.$";
    const near = (names: string, more = "") =>
      new RegExp(`\\n${more}The nearest are ${names}\\. ${folders}`);
    const cases: Record<string, RegExp> = {
      "open('dta.csv')": near("/workspace/data.csv"),
      "import pathlib; pathlib.Path('notes.txt').read_text()": near(
        "/workspace/notes.md",
      ),
      "open('/data/data.csv')": near(
        "/workspace/data.csv",
        "There is no folder /data\\. ",
      ),
      "open(r'C:\\me\\sales\\2026.csv')": near("/workspace/sales/2026.csv"),
      "open('/home/me/q1.csv')": near(
        "/mnt/reports/q1.csv",
        "There is no folder /home/me\\. ",
      ),
      "open(b'/mnt/reports/Q2.csv')": near("/mnt/reports/q1.csv"),
      "open('out/x.bin', 'w')":
        /There is no folder \/workspace\/out\. \/workspace has Data 2\.xlsx, data\.csv, notes\.md, sales\. Folders/,
      // As numpy, pandas and pyarrow say it.
      "raise FileNotFoundError('dta.csv not found.')": near(
        "/workspace/data.csv",
      ),
      "raise FileNotFoundError('File dta.csv does not exist')": near(
        "/workspace/data.csv",
      ),
      "raise FileNotFoundError('dta.csv')": near("/workspace/data.csv"),
      "raise FileNotFoundError()": /FileNotFoundError$/,
      "raise FileNotFoundError(2, 'gone', 7)": /FileNotFoundError: .*7$/,
      "raise FileNotFoundError(2, 'gone', 'a/' * 4000)":
        /FileNotFoundError: \[Errno 2\] gone: '[a\/]{983}… 6,018 characters left out …[a\/]{999}'$/,
    };
    for (const [code, says] of Object.entries(cases)) {
      assertMatch(await errorOf(code), says, code);
    }
    const started = performance.now();
    const many = await errorOf("open('/mnt/reports/many/rwo19')");
    const ms = performance.now() - started;
    assertMatch(
      many,
      /The nearest are \/mnt\/reports\/many\/row\d+, .* Folders/,
    );
    // It would take minutes to compare all.
    assert(ms < 20_000, `${ms} ms`);
    const odd = await errorOf("open('/mnt/reports/many/' + chr(0x9b) + '31m')");
    assertEquals(odd.includes("\u009b"), false, odd);
    assert(odd.length < 2000, odd);
  },
);

onEachPyodide(
  "missing files: without any, the error says how they come",
  async (options) => {
    await using server = await startServer(options);
    for (const path of ["data.csv", "/home/me/data.csv", "~/data.csv"]) {
      const { error } = await server.call(`open(${JSON.stringify(path)})`);
      assertMatch(
        error ?? "",
        /The user's files are not here\. They can be sent with the call \(files\)/,
        path,
      );
    }
  },
);
