import { join } from "node:path";
import { assertEquals, assertThrows } from "../../deps/assert.ts";
import { tempFolder } from "../../test/support/folder.ts";
import { log } from "../log.ts";
import { DEFAULTS } from "../settings.ts";
import {
  openKeepers,
  openPrivateFolder,
  SESSIONS,
  STATE,
  whyNotPrivate,
} from "./keepers.ts";

const NO_MODES = Deno.build.os === "windows" && "needs links and modes";
if (NO_MODES) log(`skipped: whose the folder of sessions is: ${NO_MODES}`);

Deno.test({
  name: "openPrivateFolder() makes a private folder, and follows a link to it",
  ignore: Boolean(NO_MODES),
  async fn() {
    await using folder = await tempFolder();
    const path = join(folder.path, "deep/sessions");
    assertEquals(openPrivateFolder(path, SESSIONS), path);
    assertEquals(whyNotPrivate(path, SESSIONS), undefined);
    const link = join(folder.path, "link");
    await Deno.symlink(path, link);
    assertEquals(openPrivateFolder(link, SESSIONS), path);
    assertEquals([...Deno.readDirSync(path)], []);
  },
});

Deno.test({
  name: "openKeepers() refuses a store that a mount shows by a link",
  ignore: Boolean(NO_MODES),
  async fn() {
    await using folder = await tempFolder();
    const path = join(folder.path, "sessions");
    const link = join(folder.path, "link");
    await Deno.mkdir(path, { mode: 0o700 });
    await Deno.symlink(path, link);
    const mounts = [{ host: path, guest: "/mnt/x", isWritable: false }];
    const settings = { ...DEFAULTS, sessionStore: link, mounts };
    assertThrows(() => openKeepers(settings, {}), /would see/);
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
      () => openPrivateFolder(path, SESSIONS),
      /Cannot store sessions in ".*": its path has a comma\. Choose .* --session-store\./,
    );
    assertThrows(
      () => openPrivateFolder(path, STATE),
      /Cannot keep memory and saved tools in ".*": its path has a comma\. Choose .* --state-dir\./,
    );
  },
});
