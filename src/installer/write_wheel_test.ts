import { assertRejects } from "../../deps/assert.ts";
import { tempFolder } from "../../test/support/folder.ts";
import { writeWheel } from "./write_wheel.ts";

Deno.test("writeWheel() takes no size from an index that is beyond its own bound", async () => {
  await using temp = await tempFolder();
  const { path: cacheDir } = temp;
  // Its memory is never touched.
  const body = async function* () {
    yield new Uint8Array(2 ** 31 + 1);
  };
  for (const size of [2 ** 31 + 1, 1e15, undefined]) {
    await assertRejects(
      writeWheel(
        body(),
        { file: "x", url: "", ...(size ? { size } : {}) },
        { cacheDir, path: `${cacheDir}/${size}`, report() {} },
      ),
      /it is larger than 2147483648 bytes/,
    );
  }
});
