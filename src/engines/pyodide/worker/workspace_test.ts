import { assertEquals } from "../../../../deps/assert.ts";
import type { FromWorker } from "../../shared/from_worker.ts";
import { type EmscriptenFS, openWorkspace } from "./workspace.ts";

const FOLDER = 0o040755;
const FILE = 0o100644;

/** A folder with a file that cannot be written, as no real one can be had. */
function openFolder(unwritable: string, error: Error) {
  const contents = Object.create(null);
  const root = node(FOLDER, contents);
  const name = (place: string) => place.slice("/workspace/".length);
  const fs: EmscriptenFS = {
    mkdir() {},
    writeFile(place, bytes) {
      contents[name(place)] = node(FILE, bytes);
      if (name(place) === unwritable) throw error;
    },
    unlink(place) {
      delete contents[name(place)];
    },
    utime() {},
    lookupPath: (place) => ({
      node: place === "/workspace" ? root : contents[name(place)],
    }),
  };
  const said: FromWorker[] = [];
  const workspace = openWorkspace(fs, (message) => {
    said.push(message);
  });
  return { workspace, said, names: () => Object.keys(contents) };
}

function node(mode: number, contents: Uint8Array | Record<string, never>) {
  const mtime = new Date(0);
  return { mode, contents, node_ops: { getattr: () => ({ mtime }) } };
}

const file = (path: string) => ({ path, bytes: new Uint8Array(1) });

for (
  const [error, reason] of [
    [new TypeError("no such thing"), "no such thing"],
    [
      Object.assign(new Error(), { errno: 51 }),
      "there is no room for it (--max-files-size)",
    ],
  ] as const
) {
  Deno.test(`a file that cannot be put is left out, and told: ${reason}`, () => {
    const { workspace, said, names } = openFolder("b", error);
    workspace.put(["a", "b", "c"].map(file));
    assertEquals(names(), ["a", "c"]);
    const text = `Not put into /workspace: "b": ${reason}\n`;
    assertEquals(said, [{ type: "output", stream: "stderr", text }]);
  });
}
