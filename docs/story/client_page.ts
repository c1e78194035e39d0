/**
 * Draws README's picture: makes the story's call with a real client, and writes
 * the call and its answer as a page that looks like a chat.
 *
 *     deno run -A docs/story/client_page.ts page.html --pyodide FOLDER
 *     chromium --headless --hide-scrollbars --force-device-scale-factor=1.5 \
 *       --window-size=800,1035 --screenshot=client.png page.html
 *     pngquant --output docs/client.png client.png
 *
 * Options after the page's name go to the server; matplotlib and pandas must be
 * in reach: README's picture was drawn with the Pyodide 0.27 of the tests.
 *
 * @module
 */
import { fileURLToPath } from "node:url";
import { Client, StdioClientTransport } from "../../deps/mcp_client.ts";

const [page = "page.html", ...options] = Deno.args;
const here = (name: string) => new URL(name, import.meta.url);
const code = await Deno.readTextFile(here("clean_and_plot.py"));
const text = await Deno.readTextFile(here("measurements.csv"));

const client = new Client({ name: "client page", version: "1" });
const cli = fileURLToPath(here("../../cli.ts"));
await client.connect(
  new StdioClientTransport({
    command: Deno.execPath(),
    args: [
      ...["run", "-A", cli, "--deps", "pandas,matplotlib"],
      ...options,
      "stdio",
    ],
  }),
  { timeout: 600_000 },
);
const call = {
  name: "run_python_code",
  arguments: {
    python_code: code,
    files: [{ path: "measurements.csv", text }],
  },
};
const answer = await client.callTool(call, { timeout: 120_000 });
await client.close();

const result = Object(answer.structuredContent);
if (result.status !== "success") throw new Error(JSON.stringify(result));
const picture = answer.content.find((block) => block.type === "image");
if (picture?.type !== "image") throw new Error("The answer has no picture");
const [block] = answer.content;
const [, table = ""] =
  /<return_value>\n(.*)\n<\/return_value>/s.exec(String(Object(block).text)) ??
    [];
const [file] = result.files;
const shownFrom = code.indexOf("fig, axes");
const left = code.slice(0, shownFrom).trimEnd().split("\n").length;

await Deno.writeTextFile(
  page,
  `<!doctype html><meta charset="utf-8"><style>
body { margin: 0; padding: 24px; width: 752px; font: 15px/1.5 Inter, sans-serif;
  color: #1f2328; background: #fff }
.asked { margin-left: auto; width: fit-content; background: #eef1f4;
  border-radius: 14px; padding: 10px 16px }
.chip { display: inline-block; border: 1px solid #d0d7de; border-radius: 8px;
  padding: 3px 10px; font-size: 13px; background: #fff }
.card { margin-top: 18px; border: 1px solid #d0d7de; border-radius: 12px;
  overflow: hidden }
.card > div { padding: 10px 16px; border-top: 1px solid #eaeef2 }
.card > .head { border: 0; background: #f6f8fa; display: flex;
  justify-content: space-between; font-size: 14px }
.label { color: #656d76; font-size: 12px }
pre { margin: 2px 0 0; font: 12.5px/1.5 "DejaVu Sans Mono", monospace }
img { display: block; width: 700px; margin: 2px auto 0 }
</style>
<div class="asked">Load this CSV, clean it, plot it, give me both.<br>
<span class="chip">measurements.csv · ${text.length} bytes</span></div>
<div class="card">
<div class="head"><b>python · ${call.name}</b>
<span class="label">${result.status}</span></div>
<div><span class="label">python_code, after ${left} lines</span>
<pre>${escape(code.slice(shownFrom))}</pre></div>
<div><span class="label">output</span>
<pre>${escape(result.output.join("\n"))}</pre></div>
<div><span class="label">return_value</span>
<pre>${escape(table)}</pre></div>
<div><span class="label">picture</span>
<img src="data:${picture.mimeType};base64,${picture.data}"></div>
<div><span class="label">files</span>
<span class="chip">${escape(file.path)} · ${file.size} bytes</span></div>
</div>
`,
);

function escape(value: string): string {
  return value.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
