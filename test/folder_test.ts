/**
 * A start in a folder that its user may not enter.
 *
 * @module
 */
import { assertEquals } from "../deps/assert.ts";
import { CACHE, CLI } from "./support/command.ts";
import { tempFolder } from "./support/folder.ts";

Deno.test({
  name: "a folder that its user may not enter is not one that a start needs",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using temp = await tempFolder();
    const [folder] = await temp.make("closed");
    // Root enters any folder, but for these capabilities.
    const asUser = Deno.uid() === 0
      ? [
        "setpriv",
        "--bounding-set=-dac_override,-dac_read_search",
        "--inh-caps=-dac_override,-dac_read_search",
      ]
      : [];
    const start = [Deno.execPath(), "run", "-A", CLI, "--cache-dir", CACHE];
    const { stdout, stderr } = await new Deno.Command("sh", {
      args: [
        ...["-c", 'cd "$0" && chmod 0 . && exec "$@"', folder],
        ...[...asUser, ...start, "run", "-c", "print(6 * 7)"],
      ],
      stdin: "null",
    }).output();
    await Deno.chmod(folder, 0o700);
    const decoder = new TextDecoder();
    assertEquals(decoder.decode(stdout), "42\n", decoder.decode(stderr));
  },
});
