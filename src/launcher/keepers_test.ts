import { join } from "node:path";
import { assertEquals, assertThrows } from "../../deps/assert.ts";
import { tempFolder } from "../../test/support/folder.ts";
import { UserError } from "../errors.ts";
import { log } from "../log.ts";
import {
  openPrivateFolder,
  refuseToShow,
  SESSIONS,
  STATE,
  whyNotPrivate,
} from "./keepers.ts";

const NO_MODES = Deno.build.os === "windows" && "needs links and modes";
if (NO_MODES) log(`skipped: whose the folder of sessions is: ${NO_MODES}`);

Deno.test("refuseToShow() refuses each mount that shows or changes sessions", () => {
  const mount = (host: string, isWritable: boolean) =>
    refuseToShow(
      [{ host, guest: "/mnt/x", isWritable }],
      "/home/ada/sessions",
      { os: "linux" },
      SESSIONS,
    );
  const shown = ["/home/ada", "/home/ada/sessions", "/home/ada/sessions/x"];
  for (const host of shown) {
    for (const isWritable of [true, false]) {
      assertThrows(
        () => mount(host, isWritable),
        (error) => error instanceof UserError && /would see/.test(`${error}`),
      );
    }
  }
  mount("/home/ada/sessions2", true);
  mount("/home/ada/data", true);
});

Deno.test({
  name: "openPrivateFolder() makes a private folder, and follows a link to it",
  ignore: Boolean(NO_MODES),
  async fn() {
    await using folder = await tempFolder();
    const path = join(folder.path, "deep/sessions");
    assertEquals(openPrivateFolder(path, [], SESSIONS), path);
    assertEquals(whyNotPrivate(path, SESSIONS), undefined);
    const link = join(folder.path, "link");
    await Deno.symlink(path, link);
    assertEquals(openPrivateFolder(link, [], SESSIONS), path);
    const mount = { host: path, guest: "/mnt/x", isWritable: false };
    assertThrows(() => openPrivateFolder(link, [mount], SESSIONS), /would see/);
    assertEquals([...Deno.readDirSync(path)], []);
  },
});

Deno.test({
  name: "whyNotPrivate() warns of a folder that other users can read or write",
  ignore: Boolean(NO_MODES),
  async fn() {
    await using folder = await tempFolder();
    for (const mode of [0o750, 0o705, 0o720, 0o702, 0o710]) {
      await Deno.chmod(folder.path, mode);
      assertEquals(typeof whyNotPrivate(folder.path, SESSIONS), "string");
    }
  },
});

Deno.test({
  name: "openPrivateFolder() names the option of the folder that it opens",
  ignore: Boolean(NO_MODES),
  async fn() {
    await using folder = await tempFolder();
    const path = join(folder.path, "a,b");
    assertThrows(
      () => openPrivateFolder(path, [], SESSIONS),
      /Cannot store sessions in ".*": its path has a comma\. Choose .* --session-store\./,
    );
    assertThrows(
      () => openPrivateFolder(path, [], STATE),
      /Cannot keep memory and saved tools in ".*": its path has a comma\. Choose .* --state-dir\./,
    );
  },
});
