import { join } from "node:path";
import { assertEquals, assertRejects } from "../../../deps/assert.ts";
import { tempFolder } from "../../../test/support/folder.ts";
import { shellCalls } from "./shell_calls.ts";

const readInput = () => Promise.resolve(new Uint8Array());

Deno.test("shellCalls() gives modules below the script's folder, and nothing else", async () => {
  await using temp = await tempFolder();
  const [folder, outside] = await temp.make("script", "outside");
  const write = (path: string) =>
    Deno.writeTextFile(join(folder, path), "X = 1\n");
  await Deno.mkdir(join(folder, "package"));
  await Deno.mkdir(join(folder, "fifo.py"));
  await Deno.mkdir(join(folder, ".ssh"));
  for (
    const path of [
      "a.py",
      "package/b.py",
      "key",
      ".env",
      "data.csv",
      ".ssh/k.py",
    ]
  ) {
    await write(path);
  }
  await Deno.writeTextFile(join(outside, "o.py"), "secret");
  await Deno.symlink(outside, join(folder, "link"));
  await Deno.symlink(join(outside, "o.py"), join(folder, "linked.py"));
  const answer = shellCalls({ readInput, folder });

  assertEquals(await answer("list_modules", "package"), {
    files: ["b"],
    folders: [],
  });
  for (const path of ["a.py", "package/b.py"]) {
    const text = atob(`${await answer("read_module", path)}`);
    assertEquals(text, "X = 1\n");
  }
  const refused = [
    ...["../outside/o.py", "/etc/passwd", `${folder}/a.py`, "package/../a.py"],
    ...[".env", "data.csv", ".ssh/k.py", "link/o.py", "linked.py", "fifo.py"],
    ...["a", "key", "package", "a.py\0", "", 1, null, { path: "a.py" }],
  ];
  for (const path of refused) {
    await assertRejects(() => answer("read_module", path));
  }
  for (const path of ["..", "link", ".ssh", "", "/"]) {
    await assertRejects(() => answer("list_modules", path));
  }
  const without = shellCalls({ readInput });
  await assertRejects(() => without("read_module", "a.py"), RangeError);
  await assertRejects(() => answer("other", null), TypeError);
});

Deno.test("shellCalls() reads no more of standard input than it was asked for", async () => {
  const sizes: number[] = [];
  const answer = shellCalls({
    readInput(most) {
      sizes.push(most);
      return Promise.resolve(new Uint8Array(most).fill(97));
    },
  });
  assertEquals(await answer("read_input", 3), btoa("aaa"));
  for (const size of [1e12, -1, 0, "x", null]) {
    await answer("read_input", size);
  }
  assertEquals(sizes, [3, 65536, 1, 1, 1, 1]);
  const ended = shellCalls({ readInput });
  assertEquals(await ended("read_input", 10), "");
});
