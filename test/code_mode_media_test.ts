/**
 * Pictures and audio that tools give: displays of a run, and never base64 in what a
 * model reads.
 *
 * @module
 */
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { runCode, withServers } from "./support/code_mode.ts";
import { smallServer } from "./support/downstream_servers.ts";
import { tempFolder } from "./support/folder.ts";
import { toPng } from "./support/png.ts";
import { startServer } from "./support/server.ts";

const base64 = (text: string) => new TextEncoder().encode(text).toBase64();
const PNG = toPng().toBase64();
const WAV = base64(`RIFF\0\0\0\0WAVEfmt ${"\0".repeat(60)}`);
const GIF = base64(`GIF89a${"\0".repeat(60)}`);
const TIFF = base64(`II*\0${"x".repeat(60)}`);
const CONTENT = [
  { type: "text", text: "A red pixel:" },
  { type: "image", mimeType: "image/png", data: PNG },
  { type: "audio", mimeType: "audio/x-wav", data: WAV },
  {
    type: "resource",
    resource: { uri: "file:///a.gif", mimeType: "image/gif", blob: GIF },
  },
  { type: "image", mimeType: "image/tiff", data: TIFF },
];

Deno.test("pictures and audio of a tool are displays, and base64 in no text and in no value", async () => {
  await using folder = await tempFolder();
  const env = { MEDIA: JSON.stringify(CONTENT) };
  const options = await withServers(folder.path, {
    small: smallServer("small", env),
  });
  await using server = await startServer(options);
  const call = async (code: string) => {
    const { client } = server;
    const { content, structuredContent } = await client.callTool({
      ...{ name: "run_python", arguments: { code, servers: ["small"] } },
    });
    const [text, ...blocks] = content;
    const read = JSON.stringify([text, structuredContent]);
    for (const data of [PNG, WAV, GIF, TIFF]) {
      assert(!read.includes(data.slice(0, 20)), `${code}: ${read}`);
    }
    const shown = blocks.map((block) => {
      if (block.type === "image" || block.type === "audio") {
        return [block.type, block.mimeType, block.data];
      }
      return [block.type];
    });
    // deno-lint-ignore no-explicit-any -- a test says what it expects
    return { ...structuredContent as any, shown };
  };
  const png = ["image", "image/png", PNG];
  const wav = ["audio", "audio/wav", WAV];
  const gif = ["image", "image/gif", GIF];

  const shown = await call("r = await mcp_small.media()\ndisplay(r)");
  assertEquals(shown.shown, [png, wav, gif]);
  assertEquals(shown.stdout, ["A red pixel:"]);
  assertMatch(
    shown.stderr.join("\n"),
    /^Not shown, as clients take no image\/tiff: 64 bytes\. .*\.data/,
  );
  const read = await call(`import json
print(r, repr(r), f"{r}", r["content"], f"{r['content'][1]['data']}", repr(r["content"][1]["data"]), "%s" % r["content"][3])
print(json.dumps(r), json.dumps(r["content"], indent=1), r.images, r.audio, r.text)
for block in r["content"]:
    for key, value in block.items(): print(key, value)
{"all": [r["content"], r["content"][1], [it.mime_type for it in r.images], r.audio]}`);
  assertEquals([read.status, read.shown], ["success", []], read.error);
  assertMatch(
    read.stdout.join(),
    /\[image, image\/png, \d+ characters of base64\]/,
  );
  const [blocks, block, types, audio] = read.return_value.all;
  assertMatch(block.data, /^<\d+ characters of base64: .*>$/);
  assertEquals(blocks[1], block);
  assertEquals(types, ["image/png", "image/gif", "image/tiff"]);
  assertEquals(audio, [`<audio/x-wav, 76 bytes>`]);
  for (
    const [code, wanted] of [
      ["r", [png, wav, gif]],
      ["r.images", [png, gif]],
      ["r.images[0]", [png]],
      ["display(*r.audio)", [wav]],
    ] as const
  ) {
    const { status, shown, error } = await call(code);
    assertEquals(
      [status, shown],
      ["success", [...wanted]],
      `${code}: ${error}`,
    );
  }
  // The data themselves are there, and reach other tools.
  const data = await runCode(
    server,
    `import base64, copy, pickle
data = r["content"][1]["data"]
sent = (await mcp_small.tool_0(text=data)).text
copies = [copy.copy(r), copy.deepcopy(r), pickle.loads(pickle.dumps(r)), {**r}]
whole = await mcp_small.tool_0(text=json.dumps([*map(dict, r["content"])]))
[base64.b64decode(data) == r.images[0].data, sent == data == "${PNG}", [it == r for it in copies],
    [it["content"][1]["data"] == data and it["content"][1] == r["content"][1] for it in copies],
    json.loads(whole.text)[1]["data"] == data, len(data), data.startswith("iVBOR")]`,
    { servers: ["small"] },
  );
  assertEquals(data.return_value, [
    ...[true, true, Array(4).fill(true), Array(4).fill(true)],
    ...[true, PNG.length, true],
  ], data.text);
});
