import { assertEquals } from "../../../deps/assert.ts";
import { tempFolder } from "../../../test/support/folder.ts";
import { serveFile } from "./stored_files.ts";

const MODULE = import.meta.resolve("./worker/stored_bytes.ts");
const WORKER = `
import { openStored } from ${JSON.stringify(MODULE)};
onmessage = ({ data: { stored, parts } }) => {
  const copy = openStored(stored);
  postMessage(parts.map(([place, length]) => {
    const target = new Uint8Array(length);
    copy(place, target);
    return target;
  }));
};`;

Deno.test("serveFile() gives each part of a file to a worker, and to the next", async () => {
  await using folder = await tempFolder();
  const path = `${folder.path}/file.bin`;
  const bytes = Uint8Array.from({ length: 1_300_000 }, (_, at) => at % 251);
  await Deno.writeFile(path, bytes);
  const stored = await serveFile(path);
  const parts = [[0, 7], [0, 1_300_000], [600_000, 0], [600_001, 5], [9, 1e6]];
  for (let round = 0; round < 2; round++) {
    const worker = new Worker(`data:text/javascript,${encodeURI(WORKER)}`, {
      type: "module",
    });
    const copied = new Promise((resolve, reject) => {
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = ({ message }) => reject(new Error(message));
    });
    worker.postMessage({ stored, parts });
    assertEquals(
      await copied,
      parts.map(([place = 0, length = 0]) =>
        bytes.slice(place, place + length)
      ),
    );
    worker.terminate();
  }
});
