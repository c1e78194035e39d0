import { join } from "node:path";
import { assert, assertEquals, assertThrows } from "../../../deps/assert.ts";
import { findPyodide, NPM_PYODIDE } from "./runtime.ts";

const FILES = {
  "pyodide.mjs": "loader",
  "pyodide.asm.js": "glue",
  "pyodide.asm.wasm": "wasm",
  "python_stdlib.zip": "stdlib",
  "pyodide-lock.json": '{"info": {"version": "0.27.7"}, "packages": {}}',
};

Deno.test("findPyodide() gives what npm delivered when no folder is named", () => {
  assertEquals(findPyodide(), NPM_PYODIDE);
  Deno.statSync(join(NPM_PYODIDE.folder, "pyodide.asm.wasm"));
});

Deno.test("findPyodide() knows a version by the lock file, or better by package.json", async () => {
  await using folder = await makeFolder(FILES);
  assertEquals(findPyodide(folder.path).version, "0.27.7");
  await folder.write("package.json", '{"version": "0.27.8"}');
  assertEquals(findPyodide(folder.path).version, "0.27.8");
});

Deno.test("findPyodide() takes a module where there is one, else a script", async () => {
  await using folder = await makeFolder(FILES);
  assertEquals(findPyodide(folder.path).emscripten, "pyodide.asm.js");
  await folder.write("pyodide.asm.mjs", "glue");
  assertEquals(findPyodide(folder.path).emscripten, "pyodide.asm.mjs");
});

Deno.test("findPyodide() tells builds apart by content, wherever they are", async () => {
  await using one = await makeFolder(FILES);
  await using same = await makeFolder(FILES);
  const { build } = findPyodide(one.path);
  assertEquals(findPyodide(same.path).build, build);
  for (const name of Object.keys(FILES).slice(0, 4)) {
    await using other = await makeFolder({ ...FILES, [name]: "longer text" });
    assert(findPyodide(other.path).build !== build, name);
  }
});

Deno.test("findPyodide() names the folder and all that it lacks", async () => {
  for (const name of Object.keys(FILES)) {
    const { [name]: _, ...rest }: Record<string, string> = FILES;
    await using folder = await makeFolder(rest);
    const named = name === "pyodide.asm.js"
      ? "pyodide.asm.mjs or pyodide.asm.js"
      : name;
    assertRefused(folder.path, `it has no ${named}. Name a folder with`);
  }
  await using empty = await makeFolder({});
  assertRefused(empty.path, "it has no pyodide.mjs, no pyodide.asm.wasm, no");
});

Deno.test("findPyodide() says what is wrong with a folder or a version", async () => {
  await using folder = await makeFolder(FILES);
  assertRefused(join(folder.path, "none"), "No such file or directory");
  assertRefused(join(folder.path, "pyodide.mjs"), "Not a directory");
  await folder.write("pyodide-lock.json", "{");
  assertRefused(folder.path, "its pyodide-lock.json is not JSON");
  await folder.write("pyodide-lock.json", '{"info": null}');
  assertRefused(folder.path, "its pyodide-lock.json has no info.version");
});

function assertRefused(folder: string, reason: string): void {
  const start = `Cannot use "${folder}" as a Pyodide distribution: ${reason}`;
  assertThrows(
    () => findPyodide(folder),
    (error: Error) =>
      error.name === "UserError" && error.message.startsWith(start),
  );
}

async function makeFolder(files: Record<string, string>) {
  const path = await Deno.makeTempDir();
  const write = (name: string, text: string) =>
    Deno.writeTextFile(join(path, name), text);
  for (const [name, text] of Object.entries(files)) await write(name, text);
  return {
    path,
    write,
    [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }),
  };
}
