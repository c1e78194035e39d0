/**
 * What commands print of names that come from anywhere: no terminal obeys it.
 *
 * @module
 */
import { join } from "node:path";
import { assertEquals, assertMatch } from "../deps/assert.ts";
import { command } from "./support/command.ts";
import { tempFolder } from "./support/folder.ts";

/** Sets a terminal's title, hides text, and turns its direction around. */
const NAME = "a\x1b]0;title\x07\x9b8m\u202eb";
const SHOWN = "a\\u001b]0;title\\u0007\\u009b8m\\u202eb";

// deno-lint-ignore no-control-regex
const CONTROL = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]/;

Deno.test({
  name:
    "commands show the controls in names of files and folders, and in errors",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using temp = await tempFolder();
    const folder = join(temp.path, NAME);
    await Deno.mkdir(folder, { mode: 0o755 });
    const runs = [
      ["--cache-dir", folder, "cache", "dir"],
      ["run", join(folder, "none.py")],
      ["--mount", join(folder, "none"), "run", "-c", "1"],
      ["--code-mode", "--state-dir", folder, "stdio"],
      ["--out", folder, "run", "-c", "open('x', 'w')"],
      ["run", "-c", `open(${JSON.stringify(NAME)}, "w")`],
    ];
    for (const words of runs) {
      const { stdout, stderr } = await command(words, { cwd: temp.path });
      const said = stdout + stderr;
      assertEquals(CONTROL.exec(said), null, said);
      assertMatch(said, new RegExp(RegExp.escape(SHOWN)), said);
    }
  },
});
