import { assertEquals, assertThrows } from "../../../../deps/assert.ts";
import { MemoryTree } from "./memory_tree.ts";
import { MOST_SCANNED, scan } from "./scan.ts";

Deno.test("scan() ends with an error of Python that glob() does not swallow", () => {
  const tree = new MemoryTree("w", { bytes: 0, nodes: MOST_SCANNED + 1 });
  tree.makeFolder(["w", "sub"]);
  for (let at = 1; at < MOST_SCANNED; at++) {
    tree.makeFolder(["w", "sub", `${at}`]);
  }
  const all = () => [...scan(tree, ["w"], { followLinks: false })].length;
  assertEquals(all(), MOST_SCANNED);
  tree.makeFolder(["w", "more"]);
  assertThrows(all, {
    type: "RuntimeError",
    message: "directory scan examined more than 100000 entries",
  });
});
