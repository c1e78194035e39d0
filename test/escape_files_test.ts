/**
 * What files that a run writes, and their names, do to others: to its result, to
 * the client, and to calls that come later.
 *
 * @module
 */
import { assert, assertEquals } from "../deps/assert.ts";
import { onEachPyodide } from "./support/each_pyodide.ts";
import { startServer } from "./support/server.ts";

/** Goes into folders below folders, of so many names. */
const DEEP = `
import os
def go_deep(name, times):
    for _ in range(times):
        os.mkdir(name); os.chdir(name)
`;

onEachPyodide(
  "escape: a path that is too long for others fails no run",
  async (options) => {
    await using server = await startServer(options);
    const { returnValue, structured, text } = await server.call(`${DEEP}
open("kept", "w").close()
go_deep("x" * 250, 20)
open("lost", "w").close()
"alive"`);
    assertEquals(returnValue, "alive", text);
    const files = structured.files as { path: string }[];
    assertEquals(files.map(({ path }) => path), ["kept"]);
  },
);

Deno.test("escape: no list of files is more than the client takes", async () => {
  await using server = await startServer(["--file-tools"]);
  // As long as paths can be, in characters that are long in JSON, or in a URI.
  for (const character of ["\\x1b", "語"]) {
    const { status, structured, text } = await server.call(`${DEEP}
import shutil
for before in os.listdir(): shutil.rmtree(before)
name = "${character}" * (255 // len("${character}".encode()))
go_deep(name, 4080 // (len(name) + 1))
for at in range(600): open(f"{at:03}", "w").close()`);
    assertEquals(status, "success", text.slice(0, 200));
    assertEquals(structured.truncated, { files: 600 });
    const { resources } = await server.client.listResources();
    assertEquals(resources.length % 600, 0);
    let after: unknown = "";
    let count = 0;
    while (after !== undefined) {
      const { structuredContent } = await server.client.callTool({
        name: "list_files",
        arguments: { after },
      });
      const { files, next_after: next } = Object(structuredContent);
      assert(files.length > 0);
      count += files.length;
      after = next;
    }
    assertEquals(count, 600);
  }
});

Deno.test("escape: no text is more than the client takes", async () => {
  await using server = await startServer(["--file-tools"]);
  const { structured } = await server.call(
    `open("out", "w").write("\\x1b" * 6_000_000)`,
  );
  const [{ uri }] = structured.files as [{ uri: string }];
  const { contents: [whole] } = await server.client.readResource({ uri });
  assert(whole && "blob" in whole);
  assertEquals(Uint8Array.fromBase64(whole.blob).length, 6_000_000);
  const limit = 1 << 20;
  const { structuredContent } = await server.client.callTool({
    name: "read_file",
    arguments: { path: "out", limit },
  });
  const { base64, next_offset: next } = Object(structuredContent);
  assertEquals([Uint8Array.fromBase64(base64).length, next], [limit, limit]);
});

onEachPyodide(
  "escape: many files in deep folders do not take all of a run's time",
  async (options) => {
    await using server = await startServer(options);
    const folder = Array(15).fill("\x1b".repeat(250)).join("/");
    const files = Array.from(
      { length: 1000 },
      (_, at) => ({ path: `${folder}/${at}`, text: "" }),
    );
    const called = await server.call("'alive'", { files, timeout: 25 });
    assertEquals(called.returnValue, "alive", called.text);
  },
);

Deno.test("escape: pictures and output together are no more than the client takes", async () => {
  await using server = await startServer(["--max-output", "400000"]);
  const code = `
class Picture:
    def _repr_png_(self): return b"\\x89PNG\\r\\n\\x1a\\n" + bytes(1_700_000)
for _ in range(3): display(Picture())
print("\\x01" * 399_000)
raise ValueError("\\x01" * 399_000)`;
  const { content } = await server.client.callTool({
    name: "run_python_code",
    arguments: { python_code: code },
  });
  const note = content.at(-1);
  assert(note?.type === "text");
  assert(note.text.startsWith("The last 3 pictures or links are left out"));
  assertEquals(content.length, 2);
});
