import { join } from "node:path";
import { assertEquals, assertRejects } from "../../../deps/assert.ts";
import { makeEmptyCache } from "../../../test/support/cache.ts";
import { writeLock } from "./lock.ts";

const LOCK = 'lock-version = "1.0"\n';

async function inFolder(work: (folder: string) => Promise<void>) {
  await using cache = await makeEmptyCache();
  await work(cache.folder);
}

async function names(folder: string): Promise<string[]> {
  return (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name);
}

Deno.test("writeLock() writes the file, also over one that it wrote", () =>
  inFolder(async (folder) => {
    const path = join(folder, "my.lock");
    for (const text of [LOCK, `# comment\r\n${LOCK}more = 1\n`, LOCK]) {
      await writeLock(path, text);
      assertEquals(await Deno.readTextFile(path), text);
    }
    assertEquals(await names(folder), ["my.lock"]);
  }));

Deno.test("writeLock() leaves other files alone", () =>
  inFolder(async (folder) => {
    for (
      const text of [
        "",
        "print(1)\n",
        "# lock-version = 1",
        "my-lock-version = 1",
      ]
    ) {
      const path = join(folder, "script.py");
      await Deno.writeTextFile(path, text);
      await assertRejects(writeLock(path, LOCK), {
        name: "UserError",
        message: /^Cannot write .*script\.py" as another file is there/,
        exitCode: 2,
      });
      assertEquals(await Deno.readTextFile(path), text);
    }
    await assertRejects(writeLock(folder, LOCK), {
      name: "UserError",
      message: /^Cannot write the lock file ".*": Is a directory\. Name a file/,
      exitCode: 2,
    });
  }));

Deno.test("writeLock() leaves nothing behind where it cannot write", () =>
  inFolder(async (folder) => {
    await assertRejects(writeLock(join(folder, "none", "x.lock"), LOCK), {
      name: "UserError",
      message: /^Cannot write .*: No such file or directory\. Name a file in/,
      exitCode: 2,
    });
    assertEquals(await names(folder), []);
  }));
